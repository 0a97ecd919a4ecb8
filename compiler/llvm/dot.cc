#include "compiler/llvm/dot.h"

#include <algorithm>
#include <numeric>

#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

/// What the machine sums groups by.
enum class Way : uint8_t { kDot, kMultiplyAdd, kProducts };

struct Plan {
  Way way;
  bool x_signed;  // as the instruction takes it
  int lanes;      // of a vector
};

Plan PlanOf(const Code& c, const DotTypes& types, int lanes) {
  const Machine& machine = c.machine();
  const int most = static_cast<int>(machine.vector_bits / 32);
  const int width = lanes % most == 0 ? most : 4;
  if (c.traits().arch == "x86_64") {
    const bool dots = machine.Has("avx512vnni") && (width == 16 || machine.Has("avx512vl"));
    return {dots ? Way::kDot : Way::kMultiplyAdd, types.bits == 16, width};
  }
  if (c.traits().arch == "aarch64" && machine.Has("dotprod") && types.bits == 8)
    return {Way::kDot, true, 4};
  return {Way::kProducts, types.x_signed, lanes};
}

/// The machine's instruction on one vector.
Value Native(Code& c, int bits, Value acc, Value x, Value w) {
  const int lanes = Code::Lanes(acc);
  if (c.traits().arch == "x86_64")
    return c.Intrinsic(
        StrCat("llvm.x86.avx512.", bits == 8 ? "vpdpbusd." : "vpdpwssd.", 32 * lanes), {},
        {acc, x, w});
  const Type words = c.Wide(c.IntType(32), lanes), bytes = c.Wide(c.IntType(8), 4 * lanes);
  return c.Intrinsic("llvm.aarch64.neon.sdot", {words, bytes},
                     {acc, c.ReinterpretAs(x, bytes), c.ReinterpretAs(w, bytes)});
}

/// Where the instruction takes x of the other sign, a byte with its high bit turned stands for 128
/// less or more, which is taken away again: the same for all x, so it is computed once for a w.
Value NativeOf(Code& c, const DotTypes& types, bool x_signed, Value acc, Value x, Value w) {
  if (types.x_signed == x_signed) return Native(c, types.bits, acc, x, w);
  const Value turn = c.Int(32, static_cast<int32_t>(0x80808080u), x);
  const Value more = Native(c, types.bits, c.Int(32, 0, acc), turn, w);
  return c.Sub(Native(c, types.bits, acc, c.Xor(x, turn), w), more);
}

/// acc + the products of int16, two of which add up to an int32.
Value MultiplyAdd(Code& c, Value acc, Value x, Value w) {
  const int lanes = Code::Lanes(acc);
  const char* name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
  return c.Add(acc, c.Intrinsic(name, {}, {x, w}));
}

Value MultiplyAddOf(Code& c, const DotTypes& types, Value acc, Value x, Value w) {
  const Type words = c.Wide(c.IntType(16), 2 * Code::Lanes(acc));
  x = c.ReinterpretAs(x, words);
  w = c.ReinterpretAs(w, words);
  if (types.bits == 16) return MultiplyAdd(c, acc, x, w);
  // Bytes 0 and 2 of each group, then 1 and 3: no byte leaves its lane.
  const Value eight = c.Int(16, 8, w);
  const auto even = [&](Value v, bool is_signed) {
    return is_signed ? c.Ashr(c.Shl(v, eight), eight) : c.And(v, c.Int(16, 0xFF, v));
  };
  const auto odd = [&](Value v, bool is_signed) {
    return is_signed ? c.Ashr(v, eight) : c.Lshr(v, eight);
  };
  acc = MultiplyAdd(c, acc, even(x, types.x_signed), even(w, true));
  return MultiplyAdd(c, acc, odd(x, types.x_signed), odd(w, true));
}

/// int16 -> int32. LLVM's multiplication for ARMv7 is a slower one where it knows an operand to be
/// positive.
Value WideProduct(Code& c, Value a, Value b) {
  if (c.traits().arch != "armv7" || !c.machine().Has("neon"))
    return c.Mul(c.SignExtend(a, 32), c.SignExtend(b, 32));
  return c.ByParts(4, {a, b}, [&](const std::vector<Value>& part) {
    return c.Intrinsic("llvm.arm.neon.vmulls", {c.Wide(c.IntType(32), 4)}, part);
  });
}

Value Factors(Code& c, const DotTypes& types, Value groups, int count) {
  return c.ReinterpretAs(groups, c.Wide(c.IntType(types.bits), count * 32 / types.bits));
}

/// One factor of each group after the other, as products of int16.
Value ProductsOf(Code& c, const DotTypes& types, Value acc, Value x, Value w) {
  const int lanes = Code::Lanes(acc), group = 32 / types.bits;
  const bool shared = Code::Lanes(x) == 0;
  // In a vector register, of which instructions take any lane for all of another's.
  if (shared) x = c.WithLane(Code::Undefined(c.Wide(c.IntType(32), 2)), 0, x);
  Value xs = Factors(c, types, x, shared ? 2 : lanes);
  xs = types.x_signed ? c.SignExtend(xs, 16) : c.ZeroExtend(xs, 16);
  const Value ws = Factors(c, types, w, lanes);
  for (int i = 0; i < group; ++i) {
    std::vector<int> places(lanes);
    for (int lane = 0; lane < lanes; ++lane) places[lane] = lane * group + i;
    const Value mine = c.SignExtend(c.Shuffle(ws, ws, places), 16);
    const Value other = c.Shuffle(xs, xs, shared ? std::vector<int>(lanes, i) : places);
    acc = c.Add(acc, WideProduct(c, other, mine));
  }
  return acc;
}

}  // namespace

Value Dot(Code& c, const DotTypes& types, Value acc, Value x, Value w) {
  const Plan plan = PlanOf(c, types, Code::Lanes(acc));
  if (plan.way == Way::kProducts) return ProductsOf(c, types, acc, x, w);
  const bool shared = Code::Lanes(x) == 0;
  if (shared) x = c.Splat(x, plan.lanes);
  return c.ByParts(plan.lanes, {acc, w, shared ? acc : x}, [&](const std::vector<Value>& part) {
    const Value mine = shared ? x : part[2];
    return plan.way == Way::kDot ? NativeOf(c, types, plan.x_signed, part[0], mine, part[1])
                                 : MultiplyAddOf(c, types, part[0], mine, part[1]);
  });
}

Value Grouped(Code& c, const DotTypes& types, Value x) {
  const int lanes = Code::Lanes(x), group = 32 / types.bits, rows = lanes / group;
  // First numbers of 32 bits, each of some neighbours' factors, then the factors of a few of them:
  // what the first step moves stays in a part of 128 bits in the second one.
  std::vector<int> words, factors;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < group; ++i) words.push_back(i * rows + row);
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < group; ++lane)
      for (int i = 0; i < group; ++i) factors.push_back((row * group + i) * group + lane);
  const Value moved = Factors(c, types, c.Shuffle(x, x, words), lanes);
  return c.ReinterpretAs(c.Shuffle(moved, moved, factors), c.Wide(c.IntType(32), lanes));
}

}  // namespace vta::compiler::llvm
