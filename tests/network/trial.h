// One network on one variant, compiled and run through the runtime, against two references.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/compile.h"
#include "compiler/graph/graph.h"
#include "isa/config.h"
#include "isa/package.h"

namespace vta::test {

/// What a kernel of a CPU runs as: native code of this machine, or on the interpreter, for packages
/// that a test has changed.
enum class Kernels : uint8_t { kNative, kInterpreted };

/// The package of a graph for the accelerator of a config and the CPU, in the graph's rounding
/// mode.
compiler::CompileResult CompileFor(const isa::Config& config, const compiler::Graph& graph,
                                   Kernels kernels = Kernels::kNative);

/// What trials covered.
struct NetworkTally {
  int64_t networks = 0, exact = 0;  // exact: byte-equal to the graph's evaluator
  int64_t runs = 0, programs = 0, instructions = 0;
  std::map<std::string, int64_t> on_vta, on_cpu;  // steps, by their operators
};

/// Compiles for `config`, proves the programs, and runs two inferences in each of the orders of the
/// modules, once with the CPU's kernels interpreted, too. The outputs must be, byte for byte, what
/// the loop-IR interpreter makes of each program's definition, and where the config rescales
/// exactly, what the graph's evaluator makes of the imported graph. Returns the first difference or
/// error in words, or "".
std::string TryNetwork(const isa::Config& config, const compiler::Graph& graph, uint64_t seed,
                       NetworkTally* tally);

}  // namespace vta::test
