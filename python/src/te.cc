#include "python/src/te.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/te/te.h"
#include "isa/support/error.h"
#include "python/src/arguments.h"
#include "python/src/expression.h"
#include "python/src/package.h"
#include "python/src/work.h"
#include "tools/vta/common/trials/kernel_package.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

namespace loop = compiler::loop;
namespace te = compiler::te;
using loop::Expr, loop::Op;

/// By the names of the table of operations: "exp", "+".
Value ApplyNamed(const std::string& name, const nb::args& args) {
  for (const bool infix : {false, true})
    if (const loop::OpRow* const row = loop::FindOp(name, infix))
      if (row->type != loop::OpType::kSpecial) {
        const std::vector<Value> values = ValuesOf(args);
        return Over(loop::Apply(row->op, ExprsOf(values)), values);
      }
  throw Error("", "operation", name, "is none of expressions");
}

std::vector<te::ReduceAxis> ReduceAxesOf(nb::handle axes) {
  if (nb::isinstance<te::ReduceAxis>(axes)) return {nb::cast<const te::ReduceAxis&>(axes)};
  std::vector<te::ReduceAxis> all;
  for (const nb::handle axis : axes) {
    if (!nb::isinstance<te::ReduceAxis>(axis))
      throw Error("", "axis", nb::type_name(axis.type()).c_str(), "must be a te.reduce_axis");
    all.push_back(nb::cast<const te::ReduceAxis&>(axis));
  }
  return all;
}

Reduced Reduce(const std::string& name, nb::handle value, nb::handle axes, nb::handle start) {
  std::vector<Value> values = {ValueOf(value)};
  std::vector<te::ReduceAxis> over = ReduceAxesOf(axes);
  te::Reduction reduction = name == "sum"   ? te::ReduceSum(values[0].expr, std::move(over))
                            : name == "max" ? te::ReduceMax(values[0].expr, std::move(over))
                                            : te::ReduceMin(values[0].expr, std::move(over));
  if (!start.is_none()) {
    values.push_back(ValueOf(start));
    reduction = te::From(values[1].expr, std::move(reduction));
  }
  const Value whole = Over(reduction.value, values);
  return {std::move(reduction), whole.depth};
}

std::vector<int64_t> SizesOf(nb::handle shape) {
  std::vector<int64_t> sizes;
  if (PyIndex_Check(shape.ptr())) return {WholeOf(shape, "extent")};
  for (const nb::handle size : shape) sizes.push_back(WholeOf(size, "extent"));
  return sizes;
}

/// An extent, or (name, extent), of each.
std::vector<te::Axis> AxesOf(nb::handle shape) {
  std::vector<te::Axis> axes;
  if (PyIndex_Check(shape.ptr())) return {te::Axis(WholeOf(shape, "extent"))};
  for (const nb::handle axis : shape) {
    if (!nb::isinstance<nb::tuple>(axis) || nb::len(axis) != 2) {
      axes.emplace_back(WholeOf(axis, "extent"));
      continue;
    }
    const std::string name = nb::cast<std::string>(axis[0]);
    RequireName(name, "axis");
    axes.emplace_back(name, WholeOf(axis[1], "extent"));
  }
  return axes;
}

TeTensor Compute(const std::string& name, nb::handle shape, nb::handle define,
                 const std::string& scope) {
  RequireName(name, "tensor");
  RequireName(scope, "scope");
  int64_t depth = 0;
  const auto value = [&](const std::vector<Expr>& indices) -> te::Value {
    nb::list arguments;
    for (const Expr& index : indices) arguments.append(Value{index});
    const nb::object made = define(*arguments);
    if (nb::isinstance<Reduced>(made)) {
      const auto& reduced = nb::cast<const Reduced&>(made);
      depth = reduced.depth;
      return reduced.reduction;
    }
    const Value own = ValueOf(made);
    depth = own.depth;
    return own.expr;
  };
  const te::Tensor tensor = te::Define(name, AxesOf(shape), value, scope);
  RequireShape(name, tensor.shape());
  return {tensor, depth + 1};
}

