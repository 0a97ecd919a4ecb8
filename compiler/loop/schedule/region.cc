#include "compiler/loop/schedule/region.h"

#include <algorithm>
#include <optional>

namespace vta::compiler::loop {
namespace {

/// base + [low, high], base in outer loops only.
struct Hull {
  Affine base;
  int64_t low, high;
};

bool UsesAny(const Expr& e, const std::vector<Stmt>& loops) {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const Stmt& s) { return Uses(e, As<For>(s)->var); });
}

/// The hull of one index; none where an atom mixes inner and outer loops or has no known bounds.
std::optional<Hull> HullOf(const Expr& index, int64_t extent, const std::vector<Stmt>& inner,
                           const std::vector<Stmt>& outer, const Facts& facts) {
  const Affine form = facts.Form(index);
  Hull hull;
  Affine inside;
  hull.base.constant = form.constant;
  for (const Affine::Term& term : form.terms) {
    const bool in = UsesAny(term.atom, inner), out = UsesAny(term.atom, outer);
    if (in && out) return std::nullopt;
    (in ? inside : hull.base).terms.push_back(term);
  }
  const Interval range = facts.Bounds(inside);
  if (!range.Known()) return std::nullopt;
  hull.low = range.low;
  hull.high = range.high + extent - 1;
  return hull;
}

/// Widens `a` by `b`; false when their bases differ by more than a constant.
bool Join(Hull& a, const Hull& b) {
  const Affine gap = b.base.Plus(a.base, -1);
  if (!gap.IsConstant()) return false;
  a.low = std::min(a.low, b.low + gap.constant);
  a.high = std::max(a.high, b.high + gap.constant);
  return true;
}

}  // namespace

std::vector<NeededDim> NeededRegion(const Stmt& body, const std::vector<Stmt>& outer,
                                    const Buffer& buffer) {
  const size_t rank = buffer->shape.size();
  std::vector<std::optional<Hull>> hulls(rank);
  std::vector<bool> whole(rank, false);
  for (const Site& site : Sites(body)) {
    Facts facts = FactsOf(outer);
    for (const Stmt& s : site.loops) facts.SetRange(As<For>(s)->var, {0, As<For>(s)->extent - 1});
    const VarMap bindings = Bindings(*site.block);
    for (const Access& access : Accesses(*site.block)) {
      if (access.write || access.buffer != buffer) continue;
      for (size_t d = 0; d < rank; ++d) {
        const Range& range = access.ranges[d];
        const std::optional<Hull> hull =
            HullOf(Substitute(range.base, bindings), range.extent, site.loops, outer, facts);
        if (!hull || (hulls[d] && !Join(*hulls[d], *hull))) whole[d] = true;
        if (hull && !hulls[d]) hulls[d] = hull;
      }
    }
  }
  std::vector<NeededDim> out;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t shape = buffer->shape[d];
    if (whole[d] || !hulls[d] || hulls[d]->high - hulls[d]->low + 1 >= shape) {
      out.push_back({0, shape});
      continue;
    }
    Hull& hull = *hulls[d];
    if (hull.base.IsConstant()) {  // a fixed part: what lies outside the buffer is never read
      hull.low = std::max(hull.low + hull.base.constant, int64_t{0});
      hull.high = std::min(hull.high + hull.base.constant, shape - 1);
      hull.base.constant = 0;
    }
    hull.base.constant += hull.low;
    out.push_back({ToExpr(hull.base), std::max<int64_t>(hull.high - hull.low + 1, 1)});
  }
  return out;
}

}  // namespace vta::compiler::loop
