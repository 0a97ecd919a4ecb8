#include "compiler/lower/block_facts.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::Affine;
using loop::As;
using loop::Expr;
using loop::Stmt;

namespace {

/// The value is the element that is written + a product of floats.
bool IsSumOfProducts(const loop::Store& store, Expr* sum, Expr* left, Expr* right) {
  const Expr& value = store.value;
  if (value.op() != loop::Op::kAdd || value.dtype() != loop::DType::kFloat32) return false;
  for (const int i : {0, 1}) {
    const Expr &old = value->args[i], &product = value->args[1 - i];
    if (old.op() != loop::Op::kLoad || old->buffer != store.buffer ||
        product.op() != loop::Op::kMul ||
        !std::equal(old->args.begin(), old->args.end(), store.indices.begin(), store.indices.end(),
                    loop::Same))
      continue;
    *sum = old;
    *left = product->args[0];
    *right = product->args[1];
    return true;
  }
  return false;
}

const loop::Store& StoreOf(const loop::Block& block, const Stmt& leaf) {
  const loop::Store* store = As<loop::Store>(leaf);
  if (!store)
    throw Error(StrCat("block ", block.name), "statement", leaf ? OneLine(leaf) : "",
                "must be a store or a call");
  return *store;
}

}  // namespace

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

loop::Affine WithoutThreads(const loop::Affine& index,
                            const std::set<const loop::VarNode*>& threads) {
  Affine part{{}, index.constant};
  for (const Affine::Term& term : index.terms)
    if (term.atom.op() != loop::Op::kVar || !threads.contains(term.atom->var.get()))
      part.terms.push_back(term);
  return part;
}

PreparedBlock Prepare(const loop::Block& block, const std::vector<Stmt>& loops) {
  PreparedBlock p{.facts = BlockFacts(loop::FactsOf(loops), block.where)};
  const loop::Facts& facts = p.facts.everywhere().facts;
  const loop::VarMap bindings = Bindings(block);
  const auto assignments = [&](const Stmt& part) {
    std::vector<Assignment> out;
    for (const Stmt& leaf : Leaves(Substitute(part, bindings))) {
      const loop::Store& store = StoreOf(block, leaf);
      out.push_back({store, facts.Form(FlatIndex(store.buffer, store.indices))});
    }
    return out;
  };
  p.body = assignments(block.body);
  for (Assignment& one : p.body)
    one.contract = IsSumOfProducts(one.store, &one.sum, &one.left, &one.right);
  if (!block.init) return p;
  for (const loop::Iter& iter : block.iters)
    if (iter.kind == loop::IterKind::kReduce) p.reduce.push_back(facts.Form(iter.binding));
  p.init = assignments(block.init);
  return p;
}

}  // namespace vta::compiler::lower
