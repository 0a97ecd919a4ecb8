#include "compiler/loop/arith.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Arithmetic wraps when it runs, so a bound that leaves the known range bounds nothing.
Interval Between(__int128 low, __int128 high) {
  if (low <= -Interval::kFar || high >= Interval::kFar) return {};
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}
Interval Scale(Interval i, int64_t by) {
  if (!i.Known()) return {};
  const __int128 a = static_cast<__int128>(i.low) * by, b = static_cast<__int128>(i.high) * by;
  return Between(std::min(a, b), std::max(a, b));
}
Interval Add(Interval a, Interval b) {
  if (!a.Known() || !b.Known()) return {};
  return Between(static_cast<__int128>(a.low) + b.low, static_cast<__int128>(a.high) + b.high);
}

/// Far enough from the ends of int64 that sums, and products with small factors, do not wrap.
constexpr int64_t kLarge = int64_t{1} << 40, kSmall = int64_t{1} << 20;
constexpr int kMostQuotients = 4;  // one in the other
bool IsTame(int64_t value, int64_t limit) { return -limit < value && value < limit; }
bool IsTame(const Affine& a, int64_t limit = kLarge) {
  return IsTame(a.constant, limit) &&
         std::all_of(a.terms.begin(), a.terms.end(),
                     [&](const Affine::Term& t) { return IsTame(t.coef, limit); });
}

bool HasMinMax(const Expr& expr) {
  return expr.op() == Op::kMin || expr.op() == Op::kMax ||
         std::any_of(expr->args.begin(), expr->args.end(), HasMinMax);
}

/// What follows from two numbers that are not negative, without the first atom that cancels in a
/// sum of multiples of them; as close as whole numbers allow. Nothing where none does.
std::optional<Affine> WithoutShared(const Affine& a, const Affine& b) {
  for (const Affine::Term& term : b.terms) {
    const int64_t other = a.Coef(term.atom);
    if (other == 0 || (other < 0) == (term.coef < 0)) continue;
    if (!IsTame(other, kSmall) || !IsTame(term.coef, kSmall) || !IsTame(a)) return std::nullopt;
    Affine sum = Affine{}.Plus(a, std::abs(term.coef)).Plus(b, std::abs(other));
    int64_t divisor = 0;
    for (const Affine::Term& left : sum.terms) divisor = std::gcd(divisor, left.coef);
    if (divisor == 0) return std::nullopt;
    for (Affine::Term& left : sum.terms) left.coef /= divisor;
    sum.constant = FoldInt64(Op::kFloorDiv, sum.constant, divisor);
    return sum;
  }
  return std::nullopt;
}

/// c * floordiv(x, c) + floormod(x, c) = x.
void JoinDivMod(Affine& a, const Facts& facts) {
  for (const Affine::Term& mod : a.terms) {
    if (mod.atom.op() != Op::kFloorMod || !mod.atom->args[1].IsIntConst()) continue;
    const int64_t c = mod.atom->args[1]->int_value;
    for (const Affine::Term& div : a.terms) {
      if (div.atom.op() != Op::kFloorDiv || !Same(div.atom->args[0], mod.atom->args[0]) ||
          !div.atom->args[1].IsConst(c) || div.coef != c * mod.coef)
        continue;
      Affine rest = a;
      std::erase_if(rest.terms, [&](const Affine::Term& t) {
        return t.atom.get() == mod.atom.get() || t.atom.get() == div.atom.get();
      });
      a = rest.Plus(facts.Form(mod.atom->args[0]), mod.coef);
      return JoinDivMod(a, facts);
    }
  }
}

/// Of rest - a // d >= 0: d * rest + d - 1 - a, which then is not negative either.
std::optional<Affine> RoomOfDividend(const Affine& gap, const Facts& facts) {
  const auto divided = [](const Affine::Term& term) {
    return term.coef == -1 && term.atom.op() == Op::kFloorDiv && term.atom->args[1].IsIntConst() &&
           term.atom->args[1]->int_value > 0;
  };
  const auto found = std::find_if(gap.terms.begin(), gap.terms.end(), divided);
  if (found == gap.terms.end()) return {};
  const int64_t divisor = found->atom->args[1]->int_value;
  if (!IsTame(divisor, kSmall) || !IsTame(gap, kSmall)) return {};
  Affine rest = gap;
  rest.terms.erase(rest.terms.begin() + (found - gap.terms.begin()));
  return Affine{{}, divisor - 1}.Plus(rest, divisor).Plus(facts.Form(found->atom->args[0]), -1);
}

}  // namespace

