#include "compiler/llvm/helpers.h"

#include <limits>

#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

/// The function with this name, which `write` writes the first time.
template <typename F>
Value Once(Code& c, const std::string& name, Type result, std::vector<Type> params, F write) {
  if (const Value found = c.FindFunction(name)) return found;
  const Place here = c.Here();
  const Value function = c.NewFunction(name, result, std::move(params), false);
  c.AddFlag(function, -1, "noinline");
  c.Return(write(function));
  c.At(here);
  return function;
}

}  // namespace

Value UnsignedDivide(Code& c, int bits) {
  const Type type = c.IntType(bits);
  return Once(c, StrCat(".divide", bits), type, {type, type}, [&](Value f) {
    // A bit of the quotient a round, from the highest.
    const Value a = Code::Param(f, 0), b = Code::Param(f, 1);
    const Place entry = c.Here(), round = c.NewPlace("round"), done = c.NewPlace("done");
    c.Jump(round);
    c.At(round);
    const Value left = c.Phi(c.IntType(32), "left"), rest = c.Phi(type, "rest"),
                quotient = c.Phi(type, "quotient");
    const Value zero = c.Int(bits, 0), one = c.Int(bits, 1);
    const Value lost = c.Compare(Cmp::kSlt, rest, zero);  // the bit that the shift loses
    const Value more = c.Or(c.Shl(rest, one), c.Lshr(quotient, c.Int(bits, bits - 1)));
    const Value fits = c.Or(lost, c.Compare(Cmp::kUle, b, more));
    const Value next_rest = c.Choose(fits, c.Sub(more, b), more);
    const Value next = c.Or(c.Shl(quotient, one), c.ZeroExtend(fits, bits));
    const Value next_left = c.Sub(left, c.Int(32, 1));
    Code::Incoming(left, c.Int(32, bits), entry);
    Code::Incoming(left, next_left, round);
    Code::Incoming(rest, zero, entry);
    Code::Incoming(rest, next_rest, round);
    // The dividend leaves at the top while the quotient comes in below.
    Code::Incoming(quotient, a, entry);
    Code::Incoming(quotient, next, round);
    c.Branch(c.Compare(Cmp::kEq, next_left, c.Int(32, 0)), done, round);
    c.At(done);
    return next;
  });
}

Value Int64ToFloat(Code& c) {
  return Once(c, ".int64_to_float", c.FloatType(), {c.IntType(64)}, [&](Value f) {
    const Value a = Code::Param(f, 0), zero = c.Int(64, 0);
    const Value negative = c.Compare(Cmp::kSlt, a, zero);
    const Value size = c.Choose(negative, c.Sub(zero, a), a);
    // A double holds 53 bits. Where there are more, the low ones become one that says whether any
    // was set, so that only the last step rounds.
    const Value low = c.Int(64, 0x7FF);
    const Value any = c.Compare(Cmp::kNe, c.And(size, low), zero);
    const Value sticky =
        c.Or(c.And(size, c.Int(64, ~int64_t{0x7FF})), c.Choose(any, c.Int(64, 0x400), zero));
    const Value large = c.Compare(Cmp::kUle, c.Int(64, int64_t{1} << 53), size);
    const Value exact = c.Choose(large, sticky, size);
    // A half in the low bits of 2^52 and 2^84, which are then taken away.
    const Value low_half =
        c.FSub(c.DoubleOf(c.Or(c.And(exact, c.Int(64, 0xFFFFFFFF)), c.Int(64, 0x4330000000000000))),
               c.Real(4503599627370496.0, a));
    const Value high_half =
        c.FSub(c.DoubleOf(c.Or(c.Lshr(exact, c.Int(64, 32)), c.Int(64, 0x4530000000000000))),
               c.Real(19342813113834066795298816.0, a));
    const Value y = c.ToFloat(c.FAdd(high_half, low_half));
    return c.Choose(negative, c.FSub(c.Float(-0.0, y), y), y);
  });
}

Value FloatToInt64(Code& c) {
  return Once(c, ".float_to_int64", c.IntType(64), {c.FloatType()}, [&](Value f) {
    const Value x = Code::Param(f, 0), bits = c.BitsOf(x), zero = c.Int(64, 0);
    const Value mantissa =
        c.ZeroExtend(c.Or(c.And(bits, c.Int(32, 0x7FFFFF)), c.Int(32, 0x800000)), 64);
    // The value is mantissa * 2^exponent.
    const Value exponent =
        c.Sub(c.And(c.Lshr(bits, c.Int(32, 23)), c.Int(32, 0xFF)), c.Int(32, 127 + 23));
    const Value right = c.Sub(c.Int(32, 0), exponent);
    const auto amount = [&](Value v) { return c.ZeroExtend(c.And(v, c.Int(32, 63)), 64); };
    const Value down =
        c.Choose(c.Compare(Cmp::kSlt, c.Int(32, 24), right), zero, c.Lshr(mantissa, amount(right)));
    const Value size = c.Choose(c.Compare(Cmp::kSle, c.Int(32, 0), exponent),
                                c.Shl(mantissa, amount(exponent)), down);
    const Value negative = c.Compare(Cmp::kSlt, bits, c.Int(32, 0));
    Value y = c.Choose(negative, c.Sub(zero, size), size);
    const double kEnd = 9223372036854775808.0;
    y = c.Choose(c.Compare(FCmp::kLe, x, c.Float(-kEnd, x)),
                 c.Int(64, std::numeric_limits<int64_t>::min()), y);
    y = c.Choose(c.Compare(FCmp::kLe, c.Float(kEnd, x), x),
                 c.Int(64, std::numeric_limits<int64_t>::max()), y);
    return c.Choose(c.Compare(FCmp::kEq, x, x), y, zero);
  });
}

}  // namespace vta::compiler::llvm
