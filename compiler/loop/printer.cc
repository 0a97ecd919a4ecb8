// Text of the loop IR.
#include <cmath>
#include <cstdio>

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

std::string Constant(const ExprNode& node) {
  if (node.dtype == DType::kBool) return node.int_value ? "true" : "false";
  if (node.dtype != DType::kFloat32) return StrCat(node.int_value, Row(node.dtype).literal);
  if (std::isnan(node.float_value)) return "nanf";
  if (std::isinf(node.float_value)) return node.float_value < 0 ? "-inff" : "inff";
  char text[40];
  std::snprintf(text, sizeof text, "%.9gf", node.float_value);
  return text;
}

std::string List(const std::vector<Expr>& args) {
  std::string out;
  for (const Expr& arg : args) out += StrCat(out.empty() ? "" : ", ", Print(arg));
  return out;
}

/// An operand in parentheses where it binds less tightly than `precedence`.
std::string Operand(const Expr& expr, int precedence) {
  const int own = Row(expr.op()).precedence;
  return own > 0 && own < precedence ? StrCat("(", Print(expr), ")") : Print(expr);
}

std::string Annotations(const std::vector<Annotation>& annotations) {
  if (annotations.empty()) return "";
  std::string out;
  for (const Annotation& a : annotations)
    out += StrCat(out.empty() ? " [" : ", ", a.key, "=", a.value);
  return out + "]";
}

std::string Declaration(const Buffer& buffer) {
  const auto list = [](const std::vector<int64_t>& numbers) {
    std::string out;
    for (int64_t number : numbers) out += StrCat(out.empty() ? "" : ", ", number);
    return StrCat("[", out, "]");
  };
  return StrCat(
      buffer->name, ": ", Name(buffer->dtype), list(buffer->shape),
      buffer->strides.empty() ? "" : StrCat(" strides ", list(buffer->strides)),
      buffer->scope == "global" || buffer->scope.empty() ? "" : StrCat(" @", buffer->scope));
}

std::string Body(const Stmt& body, int indent) {
  return StrCat(" {\n", Print(body, indent + 2), std::string(indent, ' '), "}\n");
}

struct Printer {
  int indent;
  std::string pad = std::string(indent, ' ');

  std::string operator()(const For& loop) const {
    return StrCat(pad, "for ", loop.var->name, " in ", loop.extent,
                  loop.kind == ForKind::kSerial ? "" : StrCat(" ", Name(loop.kind)),
                  Annotations(loop.annotations), Body(loop.body, indent));
  }
  std::string operator()(const Seq& seq) const {
    std::string out;
    for (const Stmt& stmt : seq.stmts) {
      // An allocation reaches to the end of its braces, so one that ends earlier gets its own.
      const bool braces = As<Allocate>(stmt) && stmt != seq.stmts.back();
      out += braces ? StrCat(pad, "scope", Body(stmt, indent)) : Print(stmt, indent);
    }
    return out;
  }
  std::string operator()(const Allocate& alloc) const {
    return StrCat(pad, "alloc ", Declaration(alloc.buffer), "\n", Print(alloc.body, indent));
  }
  std::string operator()(const Store& store) const {
    return StrCat(pad, store.buffer->name, "[", List(store.indices), "] = ", Print(store.value),
                  "\n");
  }
  std::string operator()(const Call& call) const {
    std::string operands;
    for (const Region& region : call.operands)
      operands += StrCat(operands.empty() ? "" : ", ", Print(region));
    return StrCat(pad, "call ", call.intrinsic->name, ".", Name(call.part), "(", operands, ")\n");
  }
  std::string operator()(const Barrier& barrier) const {
    return barrier.pending == 0 ? StrCat(pad, "barrier\n")
                                : StrCat(pad, "barrier pending ", barrier.pending, "\n");
  }
  std::string operator()(const Block& block) const {
    std::string iters;
    for (const Iter& iter : block.iters)
      iters += StrCat(iters.empty() ? "" : ", ", iter.kind == IterKind::kReduce ? "reduce " : "",
                      iter.var->name, ": ", iter.extent, " = ", Print(iter.binding));
    std::string out = StrCat(pad, "block ", block.name, "(", iters, ")");
    if (block.where) out += StrCat(" where ", Print(block.where));
    out += Annotations(block.annotations) + " {\n";
    for (const Stmt& leaf : Leaves(block.init)) out += StrCat(pad, "  init", Print(leaf, 1));
    return StrCat(out, Print(block.body, indent + 2), pad, "}\n");
  }
};

}  // namespace

std::string_view Name(ForKind kind) {
  constexpr std::string_view kNames[] = {"serial",   "unroll",  "vectorize",
                                         "parallel", "vthread", "thread"};
  return kNames[static_cast<size_t>(kind)];
}
std::string_view Name(CallPart part) {
  constexpr std::string_view kNames[] = {"compute", "reset", "update"};
  return kNames[static_cast<size_t>(part)];
}

Stmt MakeSeq(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  for (Stmt& stmt : stmts) {
    if (const Seq* seq = As<Seq>(stmt)) {
      flat.insert(flat.end(), seq->stmts.begin(), seq->stmts.end());
    } else {
      flat.push_back(std::move(stmt));
    }
  }
  return flat.size() == 1 ? flat[0] : MakeStmt(Seq{std::move(flat)});
}

std::vector<Stmt> Leaves(const Stmt& body) {
  if (const Seq* seq = As<Seq>(body)) return seq->stmts;
  return body ? std::vector{body} : std::vector<Stmt>();
}

std::string Print(const Expr& expr) {
  const OpRow& row = Row(expr.op());
  switch (expr.op()) {
    case Op::kConst:
      return Constant(*expr.get());
    case Op::kVar:
      return expr->var->name;
    case Op::kLoad:
      return StrCat(expr->buffer->name, "[", List(expr->args), "]");
    case Op::kCast:
      return StrCat(Name(expr.dtype()), "(", Print(expr->args[0]), ")");
    default:
      break;
  }
  if (row.precedence == 0) return StrCat(row.name, "(", List(expr->args), ")");
  return StrCat(Operand(expr->args[0], row.precedence), " ", row.name, " ",
                Operand(expr->args[1], row.precedence + 1));
}

std::string Print(const Region& region) {
  if (!region.buffer) return Print(region.immediate);
  std::string out;
  for (const Range& range : region.ranges)
    out += StrCat(out.empty() ? "" : ", ", Print(range.base),
                  range.extent ? StrCat(" : ", range.extent) : "");
  return StrCat(region.buffer->name, "[", out, "]");
}

std::string Print(const Stmt& stmt, int indent) { return std::visit(Printer{indent}, stmt->value); }

std::string Print(const Function& function) {
  std::string params;
  for (const Buffer& param : function.params)
    params += StrCat(params.empty() ? "" : ",", "\n    ", Declaration(param));
  return StrCat("func ", function.name, "(", params, ")", Body(function.body, 0));
}

std::string OneLine(const Stmt& stmt) {
  std::string out;
  for (char c : Print(stmt)) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace vta::compiler::loop