TeTensor PadTensor(const std::string& name, const TeTensor& tensor, nb::handle before,
                   nb::handle after, nb::handle value) {
  RequireName(name, "tensor");
  const std::vector<int64_t> front = SizesOf(before), back = SizesOf(after);
  for (const std::vector<int64_t>* sizes : {&front, &back})
    for (const int64_t size : *sizes)
      if (size < 0 || size > loop::kMaxExtent)
        throw Error(StrCat("tensor ", name), "padding", StrCat(size),
                    StrCat("must be in [0, ", loop::kMaxExtent, "]"));
  const te::Tensor padded =
      te::Pad(name, tensor.tensor, front, back, ConstantOf(value, tensor.tensor.dtype()));
  RequireShape(name, padded.shape());
  const Value read{.depth = tensor.depth};
  return {padded, Over({}, {{read}}).depth + 1};
}

TeTensor Placeholder(const std::string& name, nb::handle shape, const std::string& dtype) {
  RequireName(name, "tensor");
  const std::vector<int64_t> sizes = SizesOf(shape);
  RequireShape(name, sizes);
  return {te::Placeholder(name, sizes, DTypeOf(dtype))};
}

loop::Function Lower(const std::string& name, nb::handle tensors) {
  RequireName(name, "function");
  std::vector<te::Tensor> all;
  for (const nb::handle tensor : tensors) {
    if (!nb::isinstance<TeTensor>(tensor))
      throw Error("", "parameter", nb::type_name(tensor.type()).c_str(), "must be a te.Tensor");
    all.push_back(nb::cast<const TeTensor&>(tensor).tensor);
  }
  return te::Lower(name, all);
}

/// (name, dtype, shape) of each.
nb::list ParamsOf(const loop::Function& function) {
  nb::list list;
  for (const loop::Buffer& param : function.params) {
    nb::list shape;
    for (const int64_t size : param->shape) shape.append(size);
    list.append(
        nb::make_tuple(param->name, std::string(loop::Name(param->dtype)), nb::tuple(shape)));
  }
  return list;
}

/// A word of a step: a name, or a number.
std::string WordOf(nb::handle value) {
  const std::string word = nb::isinstance<nb::str>(value)
                               ? nb::cast<std::string>(value)
                               : StrCat(WholeOf(value, "word of a step"));
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '#'; };
  if (word.empty() || !std::ranges::all_of(word, is_plain))
    throw Error("", "word of a step", word.substr(0, word.find('\0')), "must be one word");
  return word;
}

std::vector<std::string> ApplyPrimitive(loop::Schedule& schedule, const std::string& primitive,
                                        const nb::args& args) {
  std::vector<std::string> words;
  for (const nb::handle arg : args) {
    if (nb::isinstance<nb::list>(arg) || nb::isinstance<nb::tuple>(arg))
      for (const nb::handle word : arg) words.push_back(WordOf(word));
    else
      words.push_back(WordOf(arg));
  }
  return schedule.Apply({primitive, std::move(words)});
}

/// (name, words, what the names are that it makes, meaning) of each.
nb::list PrimitivesOfTable() {
  nb::list rows;
  for (const loop::Primitive& one : loop::Primitives())
    rows.append(nb::make_tuple(std::string(one.name), std::string(one.params),
                               std::string(one.makes), std::string(one.meaning)));
  return rows;
}

std::shared_ptr<Package> Build(const loop::Function& function, const nb::dict& options) {
  std::vector<std::string> names = {tools::kNativeCpu};
  Arguments arguments;
  arguments.app().add_option("--cpu", names)->delimiter(',');
  arguments.Parse(options);
  return WithProgress(StrCat("compile ", function.name), {}, [&](tools::Progress*) {
    std::vector<compiler::lower::CpuSpec> cpus;
    for (const std::string& name : names)
      cpus.push_back(name == tools::kNativeCpu ? tools::NativeCpu()
                                               : compiler::lower::FindCpu(name));
    tools::OpenedModel opened;
    const auto start = std::chrono::steady_clock::now();
    opened.package = tools::PackageOfKernel(function, cpus);
    opened.compile_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    opened.kernels = tools::NativeOptions().ForCompiled();
    return std::make_shared<Package>(std::move(opened), function.name);
  });
}

