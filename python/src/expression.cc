#include "python/src/expression.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler/loop/lexer.h"
#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tools/shared/validators.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

namespace loop = compiler::loop;
namespace te = compiler::te;
using loop::Expr;

constexpr int64_t kMostSize = int64_t{1} << 16, kMostDepth = 4096;

std::string TypeName(nb::handle value) { return nb::type_name(value.type()).c_str(); }

}  // namespace

Value Over(Expr made, std::span<const Value> values) {
  Value over{std::move(made)};
  for (const Value& value : values) {
    over.height = std::max(over.height, value.height);
    over.size += value.size;
    over.depth = std::max(over.depth, value.depth);
  }
  ++over.height, ++over.size, ++over.depth;
  if (over.height > loop::kMaxDepth)
    throw Error("", "expression", StrCat(over.height, " operators"),
                StrCat("at most ", loop::kMaxDepth, " may stand one over the other"));
  if (over.size > kMostSize)
    throw Error("", "expression", StrCat(over.size, " operators"),
                StrCat("must be ", kMostSize, " at most; what is used twice counts twice"));
  if (over.depth > kMostDepth)
    throw Error("", "expression", StrCat(over.depth, " operators and tensors"),
                StrCat("at most ", kMostDepth, " may be made of each other"));
  return over;
}

Value ValueOf(nb::handle value) {
  if (nb::isinstance<Value>(value)) return nb::cast<const Value&>(value);
  if (nb::isinstance<te::ReduceAxis>(value)) return {nb::cast<const te::ReduceAxis&>(value).expr()};
  if (PyBool_Check(value.ptr())) return {loop::BoolConst(value.ptr() == Py_True)};
  if (PyIndex_Check(value.ptr())) return {Expr(WholeOf(value, "expression"))};
  const bool is_text = nb::isinstance<nb::str>(value) || nb::isinstance<nb::bytes>(value);
  if (!is_text && PyNumber_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!PyErr_Occurred()) return {loop::FloatConst(number)};
    PyErr_Clear();
  }
  throw Error("", "expression", TypeName(value), "must be an expression, or a number");
}

std::vector<Value> ValuesOf(nb::handle values) {
  std::vector<Value> all;
  for (const nb::handle value : values) all.push_back(ValueOf(value));
  return all;
}

std::vector<Expr> ExprsOf(std::span<const Value> values) {
  std::vector<Expr> exprs;
  for (const Value& value : values) exprs.push_back(value.expr);
  return exprs;
}

loop::DType DTypeOf(const std::string& name) {
  std::vector<std::string> names;
  for (const loop::DTypeRow& row : loop::DTypes()) {
    if (row.name == name) return row.dtype;
    names.emplace_back(row.name);
  }
  throw Error("", "dtype", name, StrCat("must be one of ", tools::Listed(names)));
}

Expr ConstantOf(nb::handle value, loop::DType dtype) {
  const loop::DTypeRow& row = loop::Row(dtype);
  if (dtype == loop::DType::kFloat32) {
    const Value number = ValueOf(value);
    if (number.expr.op() != loop::Op::kConst)
      throw Error("", "constant", "expression", "must be a number");
    return loop::FloatConst(number.expr.dtype() == loop::DType::kFloat32
                                ? number.expr->float_value
                                : static_cast<double>(number.expr->int_value));
  }
  int64_t number = 0;
  if (PyFloat_Check(value.ptr())) {
    const double real = PyFloat_AS_DOUBLE(value.ptr());
    constexpr double kMost = 1LL << 53;
    if (!(std::abs(real) <= kMost) || real != std::floor(real))
      throw Error("", "constant", StrCat(real), StrCat("must be whole, as ", row.name, " is"));
    number = static_cast<int64_t>(real);
  } else {
    number = WholeOf(value, "constant");
  }
  if (number < row.low || number > row.high)
    throw Error("", "constant", StrCat(number),
                StrCat("must be in [", row.low, ", ", row.high, "], as ", row.name, " is"));
  return loop::IntConst(dtype, number);
}

void RequireName(const std::string& name, const char* what) {
  if (loop::IsName(name)) return;
  std::string shown = name.substr(0, 64);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  throw Error("", what, shown,
              "must be a name, of letters, digits, '_' and '.', that begins with no digit");
}

int64_t WholeOf(nb::handle value, const char* what) {
  if (!PyIndex_Check(value.ptr())) throw Error("", what, TypeName(value), "must be a whole number");
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) throw Error("", what, "int", "must be a whole number of 64 bits");
  return whole;
}

void RequireShape(const std::string& tensor, const std::vector<int64_t>& shape) {
  const auto refuse = [&](int64_t extent, const char* rule) {
    throw Error(StrCat("tensor ", tensor), "extent", StrCat(extent), rule);
  };
  int64_t size = 1;
  for (const int64_t extent : shape) {
    if (extent < 1) refuse(extent, "must be 1 at least");
    if (extent > loop::kMaxExtent / size) refuse(extent, "the tensor is too large with it");
    size *= extent;
  }
}

}  // namespace vta::python
