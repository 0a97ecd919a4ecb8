// read_at: what the iterations inside a loop read of a buffer is read first, all of it, into a
// buffer of the loop's; so that no read waits for what another iteration makes of its own.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "compiler/loop/schedule/slots.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// The loads of a buffer that an expression makes in any case, each once: none on a side of a
/// select, and none where another load says.
void Collect(const Expr& expr, const Buffer& buffer, std::vector<Expr>& loads) {
  if (expr.op() == Op::kSelect) return Collect(expr->args[0], buffer, loads);
  for (const Expr& arg : expr->args) Collect(arg, buffer, loads);
  if (expr.op() == Op::kLoad && expr->buffer == buffer &&
      std::ranges::none_of(expr->args, HasLoad) &&
      std::ranges::none_of(loads, [&](const Expr& other) { return Same(expr, other); }))
    loads.push_back(expr);
}

bool IsInside(const Expr& load, const Facts& facts) {
  for (size_t d = 0; d < load->args.size(); ++d) {
    const Interval bounds = facts.Bounds(load->args[d]);
    if (bounds.low < 0 || bounds.high >= load->buffer->shape[d]) return false;
  }
  return true;
}

/// What an iterator is where it has no more elements: one that it has, of a vector of the innermost
/// loop's the same place in the last one.
Expr Clamped(const Site& site, const Iter& iter, const Facts& facts) {
  const Interval bounds = facts.Bounds(iter.binding);
  if (bounds.low >= 0 && bounds.high < iter.extent) return iter.binding;
  const For& innermost = *As<For>(site.loops.back());
  const Affine form = facts.Form(iter.binding);
  const auto whole = [&](int64_t number) { return number % innermost.extent == 0; };
  bool lanes = form.Coef(innermost.var) == 1 && whole(iter.extent) && whole(form.constant);
  for (const Affine::Term& term : form.terms)
    lanes = lanes && (Same(term.atom, innermost.var) || whole(term.coef));
  if (!lanes) return Max(Min(iter.binding, Expr(iter.extent - 1)), Expr(0));
  const Expr vector = FloorDiv(iter.binding - innermost.var, innermost.extent);
  return Max(Min(vector, Expr(iter.extent / innermost.extent - 1)), Expr(0)) * innermost.extent +
         innermost.var;
}

}  // namespace

std::vector<std::string> ReadAt(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Buffer buffer = FindBuffer(a.function, a.args[1]);
  const size_t at = FindLoop(site, a.args[2]);
  const std::string& scope = a.args[3];
  RequireScopeName(scope);
  const Stmt stmt = site.loops[at];
  for (size_t i = 0; i <= at; ++i)
    if (const For& loop = *As<For>(site.loops[i]); loop.kind == ForKind::kVectorize)
      throw Error("", "loop", loop.var->name,
                  "is vectorised: its lanes have no buffers of their own");
  for (const Site& other : Sites(stmt))
    if (Writes(*other.block, buffer))
      throw Error("", "buffer", buffer->name,
                  StrCat("block ", other.block->name, " writes it in that loop"));
  std::vector<Expr> loads;
  VisitStmts(site.stmt, [&](const Stmt& part) {
    if (const Store* const store = As<Store>(part)) Collect(store->value, buffer, loads);
  });
  if (loads.empty())
    throw Error("", "buffer", buffer->name,
                StrCat("must be read by block ", a.args[0],
                       ", not on a side of a select, nor where another load says"));
  const Facts facts = FactsOf(site.loops);
  VarMap clamped;
  for (const Iter& iter : site.block->iters)
    clamped.emplace_back(iter.var, Clamped(site, iter, facts));
  NameSet names(a.function);
  std::vector<std::string> made;
  std::vector<Stmt> items;
  std::vector<Buffer> copies;
  Stmt reader = site.stmt;
  for (const Expr& load : loads) {
    const Expr bound = facts.Simplify(Substitute(load, clamped));
    if (!IsInside(bound, facts))
      throw Error(
          "", "buffer", buffer->name,
          StrCat("is read where only a guard of block ", a.args[0], " says that it may be"));
    Block block;
    VarMap iterators;  // of the reader's loops
    std::vector<int64_t> shape;
    std::vector<Expr> of_block, of_reader;
    for (size_t i = at + 1; i < site.loops.size(); ++i) {
      const For& loop = *As<For>(site.loops[i]);
      if (!Uses(bound, loop.var)) continue;
      const Var var = MakeVar(loop.var->name), iter = MakeVar("v" + loop.var->name);
      block.iters.push_back({iter, loop.extent, IterKind::kSpatial, var});
      iterators.emplace_back(loop.var, iter);
      shape.push_back(loop.extent);
      of_block.emplace_back(iter);
      of_reader.emplace_back(loop.var);
    }
    if (shape.empty()) shape.push_back(1), of_block.emplace_back(0), of_reader.emplace_back(0);
    block.name = names.Fresh(buffer->name + "_" + scope);
    made.push_back(block.name);
    copies.push_back(MakeBuffer(block.name, buffer->dtype, shape, scope));
    block.body = MakeStmt(Store{copies.back(), of_block, Substitute(bound, iterators)});
    const std::vector<Iter> iters = block.iters;
    Stmt nest = MakeStmt(std::move(block));
    for (auto iter = iters.rbegin(); iter != iters.rend(); ++iter)
      nest = MakeStmt(For{iter->binding->var, iter->extent, ForKind::kSerial, {}, std::move(nest)});
    items.push_back(std::move(nest));
    reader = RewriteExprs(reader, [&](const Expr& expr) {
      return Same(expr, load) ? Load(copies.back(), of_reader) : Expr();
    });
  }
  For around = *As<For>(stmt);
  items.push_back(ReplaceIn(around.body, site.stmt, reader));
  around.body = MakeSeq(std::move(items));
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy)
    around.body = MakeStmt(Allocate{*copy, around.body});
  a.function = Simplified(ReplaceStmt(a.function, stmt, MakeStmt(std::move(around))));
  a.function.body = HoistSlots(a.function.body);
  return made;
}

}  // namespace vta::compiler::loop