int64_t FoldInt64(Op op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case Op::kAdd:
      return static_cast<int64_t>(x + y);
    case Op::kSub:
      return static_cast<int64_t>(x - y);
    case Op::kMul:
      return static_cast<int64_t>(x * y);
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kFloorDiv:
      if (b == 0) return 0;
      if (b == -1) return static_cast<int64_t>(-x);
      return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    case Op::kFloorMod:
      return static_cast<int64_t>(x - y * static_cast<uint64_t>(FoldInt64(Op::kFloorDiv, a, b)));
    default:
      VTA_CHECK(false, "no integer operation: ", Row(op).name);
      return 0;
  }
}

int64_t Affine::Coef(const Expr& atom) const {
  for (const Term& term : terms)
    if (Same(term.atom, atom)) return term.coef;
  return 0;
}

Affine Affine::Plus(const Affine& other, int64_t scale) const {
  Affine sum = *this;
  sum.constant = FoldInt64(Op::kAdd, constant, FoldInt64(Op::kMul, other.constant, scale));
  for (const Term& term : other.terms) {
    const int64_t add = FoldInt64(Op::kMul, term.coef, scale);
    auto it = std::find_if(sum.terms.begin(), sum.terms.end(),
                           [&](const Term& t) { return Same(t.atom, term.atom); });
    if (it == sum.terms.end()) {
      sum.terms.push_back({term.atom, add});
    } else {
      it->coef = FoldInt64(Op::kAdd, it->coef, add);
    }
  }
  std::erase_if(sum.terms, [](const Term& t) { return t.coef == 0; });
  return sum;
}

Expr ToExpr(const Affine& affine) {
  // 9 - x rather than x * -1 + 9.
  int64_t constant = affine.constant;
  Expr sum;
  if (!affine.terms.empty() && affine.terms[0].coef < 0 && constant != 0)
    sum = std::exchange(constant, 0);
  for (const Affine::Term& term : affine.terms) {
    if (!sum) {
      sum = term.atom * term.coef;
      continue;
    }
    const Expr product = term.atom * std::abs(term.coef);
    sum = term.coef < 0 ? sum - product : sum + product;
  }
  if (!sum) return constant;
  return constant < 0 ? sum - (-constant) : sum + constant;
}

void Facts::SetRange(const Var& var, Interval range) { ranges_.emplace_back(var, range); }

void Facts::Assume(const Expr& condition, bool holds) {
  if (!condition) return;
  const auto& args = condition->args;
  switch (condition.op()) {
    case Op::kNot:
      return Assume(args[0], !holds);
    case Op::kAnd:
    case Op::kOr:
      if (holds == (condition.op() == Op::kAnd)) {
        Assume(args[0], holds);
        Assume(args[1], holds);
      }
      return;
    case Op::kEq:
    case Op::kNe:
      if (args[0].dtype() == DType::kInt64 && holds == (condition.op() == Op::kEq)) {
        Assume(args[0] <= args[1]);
        Assume(args[1] <= args[0]);
      }
      return;
    case Op::kLt:
    case Op::kLe: {
      if (args[0].dtype() != DType::kInt64) return;
      const bool strict = (condition.op() == Op::kLt) == holds;
      const Affine left = Form(args[holds ? 0 : 1]), right = Form(args[holds ? 1 : 0]);
      if (!IsTame(left) || !IsTame(right)) return;
      Affine gap = right.Plus(left, -1);
      gap.constant -= strict;
      if (Bounds(gap).high < 0) holds_nowhere_ = true;
      if (const std::optional<Affine> dividend = RoomOfDividend(gap, *this))
        if (IsTame(*dividend)) non_negative_.push_back(*dividend);
      if (!gap.IsConstant()) non_negative_.push_back(std::move(gap));
      return;
    }
    default:
      return;
  }
}

