#include "compiler/loop/expr.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/loop/arith.h"
#include "compiler/loop/ir.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

Expr Make(ExprNode node) { return Expr(std::make_shared<const ExprNode>(std::move(node))); }

[[noreturn]] void Refuse(Op op, const std::vector<Expr>& args, std::string rule) {
  std::string types;
  for (const Expr& arg : args) types += StrCat(types.empty() ? "" : ", ", Name(arg.dtype()));
  throw Error("", StrCat("operation ", Row(op).name), types, std::move(rule));
}

DType ResultType(Op op, const std::vector<Expr>& args) {
  const OpRow& row = Row(op);
  if (static_cast<int>(args.size()) != row.arity)
    Refuse(op, args, StrCat("takes ", row.arity, " operands"));
  const DType first = args[0].dtype();
  auto all = [&](DType dtype, size_t from = 0) {
    return std::all_of(args.begin() + from, args.end(),
                       [&](const Expr& arg) { return arg.dtype() == dtype; });
  };
  switch (row.type) {
    case OpType::kSpecial:  // select
      if (first != DType::kBool || !all(args[1].dtype(), 1))
        Refuse(op, args, "takes a bool and two operands of one type");
      return args[1].dtype();
    case OpType::kArithmetic:
      if (!all(first) || first == DType::kBool)
        Refuse(op, args, "takes operands of one numeric type");
      return first;
    case OpType::kInteger:
      if (!all(first) || !Row(first).integer)
        Refuse(op, args, "takes operands of one integer type");
      return first;
    case OpType::kFloat:
      if (!all(DType::kFloat32)) Refuse(op, args, "takes float32");
      return DType::kFloat32;
    case OpType::kCompare:
      if (!all(first)) Refuse(op, args, "takes operands of one type");
      return DType::kBool;
    case OpType::kLogic:
      if (!all(DType::kBool)) Refuse(op, args, "takes bool");
      return DType::kBool;
    case OpType::kInt32:
    case OpType::kInt32Wide:
      if (!all(DType::kInt32)) Refuse(op, args, "takes int32");
      return row.type == OpType::kInt32 ? DType::kInt32 : DType::kInt64;
    case OpType::kInt16Float:
      if (!all(DType::kInt16)) Refuse(op, args, "takes int16");
      return DType::kFloat32;
    case OpType::kFloatInt16:
      if (!all(DType::kFloat32)) Refuse(op, args, "takes float32");
      return DType::kInt16;
  }
  return first;
}

/// int64 and bool expressions with constant operands, and the neutral and absorbing constants.
Expr Fold(Op op, const std::vector<Expr>& args) {
  const Expr& a = args[0];
  if (op == Op::kSelect) return a.op() == Op::kConst ? (a.IsConst(1) ? args[1] : args[2]) : Expr();
  if (op == Op::kNot) return a.op() == Op::kConst ? BoolConst(a.IsConst(0)) : Expr();
  if (args.size() != 2 || (a.dtype() != DType::kInt64 && a.dtype() != DType::kBool)) return Expr();
  const Expr& b = args[1];
  if (a.IsIntConst() && b.IsIntConst()) {
    const int64_t x = a->int_value, y = b->int_value;
    switch (op) {
      case Op::kEq:
        return BoolConst(x == y);
      case Op::kNe:
        return BoolConst(x != y);
      case Op::kLt:
        return BoolConst(x < y);
      case Op::kLe:
        return BoolConst(x <= y);
      case Op::kAnd:
        return BoolConst(x && y);
      case Op::kOr:
        return BoolConst(x || y);
      default:
        return Row(op).precedence || op == Op::kMin || op == Op::kMax
                   ? IntConst(DType::kInt64, FoldInt64(op, x, y))
                   : Expr();
    }
  }
  switch (op) {
    case Op::kAdd:
      return a.IsConst(0) ? b : b.IsConst(0) ? a : Expr();
    case Op::kSub:
      return b.IsConst(0) ? a : Expr();
    case Op::kMul:
      if (a.IsConst(0) || b.IsConst(0)) return Expr(0);
      return a.IsConst(1) ? b : b.IsConst(1) ? a : Expr();
    case Op::kFloorDiv:
      return b.IsConst(1) ? a : Expr();
    case Op::kFloorMod:
      return b.IsConst(1) ? Expr(0) : Expr();
    case Op::kAnd:
      if (a.IsConst(0) || b.IsConst(0)) return BoolConst(false);
      return a.IsConst(1) ? b : b.IsConst(1) ? a : Expr();
    case Op::kOr:
      if (a.IsConst(1) || b.IsConst(1)) return BoolConst(true);
      return a.IsConst(0) ? b : b.IsConst(0) ? a : Expr();
    default:
      return Expr();
  }
}

}  // namespace