template <typename F>
auto OfTwo(F apply) {
  return [apply](const Value& a, const Value& b) { return Over(apply(a.expr, b.expr), {{a, b}}); };
}

/// Those of Python that make expressions, of what is one or becomes one.
template <typename T>
void BindOperators(nb::class_<T>& bound) {
  using Binary = Expr (*)(const Expr&, const Expr&);
  static constexpr std::pair<const char*, Binary> kBinary[] = {
      {"add__", [](const Expr& a, const Expr& b) { return a + b; }},
      {"sub__", [](const Expr& a, const Expr& b) { return a - b; }},
      {"mul__", [](const Expr& a, const Expr& b) { return a * b; }},
      {"truediv__", [](const Expr& a, const Expr& b) { return a / b; }},
      {"floordiv__", loop::FloorDiv},
      {"mod__", loop::FloorMod},
      {"and__", [](const Expr& a, const Expr& b) { return a && b; }},
      {"or__", [](const Expr& a, const Expr& b) { return a || b; }},
      {"rshift__",
       [](const Expr& a, const Expr& b) {
         return loop::Apply(Op::kShr, {a, b});
       }},
  };
  static constexpr std::pair<const char*, Binary> kCompare[] = {
      {"__lt__", [](const Expr& a, const Expr& b) { return a < b; }},
      {"__le__", [](const Expr& a, const Expr& b) { return a <= b; }},
      {"__gt__", [](const Expr& a, const Expr& b) { return a > b; }},
      {"__ge__", [](const Expr& a, const Expr& b) { return a >= b; }},
  };
  for (const auto& [name, apply] : kBinary) {
    bound.def(StrCat("__", name).c_str(), [of = OfTwo(apply)](nb::handle a, nb::handle b) {
      return of(ValueOf(a), ValueOf(b));
    });
    bound.def(StrCat("__r", name).c_str(), [of = OfTwo(apply)](nb::handle a, nb::handle b) {
      return of(ValueOf(b), ValueOf(a));
    });
  }
  for (const auto& [name, apply] : kCompare)
    bound.def(name, [of = OfTwo(apply)](nb::handle a, nb::handle b) {
      return of(ValueOf(a), ValueOf(b));
    });
  const auto def = [&](const char* name, auto apply) {
    bound.def(name, [apply](nb::handle a) {
      const Value value = ValueOf(a);
      return Over(apply(value.expr), {{value}});
    });
  };
  def("__neg__", [](const Expr& a) { return -a; });
  def("__invert__", [](const Expr& a) { return loop::Not(a); });
  def("__abs__", [](const Expr& a) { return loop::Apply(Op::kAbs, {a}); });
  bound
      .def_prop_ro("dtype",
                   [](nb::handle a) { return std::string(loop::Name(ValueOf(a).expr.dtype())); })
      .def("astype",
           [](nb::handle a, const std::string& dtype) {
             const Value value = ValueOf(a);
             return Over(loop::Cast(DTypeOf(dtype), value.expr), {{value}});
           })
      .def("__repr__", [](nb::handle a) { return loop::Print(ValueOf(a).expr); })
      .def("__bool__", [](nb::handle a) -> bool {
        throw Error("", "expression", loop::Print(ValueOf(a).expr),
                    "has no value yet: te.select, &, | and ~ choose when it runs");
      });
}