Affine Facts::Form(const Expr& expr) const {
  const auto& args = expr->args;
  switch (expr.op()) {
    case Op::kConst:
      return {{}, expr->int_value};
    case Op::kAdd:
    case Op::kSub: {
      Affine sum = Form(args[0]).Plus(Form(args[1]), expr.op() == Op::kAdd ? 1 : -1);
      JoinDivMod(sum, *this);
      return sum;
    }
    case Op::kMul: {
      const Affine a = Form(args[0]), b = Form(args[1]);
      if (b.IsConstant()) return Affine{}.Plus(a, b.constant);
      if (a.IsConstant()) return Affine{}.Plus(b, a.constant);
      return {{{ToExpr(a) * ToExpr(b), 1}}, 0};
    }
    case Op::kFloorDiv:
    case Op::kFloorMod: {
      const Affine a = Form(args[0]), b = Form(args[1]);
      if (b.IsConstant() && b.constant > 0) return DivMod(expr.op(), a, b.constant);
      return {{{Apply(expr.op(), {ToExpr(a), ToExpr(b)}), 1}}, 0};
    }
    case Op::kMin:
    case Op::kMax: {
      const Affine a = Form(args[0]), b = Form(args[1]);
      const bool tame = IsTame(a) && IsTame(b);
      const bool a_le_b = tame && ProvesNonNegative(b.Plus(a, -1));
      if (a_le_b || (tame && ProvesNonNegative(a.Plus(b, -1))))
        return a_le_b == (expr.op() == Op::kMin) ? a : b;
      return {{{Apply(expr.op(), {ToExpr(a), ToExpr(b)}), 1}}, 0};
    }
    case Op::kVar: {
      const Interval range = Bounds(expr);
      if (range.low == range.high) return {{}, range.low};
      return {{{expr, 1}}, 0};
    }
    default:
      return {{{expr, 1}}, 0};
  }
}

Affine Facts::DivMod(Op op, const Affine& a, int64_t divisor) const {
  // a = divisor * whole + rest with 0 <= rest where that can be seen.
  Affine whole, rest;
  for (const Affine::Term& term : a.terms) {
    const int64_t quotient = FoldInt64(Op::kFloorDiv, term.coef, divisor);
    const bool exact = quotient * divisor == term.coef;
    (exact ? whole : rest).terms.push_back({term.atom, exact ? quotient : term.coef});
  }
  whole.constant = FoldInt64(Op::kFloorDiv, a.constant, divisor);
  rest.constant = a.constant - whole.constant * divisor;
  const Interval range = Bounds(rest);
  const int64_t q = FoldInt64(Op::kFloorDiv, range.low, divisor);
  if (range.Known() && q == FoldInt64(Op::kFloorDiv, range.high, divisor)) {
    if (op == Op::kFloorMod) {
      rest.constant -= q * divisor;
      return rest;
    }
    whole.constant += q;
    return whole;
  }
  if (op == Op::kFloorMod) return {{{FloorMod(ToExpr(rest), divisor), 1}}, 0};
  return whole.Plus({{{FloorDiv(ToExpr(rest), divisor), 1}}, 0});
}

Expr Facts::Simplify(const Expr& expr) const {
  return Rewrite(expr, [&](const Expr& e) -> Expr {
    if (e.dtype() == DType::kInt64 && e.op() != Op::kCast && e.op() != Op::kLoad &&
        e.op() != Op::kSelect && e.op() != Op::kConst)
      return ToExpr(Form(e));
    if (e.dtype() == DType::kBool &&
        (e.op() == Op::kLt || e.op() == Op::kLe || e.op() == Op::kEq) &&
        e->args[0].dtype() == DType::kInt64) {
      if (Proves(e)) return BoolConst(true);
      if (Proves(Not(e))) return BoolConst(false);
    }
    return Expr();
  });
}

Interval Facts::Bounds(const Affine& affine) const {
  Interval sum = Between(affine.constant, affine.constant);
  for (const Affine::Term& term : affine.terms) sum = Add(sum, Scale(Bounds(term.atom), term.coef));
  return sum;
}

/// The lesser of two numbers is at most half of their sum, the greater at least: together they may
/// be bounded closer than each alone, as a and 9 - a are. `a` and `b` bound the operands.
Interval Facts::HalfOfSum(const Expr& expr, Interval a, Interval b) const {
  const auto& args = expr->args;
  if (expr.dtype() != DType::kInt64 || !a.Known() || !b.Known()) return {};
  if (HasMinMax(args[0]) || HasMinMax(args[1])) return {};  // chains of them would take for ever
  const Affine left = Form(args[0]), right = Form(args[1]);
  if (!IsTame(left) || !IsTame(right)) return {};
  const Interval sum = Bounds(left.Plus(right));
  return {sum.low > -Interval::kFar ? -FoldInt64(Op::kFloorDiv, -sum.low, 2) : sum.low,
          sum.high < Interval::kFar ? FoldInt64(Op::kFloorDiv, sum.high, 2) : sum.high};
}

/// Also by a condition on the dividend as a whole, which the range of no variable shows.
Interval Facts::DividendBounds(const Expr& dividend) const {
  Interval range = Bounds(dividend);
  if (non_negative_.empty() || dividend.dtype() != DType::kInt64) return range;
  const Affine form = Form(dividend);
  if (!IsTame(form)) return range;
  for (const Affine& fact : non_negative_) {
    const Affine room = form.Plus(fact), above = form.Plus(fact, -1);
    if (room.IsConstant()) range.high = std::min(range.high, room.constant);
    if (above.IsConstant()) range.low = std::max(range.low, above.constant);
  }
  range.high = std::min(range.high, MostByWhole(form, kMostQuotients));
  return range;
}