Expr::Expr(int64_t value) : Expr(IntConst(DType::kInt64, value)) {}
Expr::Expr(const Var& var) : Expr(Make({.op = Op::kVar, .dtype = DType::kInt64, .var = var})) {}
bool Expr::IsIntConst() const { return op() == Op::kConst && dtype() != DType::kFloat32; }
bool Expr::IsConst(int64_t value) const { return IsIntConst() && node_->int_value == value; }

Expr IntConst(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      value = value != 0;
      break;
    case DType::kInt8:
      value = static_cast<int8_t>(value);
      break;
    case DType::kUint8:
      value = static_cast<uint8_t>(value);
      break;
    case DType::kInt16:
      value = static_cast<int16_t>(value);
      break;
    case DType::kInt32:
      value = static_cast<int32_t>(value);
      break;
    case DType::kFloat32:
      return FloatConst(static_cast<double>(value));
    case DType::kInt64:
      break;
  }
  return Make({.op = Op::kConst, .dtype = dtype, .int_value = value});
}
Expr FloatConst(double value) {
  return Make({.op = Op::kConst,
               .dtype = DType::kFloat32,
               .float_value = static_cast<double>(static_cast<float>(value))});
}
Expr BoolConst(bool value) { return IntConst(DType::kBool, value); }
Expr ConstOf(DType dtype, double value) {
  return dtype == DType::kFloat32 ? FloatConst(value)
                                  : IntConst(dtype, static_cast<int64_t>(value));
}
Expr LeastOf(DType dtype) {
  if (dtype == DType::kFloat32) return FloatConst(-std::numeric_limits<double>::infinity());
  return IntConst(dtype, Row(dtype).low);
}
Expr GreatestOf(DType dtype) {
  if (dtype == DType::kFloat32) return FloatConst(std::numeric_limits<double>::infinity());
  return IntConst(dtype, Row(dtype).high);
}

Expr Load(const Buffer& buffer, std::vector<Expr> indices) {
  return Make(
      {.op = Op::kLoad, .dtype = buffer->dtype, .buffer = buffer, .args = std::move(indices)});
}
Expr Cast(DType dtype, const Expr& value) {
  if (value.dtype() == dtype) return value;
  if (value.IsIntConst()) return IntConst(dtype, value->int_value);
  return Make({.op = Op::kCast, .dtype = dtype, .args = {value}});
}
Expr Select(const Expr& condition, const Expr& a, const Expr& b) {
  return Apply(Op::kSelect, {condition, a, b});
}

Expr ApplyExactly(Op op, std::vector<Expr> args) {
  const DType dtype = ResultType(op, args);
  return Make({.op = op, .dtype = dtype, .args = std::move(args)});
}

Expr Apply(Op op, std::vector<Expr> args) {
  if (args.size() >= 2) {
    Expr &a = args[args.size() - 2], &b = args[args.size() - 1];
    auto literal = [](const Expr& e) { return e.op() == Op::kConst && e.dtype() == DType::kInt64; };
    if (a.dtype() != b.dtype() && literal(a)) a = IntConst(b.dtype(), a->int_value);
    if (a.dtype() != b.dtype() && literal(b)) b = IntConst(a.dtype(), b->int_value);
  }
  Expr exact = ApplyExactly(op, args);
  Expr folded = Fold(op, args);
  return folded ? folded : exact;
}

