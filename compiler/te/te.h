// Tensor expressions: what is computed. Tensors are defined element by element and lowered to a
// plain loop nest.
//   Tensor a = Placeholder("a", {16, 32}), b = Placeholder("b", {8, 32});
//   ReduceAxis k("k", 32);
//   Tensor c = Compute("c", {{"i", 16}, {"j", 8}}, [&](Expr i, Expr j) {
//     return ReduceSum(Cast(DType::kInt32, a(i, k)) * Cast(DType::kInt32, b(j, k)), {k});
//   });
//   loop::Function f = Lower("dense", {a, b, c});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::te {

using loop::DType;
using loop::Expr;

/// A named extent; a bare number gets the name i0, i1, ...
struct Axis {
  Axis(int extent) : Axis("", extent) {}
  Axis(int64_t extent) : Axis("", extent) {}
  Axis(std::string name, int64_t extent) : name(std::move(name)), extent(extent) {}
  std::string name;
  int64_t extent;
};

/// An axis that a reduction runs over. Used as an index, it is its variable.
class ReduceAxis {
 public:
  ReduceAxis(std::string name, int64_t extent)
      : name_(name), var_(loop::MakeVar("v" + name)), extent_(extent) {}
  operator Expr() const { return Expr(var_); }
  Expr expr() const { return Expr(var_); }
  const std::string& name() const { return name_; }
  const loop::Var& var() const { return var_; }
  int64_t extent() const { return extent_; }

 private:
  std::string name_;
  loop::Var var_;
  int64_t extent_;
};

/// A reduction of `value` over axes; only as the whole result of a compute.
struct Reduction {
  loop::Op op;  // kAdd, kMax or kMin
  Expr value;
  std::vector<ReduceAxis> axes;
  std::optional<Expr> start = {};  // without it, what changes no result
};
Reduction ReduceSum(const Expr& value, std::vector<ReduceAxis> axes);
Reduction ReduceMax(const Expr& value, std::vector<ReduceAxis> axes);
Reduction ReduceMin(const Expr& value, std::vector<ReduceAxis> axes);
/// The same from `start` on, which does not depend on the axes.
Reduction From(const Expr& start, Reduction reduction);

/// A handle of a tensor. a(i, j) is an element of it.
class Tensor {
 public:
  template <typename... Index>
  Expr operator()(const Index&... index) const {
    return At(std::vector<Expr>{static_cast<Expr>(index)...});
  }
  /// Errors: throws Error if there are not as many indices as dimensions.
  Expr At(std::vector<Expr> indices) const;
  const std::string& name() const { return buffer_->name; }
  const std::vector<int64_t>& shape() const { return buffer_->shape; }
  DType dtype() const { return buffer_->dtype; }
  const loop::Buffer& buffer() const { return buffer_; }

  /// What an element is, in place of a load of it.
  using Element = std::function<Expr(const std::vector<Expr>&)>;
  bool IsView() const { return element_ != nullptr; }
  explicit Tensor(loop::Buffer buffer, Element element = {})
      : buffer_(std::move(buffer)), element_(std::move(element)) {}

 private:
  loop::Buffer buffer_;  // of a view: only its name, type and shape
  Element element_;
};

/// An input.
Tensor Placeholder(std::string name, std::vector<int64_t> shape, DType dtype = DType::kInt8,
                   std::string scope = "global");

/// A tensor that lies nowhere: who reads an element computes it. Not to be lowered itself.
Tensor View(std::string name, std::vector<int64_t> shape, DType dtype, Tensor::Element element);
/// The same of a tensor that is computed without a reduction.
Tensor Inlined(const Tensor& tensor);
/// Whether Inlined takes it: a view is inlined already.
bool IsElementwise(const Tensor& tensor);

using Value = std::variant<Expr, Reduction>;
/// A tensor whose element at `indices` is define(indices).
Tensor Define(std::string name, const std::vector<Axis>& axes,
              const std::function<Value(const std::vector<Expr>&)>& define,
              std::string scope = "global");

namespace internal {
template <typename F, size_t... I>
Value Spread(const F& f, const std::vector<Expr>& x, std::index_sequence<I...>) {
  return f(x[I]...);
}
[[noreturn]] void WrongArity(const std::string& name, size_t axes, size_t takes);
template <typename F, size_t N>
concept TakesN = []<size_t... I>(std::index_sequence<I...>) {
  return std::is_invocable_v<F, decltype((void)I, std::declval<Expr>())...>;
}
(std::make_index_sequence<N>());
template <size_t N, typename F>
Value CallWith(const std::string& name, const F& f, const std::vector<Expr>& x) {
  static_assert(
      N <= 8, "the function must take the indices as up to 8 Expr, or as const std::vector<Expr>&");
  if constexpr (TakesN<F, N>) {
    if (x.size() != N) WrongArity(name, x.size(), N);
    return Spread(f, x, std::make_index_sequence<N>());
  } else {
    return CallWith<N + 1>(name, f, x);
  }
}
}  // namespace internal

/// Define with a function that takes one Expr an axis, or all of them as a vector.
template <typename F>
Tensor Compute(const std::string& name, const std::vector<Axis>& axes, const F& f,
               std::string scope = "global") {
  return Define(
      name, axes,
      [&](const std::vector<Expr>& x) -> Value {
        if constexpr (std::is_invocable_v<F, const std::vector<Expr>&>) {
          return f(x);
        } else {
          return internal::CallWith<0>(name, f, x);
        }
      },
      std::move(scope));
}

/// `input` with `before[d]` and `after[d]` elements of `value` around dimension d.
Tensor Pad(std::string name, const Tensor& input, const std::vector<int64_t>& before,
           const std::vector<int64_t>& after, const Expr& value);

/// The loop nests that compute the tensors which are not placeholders; those that are not listed
/// become local. Errors: throws Error if a placeholder that is used is not listed, a name occurs
/// twice, or there are more tensors than a text may have.
loop::Function Lower(const std::string& name, const std::vector<Tensor>& params);

}  // namespace vta::compiler::te
