// Expressions of the loop IR: immutable shared nodes, built with C++ operators.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/loop/types.h"

namespace vta::compiler::te {
struct Definition;
}

namespace vta::compiler::loop {

/// A loop variable or block iterator; always int64. Two variables are the same when they are the
/// same node.
struct VarNode {
  std::string name;
};
using Var = std::shared_ptr<const VarNode>;
inline Var MakeVar(std::string name) { return std::make_shared<VarNode>(VarNode{std::move(name)}); }

/// An array. `strides`: in each dimension, how many elements lie from one to the next; empty where
/// it is dense and row-major. `scope` says where it lives: "global" (memory), "local", or a
/// scratchpad of a target. Two buffers are the same when they are the same node; names are unique
/// inside a function.
struct BufferNode {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::string scope = "global";
  std::vector<int64_t> strides = {};
  /// What defines the tensor that the buffer stands for, while tensor expressions are built; empty
  /// in a function.
  std::shared_ptr<const te::Definition> definition = nullptr;

  /// Elements from one to the next of a dimension.
  int64_t Stride(size_t dim) const;
  /// Elements from the first to the last of all, with what lies between them.
  int64_t SizeElems() const;
};
using Buffer = std::shared_ptr<const BufferNode>;
Buffer MakeBuffer(std::string name, DType dtype, std::vector<int64_t> shape,
                  std::string scope = "global", std::vector<int64_t> strides = {});
/// What is wrong with strides for a shape: no two elements may share a place, and all must lie
/// within 2^40 elements. Or "".
std::string WhyNotStrides(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides);

struct ExprNode;

/// A handle of an immutable expression; empty when default-constructed.
class Expr {
 public:
  Expr() = default;
  Expr(bool) = delete;
  Expr(int value) : Expr(static_cast<int64_t>(value)) {}
  Expr(int64_t value);
  Expr(const Var& var);
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode* operator->() const { return node_.get(); }
  const ExprNode* get() const { return node_.get(); }
  DType dtype() const;
  Op op() const;
  /// True for an integer or bool constant of this value.
  bool IsConst(int64_t value) const;
  bool IsIntConst() const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
  Op op;
  DType dtype;
  int64_t int_value = 0;   // kConst of an integer type or bool
  double float_value = 0;  // kConst of float32
  Var var;                 // kVar
  Buffer buffer;           // kLoad
  std::vector<Expr> args;  // operands; the indices of a kLoad
};

inline DType Expr::dtype() const { return node_->dtype; }
inline Op Expr::op() const { return node_->op; }

/// Constants. IntConst wraps the value into the type.
Expr IntConst(DType dtype, int64_t value);
Expr FloatConst(double value);
Expr BoolConst(bool value);
/// A constant of any type, and the least and greatest value of a type (infinities of float32).
Expr ConstOf(DType dtype, double value);
Expr LeastOf(DType dtype);
Expr GreatestOf(DType dtype);

/// Where an element lies in its buffer, in elements from the first.
Expr FlatIndex(const Buffer& buffer, const std::vector<Expr>& indices);

Expr Load(const Buffer& buffer, std::vector<Expr> indices);
/// Of an integer constant: the constant in that type.
Expr Cast(DType dtype, const Expr& value);
Expr Select(const Expr& condition, const Expr& a, const Expr& b);

/// Applies an operation after checking the operand types; index arithmetic (int64) and logic on
/// constants fold. An int64 constant beside an operand of another type takes that type. Errors:
/// throws Error if the operands do not fit the operation.
Expr Apply(Op op, std::vector<Expr> args);
/// The same without folding or conversion (for the parser).
Expr ApplyExactly(Op op, std::vector<Expr> args);

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);  // float
Expr operator-(const Expr& a);
Expr FloorDiv(const Expr& a, const Expr& b);
Expr FloorMod(const Expr& a, const Expr& b);
Expr Min(const Expr& a, const Expr& b);
Expr Max(const Expr& a, const Expr& b);
Expr Eq(const Expr& a, const Expr& b);
Expr Ne(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);
Expr operator||(const Expr& a, const Expr& b);
/// Named, since !expr asks whether the handle is empty.
Expr Not(const Expr& a);

/// Same structure, same variables, same buffers.
bool Same(const Expr& a, const Expr& b);

/// Calls `visit` on every node, parents first.
void Visit(const Expr& expr, const std::function<void(const Expr&)>& visit);
/// Rebuilds bottom-up: `rewrite` gets each node with rebuilt operands and returns its replacement
/// (empty = keep).
Expr Rewrite(const Expr& expr, const std::function<Expr(const Expr&)>& rewrite);
using VarMap = std::vector<std::pair<Var, Expr>>;
Expr Substitute(const Expr& expr, const VarMap& map);
bool Uses(const Expr& expr, const Var& var);

}  // namespace vta::compiler::loop