Expr operator+(const Expr& a, const Expr& b) { return Apply(Op::kAdd, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return Apply(Op::kSub, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return Apply(Op::kMul, {a, b}); }
Expr operator/(const Expr& a, const Expr& b) { return Apply(Op::kDiv, {a, b}); }
Expr operator-(const Expr& a) { return Apply(Op::kSub, {IntConst(a.dtype(), 0), a}); }
Expr FloorDiv(const Expr& a, const Expr& b) { return Apply(Op::kFloorDiv, {a, b}); }
Expr FloorMod(const Expr& a, const Expr& b) { return Apply(Op::kFloorMod, {a, b}); }
Expr Min(const Expr& a, const Expr& b) { return Apply(Op::kMin, {a, b}); }
Expr Max(const Expr& a, const Expr& b) { return Apply(Op::kMax, {a, b}); }
Expr Eq(const Expr& a, const Expr& b) { return Apply(Op::kEq, {a, b}); }
Expr Ne(const Expr& a, const Expr& b) { return Apply(Op::kNe, {a, b}); }
Expr operator<(const Expr& a, const Expr& b) { return Apply(Op::kLt, {a, b}); }
Expr operator<=(const Expr& a, const Expr& b) { return Apply(Op::kLe, {a, b}); }
Expr operator>(const Expr& a, const Expr& b) { return Apply(Op::kLt, {b, a}); }
Expr operator>=(const Expr& a, const Expr& b) { return Apply(Op::kLe, {b, a}); }
Expr operator&&(const Expr& a, const Expr& b) { return Apply(Op::kAnd, {a, b}); }
Expr operator||(const Expr& a, const Expr& b) { return Apply(Op::kOr, {a, b}); }
Expr Not(const Expr& a) { return Apply(Op::kNot, {a}); }

bool Same(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  if (!a || !b) return false;
  if (a->op != b->op || a->dtype != b->dtype || a->int_value != b->int_value || a->var != b->var ||
      a->buffer != b->buffer || a->args.size() != b->args.size() ||
      (a->float_value != b->float_value &&
       !(std::isnan(a->float_value) && std::isnan(b->float_value))))
    return false;
  return std::equal(a->args.begin(), a->args.end(), b->args.begin(), Same);
}

void Visit(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  if (!expr) return;
  visit(expr);
  for (const Expr& arg : expr->args) Visit(arg, visit);
}

Expr Rewrite(const Expr& expr, const std::function<Expr(const Expr&)>& rewrite) {
  if (!expr) return expr;
  std::vector<Expr> args;
  args.reserve(expr->args.size());
  bool changed = false;
  for (const Expr& arg : expr->args) {
    args.push_back(Rewrite(arg, rewrite));
    changed |= args.back().get() != arg.get();
  }
  Expr rebuilt = expr;
  if (changed) {
    if (expr.op() == Op::kLoad) {
      rebuilt = Load(expr->buffer, std::move(args));
    } else if (expr.op() == Op::kCast) {
      rebuilt = Cast(expr.dtype(), args[0]);
    } else {
      rebuilt = Apply(expr.op(), std::move(args));
    }
  }
  Expr replaced = rewrite(rebuilt);
  return replaced ? replaced : rebuilt;
}

Expr Substitute(const Expr& expr, const VarMap& map) {
  if (map.empty()) return expr;
  return Rewrite(expr, [&](const Expr& e) -> Expr {
    if (e.op() != Op::kVar) return Expr();
    for (const auto& [var, value] : map)
      if (var == e->var) return value;
    return Expr();
  });
}

bool Uses(const Expr& expr, const Var& var) {
  bool found = false;
  Visit(expr, [&](const Expr& e) { found |= e.op() == Op::kVar && e->var == var; });
  return found;
}

}  // namespace vta::compiler::loop
