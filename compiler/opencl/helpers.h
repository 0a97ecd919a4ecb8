// Functions of OpenCL C that the code of kernels calls where the language has none that does
// exactly that.
#pragma once

#include <set>
#include <string>

namespace vta::compiler::opencl {

/// The text of those functions, and of those that they call, in the order in which they may stand.
/// Names, with `vta_` before them in the text:
///   min_T, max_T, abs_T      T int, long, float or a vector of floats, which are ordered as
///                            comparisons do it
///   floor_div_T, floor_mod_T T int or long; a divisor of 0 gives 0 and the dividend
///   mul_add_T                a * b + c of those floats, rounded once or twice: as the device is
///   quick shift_right, rescale_single, rescale_double, requant_single, requant_double
///                            as isa/spec/alu_ops.h and isa/spec/requant.h have them
std::string TextOf(const std::set<std::string>& helpers);

}  // namespace vta::compiler::opencl