void BindTensor(nb::module_& module) {
  nb::class_<Value> expr(module, "Expr", "A value that is computed when a kernel runs.");
  BindOperators(expr);
  nb::class_<te::ReduceAxis> axis(module, "ReduceAxis", "An axis that a reduction runs over.");
  BindOperators(axis);
  axis.def("__init__",
           [](te::ReduceAxis* self, const std::string& name, nb::handle extent) {
             RequireName(name, "axis");
             const int64_t size = WholeOf(extent, "extent");
             RequireShape(name, {size});
             new (self) te::ReduceAxis(name, size);
           })
      .def_prop_ro("name", &te::ReduceAxis::name)
      .def_prop_ro("extent", &te::ReduceAxis::extent);
  nb::class_<Reduced>(module, "Reduction",
                      "A sum, a maximum or a minimum: only the whole of what is computed.");
  nb::class_<TeTensor>(module, "TeTensor",
                       "An input, or what is computed; tensor(i, j) is an element of it.")
      .def("__call__",
           [](const TeTensor& t, const nb::args& i) {
             std::vector<Value> values = ValuesOf(i);
             Expr element = t.tensor.At(ExprsOf(values));
             values.push_back({.depth = t.depth});
             return Over(std::move(element), values);
           })
      .def_prop_ro("name", [](const TeTensor& t) { return t.tensor.name(); })
      .def_prop_ro("shape",
                   [](const TeTensor& t) {
                     nb::list shape;
                     for (const int64_t size : t.tensor.shape()) shape.append(size);
                     return nb::tuple(shape);
                   })
      .def_prop_ro("dtype",
                   [](const TeTensor& t) { return std::string(loop::Name(t.tensor.dtype())); });
}

}  // namespace

void BindTe(nb::module_& module) {
  BindTensor(module);
  module.def("te_apply", &ApplyNamed);
  module.def("te_select", [](nb::handle condition, nb::handle a, nb::handle b) {
    const Value values[] = {ValueOf(condition), ValueOf(a), ValueOf(b)};
    return Over(loop::Select(values[0].expr, values[1].expr, values[2].expr), values);
  });
  module.def("te_constant", [](nb::handle value, const std::string& dtype) {
    return Value{ConstantOf(value, DTypeOf(dtype))};
  });
  module.def("te_cast", [](const std::string& dtype, nb::handle value) {
    const Value own = ValueOf(value);
    return Over(loop::Cast(DTypeOf(dtype), own.expr), {{own}});
  });
  module.def("te_reduce", &Reduce, nb::arg("name"), nb::arg("value"), nb::arg("axes"),
             nb::arg("start").none());
  module.def("te_placeholder", &Placeholder);
  module.def("te_compute", &Compute);
  module.def("te_pad", &PadTensor);
  module.def("te_lower", &Lower);
  module.def("te_parse", [](const std::string& text) {
    return loop::Parse(text, compiler::targets::DotIntrinsics());
  });
  nb::class_<loop::Function>(module, "Function", "Loops around computations; str() is their text.")
      .def_ro("name", &loop::Function::name)
      .def("params", &ParamsOf)
      .def("__str__", [](const loop::Function& f) { return loop::Print(f); });
  nb::class_<loop::Schedule>(module, "Schedule")
      .def("__init__",
           [](loop::Schedule* self, const loop::Function& function) {
             new (self) loop::Schedule(function, compiler::targets::DotIntrinsics());
           })
      .def("function", [](const loop::Schedule& s) { return s.function(); })
      .def("loops", &loop::Schedule::Loops)
      .def("trace", &loop::Schedule::TraceText)
      .def("apply", &ApplyPrimitive)
      .def("replay", [](loop::Schedule& s, const std::string& text) { s.Replay(text); });
  module.def("primitives", &PrimitivesOfTable);
  module.def("intrinsics", [] {
    nb::dict texts;
    for (const auto& intrinsic : compiler::targets::DotIntrinsics())
      texts[intrinsic->name.c_str()] = loop::Print(intrinsic->description);
    return texts;
  });
  module.def("build", &Build);
}

}  // namespace vta::python
