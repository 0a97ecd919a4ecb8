#include "compiler/llvm/values.h"

namespace vta::compiler::llvm {

using loop::Affine;
using loop::Expr;

BlockFacts::BlockFacts(const loop::Facts& loops, const Expr& where)
    : outside_{loops, {}, {}}, everywhere_{loops, {}, {}} {
  for (const Expr& condition : loop::Conjuncts(where)) {
    if (everywhere_.facts.Proves(condition)) continue;
    guards_.push_back(everywhere_.facts.Simplify(condition));
    everywhere_.facts.Assume(condition);
  }
}

BlockFacts::Context& BlockFacts::Side(Context& context, const Expr& select, bool taken) {
  std::unique_ptr<Context>& side = context.sides[{select.get(), taken}];
  if (!side) {
    side = std::make_unique<Context>(Context{context.facts, {}, {}});
    side->facts.Assume(select->args[0], taken);
  }
  return *side;
}

const Affine& BlockFacts::Form(Context& context, const Expr& expr) {
  const auto [it, fresh] = context.forms.try_emplace(expr.get());
  if (fresh) it->second = context.facts.Form(expr);
  return it->second;
}

const Affine& BlockFacts::Flat(Context& context, const loop::ExprNode* access,
                               const loop::Buffer& buffer, const std::vector<Expr>& indices) {
  const auto [it, fresh] = context.forms.try_emplace(access);
  if (fresh) {
    it->second = context.facts.Form(FlatIndex(buffer, indices));
  }
  return it->second;
}

bool BlockFacts::IsSafe(const Expr& load) {
  const auto [it, fresh] = safe_.try_emplace(load.get(), true);
  if (!fresh) return it->second;
  for (size_t d = 0; d < load->args.size(); ++d) {
    const Affine form = outside_.facts.Form(load->args[d]);
    const Affine room = Affine{{}, load->buffer->shape[d] - 1}.Plus(form, -1);
    it->second &= outside_.facts.ProvesNonNegative(form) && outside_.facts.ProvesNonNegative(room);
  }
  return it->second;
}

bool BlockFacts::AllSafe(const Expr& expr) {
  const auto [it, fresh] = all_safe_.try_emplace(expr.get(), true);
  if (!fresh) return it->second;
  bool safe = expr.op() != loop::Op::kLoad || IsSafe(expr);
  for (const Expr& arg : expr->args) safe = safe && AllSafe(arg);
  return all_safe_[expr.get()] = safe;
}

}  // namespace vta::compiler::llvm
