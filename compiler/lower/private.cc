#include "compiler/lower/private.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::lower {

using loop::As;
using loop::For;
using loop::Stmt;

namespace {

/// What an index multiplies, and by which of so many values.
struct Term {
  int64_t coef, extent;
  bool tells = false;  // threads apart
};

/// In each dimension the terms of thread loops with several threads, from the outermost on; 0 where
/// one is not in it.
struct Ownership {
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> coefs;
  bool operator==(const Ownership&) const = default;
};

/// Whether the values of terms are digits of their sum and the constant, those that tell threads
/// apart as they are: no other one, nor the constant, is carried into them.
bool AreDigits(std::vector<Term> terms, int64_t constant) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.coef < b.coef; });
  int64_t reach = 1, most = 0;
  for (const Term& term : terms) {
    if (term.coef < reach || term.coef % reach != 0) return false;
    if (term.tells &&
        (most + constant % term.coef >= term.coef || constant / term.coef % term.extent != 0))
      return false;
    reach = term.coef * term.extent;
    most += term.coef * (term.extent - 1);
  }
  return constant >= 0;
}

/// Nothing where the access is none that one thread may have to itself.
std::optional<Ownership> OwnershipOf(const loop::Site& site,
                                     const std::vector<loop::Range>& ranges) {
  const loop::Facts facts = loop::FactsOf(site.loops);
  const loop::VarMap bindings = Bindings(*site.block);
  Ownership own;
  const auto tells_apart = [](const Stmt& stmt) {
    return IsThreads(stmt) && As<For>(stmt)->extent > 1;
  };
  for (const Stmt& stmt : site.loops)
    if (tells_apart(stmt)) own.extents.push_back(As<For>(stmt)->extent);
  std::vector<bool> tells(own.extents.size(), false);
  for (const loop::Range& range : ranges) {
    const loop::Affine form = facts.Form(Substitute(range.base, bindings));
    std::vector<Term> terms;
    if (range.extent > 1) terms.push_back({1, range.extent});
    std::vector<int64_t>& coefs = own.coefs.emplace_back();
    size_t known = 0, thread = 0;
    for (const Stmt& stmt : site.loops) {
      const For& loop = *As<For>(stmt);
      const int64_t coef = form.Coef(loop.var);
      known += coef != 0;
      if (coef != 0) terms.push_back({coef, loop.extent, tells_apart(stmt)});
      if (!tells_apart(stmt)) continue;
      coefs.push_back(coef);
      if (coef != 0) tells[thread] = true;
      ++thread;
    }
    if (known != form.terms.size() || !AreDigits(std::move(terms), form.constant)) return {};
  }
  for (size_t i = 0; i < tells.size(); ++i)
    if (!tells[i]) return {};
  return own;
}

}  // namespace

bool IsPrivate(const loop::Buffer& buffer, const Stmt& body) {
  std::optional<Ownership> all;
  for (const loop::Site& site : loop::Sites(body))
    for (const loop::Access& access : Accesses(*site.block)) {
      if (access.buffer != buffer) continue;
      const std::optional<Ownership> own = OwnershipOf(site, access.ranges);
      if (!own || (all && *all != *own)) return false;
      all = own;
    }
  return all.has_value();
}

}  // namespace vta::compiler::lower
