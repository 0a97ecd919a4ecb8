// Expressions and tensors as Python builds them: no larger than what their text may be.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/te/te.h"

namespace vta::python {

/// An expression, and what looks at all of it must go through.
struct Value {
  compiler::loop::Expr expr;
  int64_t height = 0;  // operators, one over the other
  int64_t size = 0;    // operators; those that are reached twice are twice there
  int64_t depth = 0;   // operators and tensors, one over the other down to the inputs
};

struct TeTensor {
  compiler::te::Tensor tensor;
  int64_t depth = 0;  // as that of a Value
};

struct Reduced {
  compiler::te::Reduction reduction;
  int64_t depth = 0;
};

/// What an operator makes of values. Errors: throws Error where that is too high, too large or too
/// deep.
Value Over(compiler::loop::Expr made, std::span<const Value> values);

/// Numbers become constants: an int of the type of what stands beside it, a float float32.
/// Errors: throws Error where it is neither that nor an expression.
Value ValueOf(nanobind::handle value);
std::vector<Value> ValuesOf(nanobind::handle values);
std::vector<compiler::loop::Expr> ExprsOf(std::span<const Value> values);

compiler::loop::DType DTypeOf(const std::string& name);
/// A number in that type. Errors: throws Error where it is none, or lies outside.
compiler::loop::Expr ConstantOf(nanobind::handle value, compiler::loop::DType dtype);

/// Errors: throws Error where it is no name of the text of functions, which says what `what` is.
void RequireName(const std::string& name, const char* what);
/// Errors: throws Error where it is no whole number of 64 bits.
int64_t WholeOf(nanobind::handle value, const char* what);
/// Errors: throws Error where an extent is none that the text of functions may have, or all are too
/// large.
void RequireShape(const std::string& tensor, const std::vector<int64_t>& shape);

}  // namespace vta::python
