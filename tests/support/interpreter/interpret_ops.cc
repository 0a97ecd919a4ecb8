// The interpreter's operations on lanes. Built with vectorisation (see compiler/CMakeLists.txt).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/spec/requant.h"
#include "isa/support/error.h"
#include "tests/support/interpreter/interpret_code.h"

namespace vta::compiler::loop {
namespace {

template <typename R>
R* Data(Lanes& lanes) {
  if constexpr (std::is_same_v<R, int32_t>) return lanes.i32;
  if constexpr (std::is_same_v<R, int64_t>) return lanes.i64;
  if constexpr (std::is_same_v<R, float>) return lanes.f32;
}

template <typename Out, typename In, auto kFn>
void Unary(const Instr& x, Frame& f, int lo, int hi) {
  Out* __restrict dst = Data<Out>(f.regs[x.dst]);
  const In* __restrict a = Data<In>(f.regs[x.a]);
  for (int i = lo; i < hi; ++i) dst[i] = kFn(a[i]);
}
template <typename Out, typename In, auto kFn>
void Binary(const Instr& x, Frame& f, int lo, int hi) {
  Out* __restrict dst = Data<Out>(f.regs[x.dst]);
  const In* a = Data<In>(f.regs[x.a]);
  const In* b = Data<In>(f.regs[x.b]);
  for (int i = lo; i < hi; ++i) dst[i] = kFn(a[i], b[i]);
}

template <typename T>
T FloorDivide(T a, T b) {
  return static_cast<T>(FoldInt64(Op::kFloorDiv, a, b));
}
template <typename T>
T FloorModulo(T a, T b) {
  return static_cast<T>(FoldInt64(Op::kFloorMod, a, b));
}

/// Arithmetic that wraps: on the unsigned type of the same width.
template <typename T, typename F>
T Wrapped(T a, T b, F fn) {
  if constexpr (std::is_floating_point_v<T>) {
    return fn(a, b);
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(fn(static_cast<U>(a), static_cast<U>(b)));
  }
}

template <typename T>
RunFn Arithmetic(Op op) {
  switch (op) {
    case Op::kAdd:
      return Binary<T, T,
                    [](T a, T b) { return Wrapped(a, b, [](auto x, auto y) { return x + y; }); }>;
    case Op::kSub:
      return Binary<T, T,
                    [](T a, T b) { return Wrapped(a, b, [](auto x, auto y) { return x - y; }); }>;
    case Op::kMul:
      return Binary<T, T,
                    [](T a, T b) { return Wrapped(a, b, [](auto x, auto y) { return x * y; }); }>;
    case Op::kMin:
      return Binary<T, T, [](T a, T b) { return b < a ? b : a; }>;
    case Op::kMax:
      return Binary<T, T, [](T a, T b) { return a < b ? b : a; }>;
    case Op::kAbs:
      return Unary<T, T, [](T a) {
        return a < 0 ? Wrapped(T{0}, a, [](auto x, auto y) { return x - y; }) : a;
      }>;
    case Op::kEq:
      return Binary<int32_t, T, [](T a, T b) { return static_cast<int32_t>(a == b); }>;
    case Op::kNe:
      return Binary<int32_t, T, [](T a, T b) { return static_cast<int32_t>(a != b); }>;
    case Op::kLt:
      return Binary<int32_t, T, [](T a, T b) { return static_cast<int32_t>(a < b); }>;
    case Op::kLe:
      return Binary<int32_t, T, [](T a, T b) { return static_cast<int32_t>(a <= b); }>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == Op::kFloorDiv) return Binary<T, T, FloorDivide<T>>;
    if (op == Op::kFloorMod) return Binary<T, T, FloorModulo<T>>;
  }
  return nullptr;
}

int32_t FloatToHalf(float x) {
  const int32_t sign = std::signbit(x) ? -0x8000 : 0;
  if (std::isnan(x)) return sign | 0x7E00;
  const double size = std::abs(double{x});
  if (size >= 65504) return sign | 0x7BFF;
  const int exponent = std::max(size > 0 ? std::ilogb(size) : -14, -14);
  const double fraction = std::nearbyint(std::ldexp(size, 10 - exponent));  // of 1024ths
  return sign | ((exponent + 14) * 1024 + static_cast<int32_t>(fraction));
}

RunFn FloatFn(Op op) {
  switch (op) {
    case Op::kDiv:
      return Binary<float, float, [](float a, float b) { return a / b; }>;
    case Op::kPow:
      return Binary<float, float, [](float a, float b) { return std::pow(a, b); }>;
    case Op::kExp:
      return Unary<float, float, [](float a) { return std::exp(a); }>;
    case Op::kLog:
      return Unary<float, float, [](float a) { return std::log(a); }>;
    case Op::kSqrt:
      return Unary<float, float, [](float a) { return std::sqrt(a); }>;
    case Op::kTanh:
      return Unary<float, float, [](float a) { return std::tanh(a); }>;
    case Op::kErf:
      return Unary<float, float, [](float a) { return std::erf(a); }>;
    case Op::kGelu:
      return Unary<float, float, [](float a) {
        const double wide = a;
        return static_cast<float>(0.5 * wide * std::erfc(wide * -0.70710678118654752));
      }>;
    case Op::kFloor:
      return Unary<float, float, [](float a) { return std::floor(a); }>;
    // The rounding mode is never changed, so nearbyint rounds ties to even.
    case Op::kRoundEven:
      return Unary<float, float, [](float a) { return std::nearbyint(a); }>;
    case Op::kFloatToHalf:
      return Unary<int32_t, float, FloatToHalf>;
    default:
      return nullptr;
  }
}

float HalfToFloat(int32_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const float size = exponent == 31 ? (fraction ? std::numeric_limits<float>::quiet_NaN()
                                                : std::numeric_limits<float>::infinity())
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return std::copysign(size, bits & 0x8000 ? -1.0f : 1.0f);
}

template <isa::Rounding kRounding>
void Rescale(const Instr& x, Frame& f, int lo, int hi) {
  const int32_t *a = f.regs[x.a].i32, *b = f.regs[x.b].i32, *c = f.regs[x.c].i32;
  for (int i = lo; i < hi; ++i)
    f.regs[x.dst].i64[i] = isa::FixedPointMultiply(a[i], b[i], c[i], kRounding);
}
template <isa::Rounding kRounding>
void Requantize(const Instr& x, Frame& f, int lo, int hi) {
  const int32_t *acc = f.regs[x.a].i32, *bias = f.regs[x.b].i32, *multiplier = f.regs[x.c].i32,
                *packed = f.regs[x.d].i32;
  for (int i = lo; i < hi; ++i)
    f.regs[x.dst].i32[i] =
        isa::Requant(acc[i], isa::UnpackRequant(bias[i], multiplier[i], packed[i]), kRounding);
}

RunFn Int32Fn(Op op) {
  switch (op) {
    case Op::kAnd:
      return Binary<int32_t, int32_t, [](int32_t a, int32_t b) { return a & b; }>;
    case Op::kOr:
      return Binary<int32_t, int32_t, [](int32_t a, int32_t b) { return a | b; }>;
    case Op::kNot:
      return Unary<int32_t, int32_t, [](int32_t a) { return a ^ 1; }>;
    case Op::kHalfToFloat:
      return Unary<float, int32_t, HalfToFloat>;
    case Op::kShr:
      return Binary<int32_t, int32_t, isa::ShiftRight>;
    case Op::kRescaleSingle:
      return Rescale<isa::Rounding::kSingle>;
    case Op::kRescaleDouble:
      return Rescale<isa::Rounding::kDouble>;
    case Op::kRequantSingle:
      return Requantize<isa::Rounding::kSingle>;
    case Op::kRequantDouble:
      return Requantize<isa::Rounding::kDouble>;
    default:
      return nullptr;
  }
}

/// Float to an integer type: truncates, saturates, NaN gives 0.
template <typename T>
T Saturate(float value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<float>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<float>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// To T, whose values registers hold as int32.
template <typename T, typename In>
int32_t Narrow(In a) {
  if constexpr (std::is_same_v<In, float>)
    return static_cast<int32_t>(Saturate<T>(a));
  else
    return static_cast<int32_t>(static_cast<T>(a));
}

template <typename In>
RunFn CastFrom(DType to) {
  switch (to) {
    case DType::kBool:
      return Unary<int32_t, In, [](In a) { return static_cast<int32_t>(a != 0); }>;
    case DType::kInt64:
      if constexpr (std::is_same_v<In, float>)
        return Unary<int64_t, In, Saturate<int64_t>>;
      else
        return Unary<int64_t, In, [](In a) { return static_cast<int64_t>(a); }>;
    case DType::kFloat32:
      return Unary<float, In, [](In a) { return static_cast<float>(a); }>;
    default:
      break;
  }
  switch (to) {
    case DType::kInt8:
      return Unary<int32_t, In, Narrow<int8_t, In>>;
    case DType::kUint8:
      return Unary<int32_t, In, Narrow<uint8_t, In>>;
    case DType::kInt16:
      return Unary<int32_t, In, Narrow<int16_t, In>>;
    default:
      return Unary<int32_t, In, Narrow<int32_t, In>>;
  }
}

[[noreturn]] void OutOfRange(const Frame& f, const Address& at, int dim, int64_t index,
                             int64_t extent) {
  throw Error(
      StrCat("block ", *f.block),
      dim < 0 ? StrCat("address in ", at.node->name) : StrCat("index ", dim, " of ", at.node->name),
      StrCat(index), StrCat("must be in [0, ", extent, ")"));
}

void CheckLane(const Frame& f, const Address& at, int dim, int64_t index, int64_t extent) {
  if (index < 0 || index >= extent) OutOfRange(f, at, dim, index, extent);
}

/// Calls body(lane, element) for the lanes that the mask lets through, after checking their
/// indices.
template <typename Body>
void ForEach(const Instr& x, Frame& f, int lo, int hi, Body body) {
  const Address& at = f.addresses[x.index];
  const int32_t* mask = x.mask < 0 ? nullptr : f.regs[x.mask].i32;
  const int64_t size = at.size;
  if (!at.gather.empty()) {
    for (int i = lo; i < hi; ++i) {
      if (mask && !mask[i]) continue;
      int64_t flat = 0;
      for (size_t d = 0; d < at.gather.size(); ++d) {
        const int64_t index = f.regs[at.gather[d]].i64[i];
        CheckLane(f, at, static_cast<int>(d), index, at.node->shape[d]);
        flat += index * at.node->Stride(d);
      }
      body(i, flat);
    }
    return;
  }
  const int64_t base = at.flat.Base(f.vars.data());
  if (mask) {
    for (int i = lo; i < hi; ++i) {
      if (!mask[i]) continue;
      for (const auto& [dim, form] : at.checks)
        CheckLane(f, at, dim, form.Base(f.vars.data()) + i * form.stride, at.node->shape[dim]);
      CheckLane(f, at, -1, base + i * at.flat.stride, size);
      body(i, base + i * at.flat.stride);
    }
    return;
  }
  // Indices are monotonic in the lane: both ends in range means all are.
  for (const auto& [dim, form] : at.checks) {
    const int64_t index = form.Base(f.vars.data());
    CheckLane(f, at, dim, index + lo * form.stride, at.node->shape[dim]);
    CheckLane(f, at, dim, index + (hi - 1) * form.stride, at.node->shape[dim]);
  }
  const int64_t stride = at.flat.stride;
  CheckLane(f, at, -1, base + lo * stride, size);
  CheckLane(f, at, -1, base + (hi - 1) * stride, size);
  if (stride == 1) {
    for (int i = lo; i < hi; ++i) body(i, base + i);
  } else {
    for (int i = lo; i < hi; ++i) body(i, base + i * stride);
  }
}

template <typename Memory, typename Reg>
void LoadLanes(const Instr& x, Frame& f, int lo, int hi) {
  Reg* __restrict dst = Data<Reg>(f.regs[x.dst]);
  const Memory* __restrict src =
      reinterpret_cast<const Memory*>(f.buffers[f.addresses[x.index].buffer]);
  if (x.mask >= 0) std::fill(dst + lo, dst + hi, Reg{});
  ForEach(x, f, lo, hi,
          [=](int lane, int64_t element) { dst[lane] = static_cast<Reg>(src[element]); });
}
template <typename Memory, typename Reg>
void StoreLanes(const Instr& x, Frame& f, int lo, int hi) {
  const Reg* __restrict src = Data<Reg>(f.regs[x.a]);
  Memory* __restrict dst = reinterpret_cast<Memory*>(f.buffers[f.addresses[x.index].buffer]);
  ForEach(x, f, lo, hi,
          [=](int lane, int64_t element) { dst[element] = static_cast<Memory>(src[lane]); });
}

template <typename R>
void SelectLanes(const Instr& x, Frame& f, int lo, int hi) {
  R* __restrict dst = Data<R>(f.regs[x.dst]);
  const int32_t* c = f.regs[x.a].i32;
  const R *a = Data<R>(f.regs[x.b]), *b = Data<R>(f.regs[x.c]);
  for (int i = lo; i < hi; ++i) dst[i] = c[i] ? a[i] : b[i];
}

void IndexLanes(const Instr& x, Frame& f, int lo, int hi) {
  const Form& form = f.forms[x.index];
  const int64_t base = form.Base(f.vars.data());
  int64_t* dst = f.regs[x.dst].i64;
  for (int i = lo; i < hi; ++i)
    dst[i] = static_cast<int64_t>(static_cast<uint64_t>(base) +
                                  static_cast<uint64_t>(i) * static_cast<uint64_t>(form.stride));
}

}  // namespace

int64_t Scalar::Eval(const int64_t* vars) const {
  if (op == Op::kConst) return value;
  if (op == Op::kVar) return vars[value];
  const int64_t a = args[0].Eval(vars);
  switch (op) {
    case Op::kNot:
      return !a;
    case Op::kAnd:
      return a && args[1].Eval(vars);
    case Op::kOr:
      return a || args[1].Eval(vars);
    case Op::kSelect:
      return args[a ? 1 : 2].Eval(vars);
    default:
      break;
  }
  const int64_t b = args[1].Eval(vars);
  switch (op) {
    case Op::kEq:
      return a == b;
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    default:
      return FoldInt64(op, a, b);
  }
}

RunFn FindOpFn(Op op, DType type) {
  if (type == DType::kFloat32) {
    const RunFn fn = FloatFn(op);
    return fn ? fn : Arithmetic<float>(op);
  }
  if (type == DType::kInt64) return Arithmetic<int64_t>(op);
  const RunFn fn = Int32Fn(op);
  return fn ? fn : Arithmetic<int32_t>(op);
}

RunFn FindCastFn(DType from, DType to) {
  if (from == DType::kFloat32) return CastFrom<float>(to);
  return from == DType::kInt64 ? CastFrom<int64_t>(to) : CastFrom<int32_t>(to);
}

RunFn FindWrapFn(DType type) {
  switch (type) {
    case DType::kInt8:
      return Unary<int32_t, int32_t,
                   [](int32_t a) { return static_cast<int32_t>(static_cast<int8_t>(a)); }>;
    case DType::kUint8:
      return Unary<int32_t, int32_t,
                   [](int32_t a) { return static_cast<int32_t>(static_cast<uint8_t>(a)); }>;
    case DType::kInt16:
      return Unary<int32_t, int32_t,
                   [](int32_t a) { return static_cast<int32_t>(static_cast<int16_t>(a)); }>;
    default:
      return nullptr;
  }
}

RunFn FindLoadFn(DType type) {
  constexpr RunFn kFns[] = {LoadLanes<uint8_t, int32_t>, LoadLanes<int8_t, int32_t>,
                            LoadLanes<uint8_t, int32_t>, LoadLanes<int16_t, int32_t>,
                            LoadLanes<int32_t, int32_t>, LoadLanes<int64_t, int64_t>,
                            LoadLanes<float, float>};
  return kFns[static_cast<size_t>(type)];
}
RunFn FindStoreFn(DType type) {
  constexpr RunFn kFns[] = {StoreLanes<uint8_t, int32_t>, StoreLanes<int8_t, int32_t>,
                            StoreLanes<uint8_t, int32_t>, StoreLanes<int16_t, int32_t>,
                            StoreLanes<int32_t, int32_t>, StoreLanes<int64_t, int64_t>,
                            StoreLanes<float, float>};
  return kFns[static_cast<size_t>(type)];
}
RunFn FindSelectFn(DType type) {
  if (type == DType::kFloat32) return SelectLanes<float>;
  return type == DType::kInt64 ? SelectLanes<int64_t> : SelectLanes<int32_t>;
}
RunFn IndexFn() { return IndexLanes; }
RunFn MaskFn(bool negate) {
  if (negate) return Binary<int32_t, int32_t, [](int32_t a, int32_t b) { return a & (b ^ 1); }>;
  return Binary<int32_t, int32_t, [](int32_t a, int32_t b) { return a & b; }>;
}

}  // namespace vta::compiler::loop
