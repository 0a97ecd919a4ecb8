#include "compiler/llvm/requant.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace vta::compiler::llvm {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

/// int32 as int64: all lanes in order, or those at even places and those at odd ones.
using Wide = std::vector<Value>;

Wide InOrder(Code& c, Value v) { return {c.SignExtend(v, 64)}; }

/// x86 multiplies every second lane where it stands; in order it would have to move them.
Wide WhereTheyStand(Code& c, Value v) {
  const int lanes = Code::Lanes(v);
  if (c.traits().arch != "x86_64" || lanes % 4 != 0 || lanes == 0) return InOrder(c, v);
  const Value half = c.Int(64, 32);
  std::vector<int> upper;
  for (int lane = 1; lane < lanes; lane += 2) upper.insert(upper.end(), {lane, lane});
  // Both by the same two shifts, which LLVM leaves beside the multiplication, as one with it.
  const auto low = [&](Value lanes_of_32) {
    const Value pairs = c.ReinterpretAs(lanes_of_32, c.Wide(c.IntType(64), lanes / 2));
    return c.Ashr(c.Shl(pairs, half), half);
  };
  return {low(v), low(c.Shuffle(v, v, upper))};
}

/// The low 32 bits.
Value Narrow(Code& c, const Wide& wide) {
  if (wide.size() == 1) return c.Truncate(wide[0], 32);
  const int lanes = 2 * Code::Lanes(wide[0]);
  const Type type = c.Wide(c.IntType(32), lanes);
  std::vector<int> places;
  for (int lane = 0; lane < lanes; lane += 2) places.insert(places.end(), {lane, lanes + lane});
  return c.Shuffle(c.ReinterpretAs(wide[0], type), c.ReinterpretAs(wide[1], type), places);
}

/// f(a's part, b's part, ...) of each part.
template <typename F, typename... Parts>
Wide Each(F f, const Wide& first, const Parts&... rest) {
  Wide out;
  for (size_t i = 0; i < first.size(); ++i) out.push_back(f(first[i], rest[i]...));
  return out;
}

using Widen = Wide (*)(Code&, Value);

/// Whether vectors of int64 are as ARM's: without multiplication, but as products of int32.
bool HasNeon(const Code& c) {
  return c.traits().arch == "aarch64" || (c.traits().arch == "armv7" && c.machine().Has("neon"));
}

/// The products of int32, in the places that `widen` gives them.
Wide Products(Code& c, Widen widen, Value a, Value b) {
  const int lanes = Code::Lanes(a);
  if (!HasNeon(c) || lanes < 2 || !std::has_single_bit(static_cast<unsigned>(lanes)))
    return Each([&](Value x, Value y) { return c.Mul(x, y); }, widen(c, a), widen(c, b));
  const bool arm64 = c.traits().arch == "aarch64";
  return {c.ByParts(2, {a, b}, [&](const std::vector<Value>& part) {
    return c.Intrinsic(arm64 ? "llvm.aarch64.neon.smull" : "llvm.arm.neon.vmulls",
                       {c.Wide(c.IntType(64), 2)}, part);
  })};
}

/// With one rounding, ties up.
Wide Single(Code& c, Widen widen, Value value, Value multiplier, Value exponent) {
  const auto rounded = [&](Value product, Value shift) {
    const Value half = c.Shl(c.Int(64, 1), c.Sub(shift, c.Int(64, 1)));
    return c.Ashr(c.Add(product, half), shift);
  };
  return Each(rounded, Products(c, widen, value, multiplier),
              widen(c, c.Sub(c.Int(32, 31, exponent), exponent)));
}

/// The result where it is within +-255; where it is not, one on the same side that is not, either.
/// Such values are made smaller before the multiplication, so that all results fit into 32 bits.
Value SingleNarrow(Code& c, Value value, Value multiplier, Value exponent) {
  const auto number = [&](int64_t v) { return c.Int(32, v, multiplier); };
  // The multiplier is less than 2^size, and not less than a half of it; as a float has it.
  const Value real = c.BitsOf(c.IntToFloat(multiplier, true));
  const Value size = c.Sub(c.And(c.Lshr(real, number(23)), number(0xFF)), number(126));
  // A value of +-2^power gives +-2^10 to 2^11, if there is such a value.
  const Value power = c.Sub(c.Sub(number(31 + 11), exponent), size);
  const Value most = c.Shl(number(1), c.Min(c.Max(power, number(0)), number(30)));
  const Value all = c.Compare(Cmp::kSlt, number(30), power);
  const Value low = c.Choose(all, number(kLeast), c.Sub(number(0), most));
  const Value high = c.Choose(all, number(kMost), most);
  const Value bounded = c.Min(c.Max(value, low), high);
  return Narrow(c, Single(c, WhereTheyStand, bounded, multiplier, exponent));
}

