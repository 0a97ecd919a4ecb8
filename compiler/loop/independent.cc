#include "compiler/loop/independent.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/loop/analysis.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// An index as coef * var + inner + outer + a multiple of `modulus`: `inner`, bounded, and the
/// multiple are what changes inside an iteration.
struct Split {
  int64_t coef = 0;
  int64_t modulus = 0;  // 0: there is no multiple
  Interval inner;
  Affine outer;
};

std::optional<Split> SplitIndex(const Expr& index, int64_t extent, const For& loop,
                                const std::vector<Var>& inside, const Facts& facts) {
  const Var& var = loop.var;
  Split split;
  Affine inner;
  const Affine form = facts.Form(index);
  inner.constant = form.constant;
  for (const Affine::Term& term : form.terms) {
    if (term.atom.op() == Op::kVar && term.atom->var == var) {
      split.coef = term.coef;
      continue;
    }
    if (HasLoad(term.atom) || Uses(term.atom, var)) return {};
    const bool moves =
        std::any_of(inside.begin(), inside.end(), [&](const Var& v) { return Uses(term.atom, v); });
    (moves ? inner : split.outer).terms.push_back(term);
  }
  // Steps over all iterations leave them where they are to each other.
  int64_t all = 0;
  if (__builtin_mul_overflow(split.coef, loop.extent, &all) || all == INT64_MIN) return {};
  std::erase_if(inner.terms, [&](const Affine::Term& term) {
    const bool steps = term.coef != INT64_MIN && std::abs(term.coef) >= std::abs(all);
    if (steps) split.modulus = std::gcd(split.modulus, term.coef);
    return steps;
  });
  split.inner = facts.Bounds(inner);
  if (split.coef == 0 || !split.inner.Known()) return {};
  split.inner.high += extent - 1;
  return split;
}

struct Placed {
  Access access;
  Facts facts;
  std::vector<Interval> hull;
};

/// Where the blocks use the buffer, in terms of the loops.
std::vector<Placed> UsesOf(const Buffer& buffer, const std::vector<Site>& sites,
                           const std::vector<Stmt>& outside) {
  std::vector<Placed> out;
  for (const Site& site : sites) {
    std::vector<Stmt> loops = outside;
    loops.insert(loops.end(), site.loops.begin(), site.loops.end());
    Facts facts = FactsOf(loops);
    facts.Assume(site.block->where);
    const VarMap bindings = Bindings(*site.block);
    for (Access& access : Accesses(*site.block)) {
      if (access.buffer != buffer) continue;
      std::vector<Interval> hull = Bounds(*site.block, access, facts);
      for (Range& range : access.ranges) range.base = Substitute(range.base, bindings);
      out.push_back({std::move(access), facts, std::move(hull)});
    }
  }
  return out;
}

/// A number of an element, as a sum of its indices times these.
using Weights = std::vector<int64_t>;

/// Numbers of elements by which iterations may be told apart: an index, the place in the buffer,
/// however far elements lie from each other, and what has a quotient and a remainder of it for two
/// indices, as after fuse.
std::vector<Weights> NumbersOf(const Placed& one) {
  const std::vector<int64_t>& shape = one.access.buffer->shape;
  const size_t rank = shape.size();
  std::vector<Weights> numbers;
  Weights place(rank, 1);
  for (size_t d = rank; d-- > 1;) place[d - 1] = FoldInt64(Op::kMul, place[d], shape[d]);
  for (size_t d = 0; d < rank; ++d) {
    numbers.emplace_back(rank, 0);
    numbers.back()[d] = 1;
  }
  numbers.push_back(place);
  std::vector<Affine> forms;
  for (const Range& range : one.access.ranges) forms.push_back(one.facts.Form(range.base));
  for (size_t d = 0; d < rank; ++d)
    for (const Affine::Term& quotient : forms[d].terms) {
      if (quotient.atom.op() != Op::kFloorDiv || quotient.coef != 1) continue;
      const auto& args = quotient.atom->args;
      for (size_t e = 0; e < rank; ++e) {
        const int64_t rest = forms[e].Coef(FloorMod(args[0], args[1]));
        if (e == d || rest == 0 || !args[1].IsIntConst()) continue;
        numbers.emplace_back(rank, 0);
        numbers.back()[d] = FoldInt64(Op::kMul, rest, args[1]->int_value);
        numbers.back()[e] = 1;
      }
    }
  return numbers;
}

/// The number of the first element of an access, and of how many that follow each other; absent
/// where they do not.
std::optional<std::pair<Expr, int64_t>> NumberOf(const Access& access, const Weights& weights) {
  Expr number(0);
  int64_t used = 0, extent = 1;
  for (size_t d = 0; d < weights.size(); ++d) {
    if (weights[d] == 0) continue;
    const Range& range = access.ranges[d];
    number = number + range.base * weights[d];
    extent = std::max(extent, range.extent);
    ++used;
  }
  if (used > 1 && extent > 1) return {};
  return std::pair{number, std::max<int64_t>(extent, 1)};
}

/// Whether iterations cannot meet in an element with the same number.
bool Separates(const std::vector<Placed>& all, const Weights& weights, const For& loop,
               const std::vector<Var>& inside) {
  std::optional<Split> first;
  Interval span;
  int64_t modulus = 0;
  for (const Placed& one : all) {
    const auto number = NumberOf(one.access, weights);
    if (!number) return false;
    const std::optional<Split> split =
        SplitIndex(number->first, number->second, loop, inside, one.facts);
    if (!split) return false;
    modulus = std::gcd(modulus, split->modulus);
    if (!first) {
      first = split;
      span = split->inner;
      continue;
    }
    if (split->coef != first->coef || !split->outer.Plus(first->outer, -1).IsConstant() ||
        split->outer.Plus(first->outer, -1).constant != 0)
      return false;
    span = {std::min(span.low, split->inner.low), std::max(span.high, split->inner.high)};
  }
  if (!first || std::abs(first->coef) <= span.high - span.low) return false;
  return modulus == 0 ||
         modulus > std::abs(first->coef) * (loop.extent - 1) + (span.high - span.low);
}

