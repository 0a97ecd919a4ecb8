// Integer arithmetic on index expressions: affine forms, intervals, proofs from guards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/loop/expr.h"

namespace vta::compiler::loop {

/// What `op` gives for two int64 constants (wrapping; division by 0 gives 0).
int64_t FoldInt64(Op op, int64_t a, int64_t b);

/// Every value in [low, high]; an end at +-kFar stands for "unknown".
struct Interval {
  static constexpr int64_t kFar = int64_t{1} << 60;
  int64_t low = -kFar, high = kFar;
  bool Known() const { return low > -kFar && high < kFar; }
  int64_t Extent() const { return high - low + 1; }
};

/// constant + sum of coef * atom. An atom is a variable or an int64 expression that is not affine
/// itself.
struct Affine {
  struct Term {
    Expr atom;
    int64_t coef;
  };
  std::vector<Term> terms;  // no two atoms the same, no coefficient 0
  int64_t constant = 0;

  bool IsConstant() const { return terms.empty(); }
  int64_t Coef(const Expr& atom) const;
  Affine Plus(const Affine& other, int64_t scale = 1) const;
};
Expr ToExpr(const Affine& affine);

/// What is known at a place: ranges of variables, and conditions that hold.
class Facts {
 public:
  /// low <= var <= high.
  void SetRange(const Var& var, Interval range);
  /// Remembers the conjuncts of a condition; parts that are not affine comparisons are left out.
  void Assume(const Expr& condition, bool holds = true);

  /// The affine form, with floordiv and floormod resolved where the ranges allow.
  Affine Form(const Expr& expr) const;
  Expr Simplify(const Expr& expr) const;
  Interval Bounds(const Expr& expr) const;
  Interval Bounds(const Affine& affine) const;
  /// True when the condition surely holds; false says nothing.
  bool Proves(const Expr& condition) const;
  bool ProvesNonNegative(const Affine& affine) const;

 private:
  bool ProvesWithFacts(const Affine& affine, int depth) const;
  bool ProvesByOperand(const Affine& affine) const;
  Affine DivMod(Op op, const Affine& a, int64_t divisor) const;
  Interval DividendBounds(const Expr& dividend) const;
  int64_t MostByWhole(const Affine& form, int depth) const;
  Interval HalfOfSum(const Expr& expr, Interval a, Interval b) const;

  std::vector<std::pair<Var, Interval>> ranges_;
  std::vector<Affine> non_negative_;
  bool holds_nowhere_ = false;  // one that cannot hold: nothing is there, and all is true of it
};

/// The conjuncts of a condition ("a && b" -> a, b); none for an empty one.
std::vector<Expr> Conjuncts(const Expr& condition);
/// The conjunction; empty when there is none.
Expr Conjunction(const std::vector<Expr>& conditions);

}  // namespace vta::compiler::loop