/// With two: the product to 32 bits, ties up, then the shift to the right, ties away from zero.
Value Double(Code& c, Value value, Value multiplier, Value exponent) {
  const Value zero = c.Int(32, 0, exponent), one = c.Int(32, 1), least = c.Int(32, kLeast);
  const Value left = c.Max(exponent, zero), right = c.Max(c.Sub(zero, exponent), zero);
  // The least number twice is the one product that does not fit; one more gives the greatest.
  const Value fits = c.Choose(c.Compare(Cmp::kEq, multiplier, least), c.Int(32, -kMost, multiplier),
                              c.Int(32, kLeast, multiplier));
  const Value shifted = c.Max(c.Shl(value, left), fits);
  const auto rounded = [&](Value product) {
    return c.Ashr(c.Add(product, c.Int(64, int64_t{1} << 30)), c.Int(64, 31));
  };
  const Value high = Narrow(c, Each(rounded, Products(c, WhereTheyStand, shifted, multiplier)));
  // With a shift of 0 the mask is 0: nothing is rounded up.
  const Value mask = c.Sub(c.Shl(one, right), one);
  const Value threshold = c.Sub(c.Lshr(mask, one), c.Ashr(high, c.Int(32, 31)));
  const Value up = c.Compare(Cmp::kSlt, threshold, c.And(high, mask));
  const Value down = c.Ashr(high, right);
  return c.Choose(up, c.Add(down, one), down);
}

/// All with as many lanes as the widest.
void Spread(Code& c, std::initializer_list<Value*> values) {
  int lanes = 0;
  for (const Value* v : values) lanes = std::max(lanes, Code::Lanes(*v));
  for (Value* v : values) *v = c.Splat(*v, lanes);
}

Value Bounded(Code& c, Value exponent) {
  return c.Max(c.Min(exponent, c.Int(32, 30)), c.Int(32, -31));
}

}  // namespace

Value Rescale(Code& c, Value value, Value multiplier, Value exponent, isa::Rounding rounding) {
  Spread(c, {&value, &multiplier, &exponent});
  exponent = Bounded(c, exponent);
  if (rounding == isa::Rounding::kSingle) return Single(c, InOrder, value, multiplier, exponent)[0];
  return c.SignExtend(Double(c, value, multiplier, exponent), 64);
}

Value RescaleLow(Code& c, Value value, Value multiplier, Value exponent, isa::Rounding rounding) {
  Spread(c, {&value, &multiplier, &exponent});
  exponent = Bounded(c, exponent);
  if (rounding == isa::Rounding::kDouble) return Double(c, value, multiplier, exponent);
  return Narrow(c, Single(c, WhereTheyStand, value, multiplier, exponent));
}

Value Requant(Code& c, Value accumulator, Value bias, Value multiplier, Value packed,
              isa::Rounding rounding) {
  Spread(c, {&accumulator, &bias, &multiplier, &packed});
  const auto byte = [&](int from) {
    return c.Ashr(c.Shl(packed, c.Int(32, 24 - from)), c.Int(32, 24));
  };
  const Value value = c.Add(accumulator, bias), exponent = Bounded(c, byte(0)), zero = byte(8);
  // The bounds before the zero point is added, which then cannot overflow.
  const Value low = c.Sub(byte(16), zero), high = c.Sub(byte(24), zero);
  const Value scaled = rounding == isa::Rounding::kSingle
                           ? SingleNarrow(c, value, multiplier, exponent)
                           : Double(c, value, multiplier, exponent);
  return c.Add(c.Min(c.Max(scaled, low), high), zero);
}

}  // namespace vta::compiler::llvm