/// The only iteration of the loop in which an access happens, by its guards: the first or the last.
std::optional<int64_t> OnlyIteration(const Placed& one, const For& loop) {
  for (const int64_t at : {int64_t{0}, loop.extent - 1})
    if (one.facts.Proves(Expr(loop.var) <= at) && one.facts.Proves(Expr(loop.var) >= at)) return at;
  return {};
}

/// Without the accesses of single iterations that meet none of another one.
std::vector<Placed> WithoutSingle(const std::vector<Placed>& all, const For& loop) {
  std::vector<std::optional<int64_t>> only;
  for (const Placed& one : all) only.push_back(OnlyIteration(one, loop));
  std::vector<Placed> left;
  for (size_t i = 0; i < all.size(); ++i) {
    bool alone = only[i].has_value();
    for (size_t j = 0; j < all.size() && alone; ++j)
      alone = only[j] == only[i] || Apart(all[i].hull, all[j].hull);
    if (!alone) left.push_back(all[i]);
  }
  return left;
}

/// The loop as two, one in the other, where its body looks only at the quotient and the remainder
/// of its variable by some divisor, as after fuse; else nullptr.
Stmt Unfused(const For& loop, const std::vector<Stmt>& outside) {
  int64_t divisor = 0;
  RewriteExprs(loop.body, [&](const Expr& e) -> Expr {
    const bool divides = e.op() == Op::kFloorDiv || e.op() == Op::kFloorMod;
    if (divides && e->args[1].IsIntConst() && e->args[0].op() == Op::kVar &&
        e->args[0]->var == loop.var && e->args[1]->int_value < loop.extent)
      divisor = std::max(divisor, e->args[1]->int_value);
    return {};
  });
  if (divisor < 2 || loop.extent % divisor != 0) return nullptr;
  const Var quotient = MakeVar(loop.var->name + "q"), remainder = MakeVar(loop.var->name + "r");
  const auto nest = [&](const Stmt& body) {
    return MakeStmt(For{.var = quotient,
                        .extent = loop.extent / divisor,
                        .body = MakeStmt(For{.var = remainder, .extent = divisor, .body = body})});
  };
  std::vector<Stmt> loops = outside;
  loops.push_back(nest(loop.body));
  loops.push_back(As<For>(loops.back())->body);
  const Facts facts = FactsOf(loops);
  return nest(RewriteExprs(
      Substitute(loop.body, {{loop.var, Expr(quotient) * divisor + Expr(remainder)}}),
      [&](const Expr& e) { return e.dtype() == DType::kInt64 ? facts.Simplify(e) : Expr(); }));
}

}  // namespace

std::string WhyNotIndependent(const Stmt& stmt, const std::vector<Stmt>& outside) {
  const For& loop = *As<For>(stmt);
  if (const Stmt outer = Unfused(loop, outside)) {
    std::string why = WhyNotIndependent(outer, outside);
    if (!why.empty()) return why;
    std::vector<Stmt> around = outside;
    around.push_back(outer);
    return WhyNotIndependent(As<For>(outer)->body, around);
  }
  std::vector<Buffer> own;
  std::vector<Var> inside;
  VisitStmts(loop.body, [&](const Stmt& s) {
    if (const Allocate* alloc = As<Allocate>(s)) own.push_back(alloc->buffer);
    if (const For* inner = As<For>(s)) inside.push_back(inner->var);
  });
  const std::vector<Site> sites = Sites(stmt);
  for (const Site& writer : sites)
    for (const Buffer& buffer : Written(*writer.block)) {
      if (std::find(own.begin(), own.end(), buffer) != own.end()) continue;
      const std::vector<Placed> all = WithoutSingle(UsesOf(buffer, sites, outside), loop);
      bool apart = loop.extent == 1 || all.empty();
      if (!apart)
        for (const Weights& weights : NumbersOf(all[0]))
          apart = apart || Separates(all, weights, loop, inside);
      if (!apart)
        return StrCat("block ", writer.block->name, ": iterations must write elements of ",
                      buffer->name, " that no other one touches");
    }
  return "";
}

std::string WhyNotLanes(const Stmt& stmt, const std::vector<Stmt>& outside) {
  std::string why;
  VisitStmts(As<For>(stmt)->body, [&](const Stmt& s) {
    if (!why.empty()) return;
    if (const Allocate* alloc = As<Allocate>(s))
      why = StrCat("buffer ", alloc->buffer->name, " is allocated inside");
    if (As<Call>(s)) why = StrCat("calls ", As<Call>(s)->intrinsic->name, " inside");
    if (const For* inner = As<For>(s); inner && inner->kind == ForKind::kVectorize)
      why = StrCat("loop ", inner->var->name, " inside it is vectorised");
  });
  if (!why.empty()) return why;
  const For& loop = *As<For>(stmt);
  for (const Site& site : Sites(stmt))
    for (const Iter& iter : site.block->iters)
      if (iter.kind == IterKind::kReduce && Uses(iter.binding, loop.var))
        return StrCat("block ", site.block->name, " reduces over it");
  return WhyNotIndependent(stmt, outside);
}

}  // namespace vta::compiler::loop