/// k * (rest + c * (a // k)) is at most k * rest + c * a, of which a condition may say more.
int64_t Facts::MostByWhole(const Affine& form, int depth) const {
  int64_t most = Interval::kFar;
  for (const Affine::Term& term : form.terms) {
    if (term.atom.op() != Op::kFloorDiv || !term.atom->args[1].IsIntConst() || term.coef <= 0)
      continue;
    const int64_t k = term.atom->args[1]->int_value;
    const Affine dividend = Form(term.atom->args[0]);
    if (depth == 0 || k <= 0 || !IsTame(k, kSmall) || !IsTame(term.coef, kSmall) ||
        !IsTame(form, kSmall) || !IsTame(dividend, kSmall))
      continue;
    const Affine scaled = Affine{}.Plus(form.Plus({{term}, 0}, -1), k).Plus(dividend, term.coef);
    int64_t above = MostByWhole(scaled, depth - 1);
    for (const Affine& fact : non_negative_)
      if (const Affine room = scaled.Plus(fact); IsTame(scaled) && room.IsConstant())
        above = std::min(above, room.constant);
    if (above < Interval::kFar) most = std::min(most, FoldInt64(Op::kFloorDiv, above, k));
  }
  return most;
}

Interval Facts::Bounds(const Expr& expr) const {
  const auto& args = expr->args;
  switch (expr.op()) {
    case Op::kConst:
      return Between(expr->int_value, expr->int_value);
    case Op::kVar: {
      Interval range;
      for (const auto& [var, known] : ranges_)
        if (var == expr->var) range = known;
      return range;
    }
    case Op::kAdd:
    case Op::kSub:
      return expr.dtype() == DType::kInt64 ? Bounds(Form(expr)) : Interval{};
    case Op::kMul: {
      if (expr.dtype() != DType::kInt64) return {};
      const Interval a = Bounds(args[0]), b = Bounds(args[1]);
      if (!a.Known() || !b.Known()) return {};
      const Interval x = Scale(a, b.low), y = Scale(a, b.high);
      if (!x.Known() || !y.Known()) return {};
      return {std::min(x.low, y.low), std::max(x.high, y.high)};
    }
    case Op::kFloorDiv: {
      const Interval a = DividendBounds(args[0]), b = Bounds(args[1]);
      if (b.low != b.high || b.low <= 0 || !a.Known()) return {};
      return {FoldInt64(Op::kFloorDiv, a.low, b.low), FoldInt64(Op::kFloorDiv, a.high, b.low)};
    }
    case Op::kFloorMod: {
      const Interval a = Bounds(args[0]), b = Bounds(args[1]);
      if (b.low <= 0) return {};
      return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
    }
    case Op::kMin:
    case Op::kMax: {
      const Interval a = Bounds(args[0]), b = Bounds(args[1]), half = HalfOfSum(expr, a, b);
      return expr.op() == Op::kMin
                 ? Interval{std::min(a.low, b.low), std::min({a.high, b.high, half.high})}
                 : Interval{std::max({a.low, b.low, half.low}), std::max(a.high, b.high)};
    }
    case Op::kSelect: {
      const Interval a = Bounds(args[1]), b = Bounds(args[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case Op::kCast:
      if (Row(args[0].dtype()).integer) {
        const Interval in = Bounds(args[0]);
        if (in.low >= Row(expr.dtype()).low && in.high <= Row(expr.dtype()).high) return in;
      }
      [[fallthrough]];
    default:
      if (!Row(expr.dtype()).integer || expr.dtype() == DType::kInt64) return {};
      return {Row(expr.dtype()).low, Row(expr.dtype()).high};
  }
}

bool Facts::Proves(const Expr& condition) const {
  if (!condition) return true;
  const auto& args = condition->args;
  switch (condition.op()) {
    case Op::kConst:
      return condition.IsConst(1);
    case Op::kAnd:
      return Proves(args[0]) && Proves(args[1]);
    case Op::kOr:
      return Proves(args[0]) || Proves(args[1]);
    case Op::kNot: {
      const Expr& e = args[0];
      if (e.op() == Op::kLt) return Proves(e->args[1] <= e->args[0]);
      if (e.op() == Op::kLe) return Proves(e->args[1] < e->args[0]);
      if (e.op() == Op::kAnd) return Proves(Not(e->args[0])) || Proves(Not(e->args[1]));
      if (e.op() == Op::kOr) return Proves(Not(e->args[0])) && Proves(Not(e->args[1]));
      return e.op() == Op::kEq &&
             (Proves(e->args[0] < e->args[1]) || Proves(e->args[1] < e->args[0]));
    }
    case Op::kEq:
    case Op::kLt:
    case Op::kLe: {
      if (args[0].dtype() != DType::kInt64) return false;
      if (condition.op() == Op::kEq)
        return Proves(args[0] <= args[1]) && Proves(args[1] <= args[0]);
      const Affine left = Form(args[0]), right = Form(args[1]);
      if (!IsTame(left) || !IsTame(right)) return false;
      Affine gap = right.Plus(left, -1);
      gap.constant -= condition.op() == Op::kLt;
      return ProvesNonNegative(gap);
    }
    default:
      return false;
  }
}

bool Facts::ProvesNonNegative(const Affine& affine) const {
  return holds_nowhere_ || Bounds(affine).low >= 0 || ProvesWithFacts(affine, 2) ||
         ProvesByOperand(affine);
}

bool Facts::ProvesByOperand(const Affine& affine) const {
  // The lesser of two numbers is one of them: with a positive factor each must do, with a negative
  // one either does, as it is no less than the other. The other way round for the greater.
  for (const Affine::Term& term : affine.terms) {
    const Op op = term.atom.op();
    if ((op != Op::kMin && op != Op::kMax) || !IsTame(term.coef, kSmall)) continue;
    const auto& args = term.atom->args;
    if (HasMinMax(args[0]) || HasMinMax(args[1])) continue;  // chains of them would take for ever
    const Affine rest = affine.Plus({{term}, 0}, -1);
    const auto proved = [&](const Expr& arg) {
      const Affine with = rest.Plus(Form(arg), term.coef);
      return IsTame(with) && (Bounds(with).low >= 0 || ProvesWithFacts(with, 2));
    };
    const bool each = (op == Op::kMin) == (term.coef > 0);
    if (each ? proved(args[0]) && proved(args[1]) : proved(args[0]) || proved(args[1])) return true;
  }
  return false;
}

bool Facts::ProvesWithFacts(const Affine& affine, int depth) const {
  // e >= 0 follows from g >= 0 when p * e - q * g > -p with p, q > 0, since e is whole; q/p is
  // chosen to cancel one atom.
  if (depth == 0 || !IsTame(affine)) return false;
  std::vector<Affine> facts = non_negative_;
  for (const Affine::Term& term : affine.terms) {
    if (term.atom.op() != Op::kFloorDiv || !term.atom->args[1].IsIntConst()) continue;
    const int64_t divisor = term.atom->args[1]->int_value;
    if (divisor < 1 || !IsTame(divisor, kSmall)) continue;
    // divisor * quotient <= dividend <= divisor * quotient + divisor - 1
    const Affine rest = Form(term.atom->args[0]).Plus(Affine{{{term.atom, 1}}, 0}, -divisor);
    for (const Affine& range : {rest, Affine{{}, divisor - 1}.Plus(rest, -1)}) {
      facts.push_back(range);
      for (const Affine& fact : non_negative_)
        if (std::optional<Affine> both = WithoutShared(fact, range)) facts.push_back(*both);
    }
  }
  for (const Affine& fact : facts) {
    for (const Affine::Term& term : affine.terms) {
      const int64_t other = fact.Coef(term.atom);
      if (other == 0 || (other < 0) != (term.coef < 0)) continue;
      if (!IsTame(other, kSmall) || !IsTame(term.coef, kSmall)) continue;
      Affine rest = Affine{}.Plus(affine, std::abs(other)).Plus(fact, -std::abs(term.coef));
      rest.constant += std::abs(other) - 1;
      if (Bounds(rest).low >= 0 || ProvesWithFacts(rest, depth - 1)) return true;
    }
  }
  return false;
}

std::vector<Expr> Conjuncts(const Expr& condition) {
  if (!condition) return {};
  if (condition.op() != Op::kAnd) return {condition};
  std::vector<Expr> all = Conjuncts(condition->args[0]);
  for (const Expr& e : Conjuncts(condition->args[1])) all.push_back(e);
  return all;
}

Expr Conjunction(const std::vector<Expr>& conditions) {
  Expr all;
  for (const Expr& e : conditions)
    if (!e.IsConst(1)) all = all ? all && e : e;
  return all;
}

}  // namespace vta::compiler::loop
