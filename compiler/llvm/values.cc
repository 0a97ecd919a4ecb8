#include "compiler/llvm/values.h"

#include <llvm-c/Core.h>

#include <algorithm>
#include <numeric>

#include "compiler/llvm/integer.h"
#include "compiler/llvm/math.h"
#include "compiler/llvm/requant.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {

using loop::Affine;
using loop::DType;
using loop::Expr;
using loop::Op;
using Context = BlockFacts::Context;

namespace {

bool IsSigned(DType dtype) { return dtype != DType::kUint8 && dtype != DType::kBool; }
int BitsOf(DType dtype) {
  return dtype == DType::kBool ? 1 : static_cast<int>(8 * loop::SizeBytes(dtype));
}
constexpr int64_t kMostStride = 4;  // of elements that vectors are loaded for
Type TypeOf(Value value) { return LLVMTypeOf(value); }

bool IsRescale(const Expr& e) {
  return e.op() == Op::kRescaleSingle || e.op() == Op::kRescaleDouble;
}
isa::Rounding RoundingOf(Op op) {
  return op == Op::kRescaleSingle || op == Op::kRequantSingle ? isa::Rounding::kSingle
                                                              : isa::Rounding::kDouble;
}

}  // namespace

Type MemoryType(const Code& c, DType dtype) {
  return dtype == DType::kFloat32 ? c.FloatType()
                                  : c.IntType(static_cast<int>(8 * loop::SizeBytes(dtype)));
}

Value Values::Constant(const Expr& e) {
  if (e.dtype() == DType::kFloat32) return c_.Float(e->float_value, nullptr);
  return c_.Int(BitsOf(e.dtype()), e->int_value);
}

Values::Index Values::IndexOf(const Affine& affine, Value mask, Context& context) {
  Index index{nullptr, affine.constant, 0, 0};
  for (const Affine::Term& term : affine.terms) {
    const bool var = term.atom.op() == Op::kVar;
    if (var && term.atom->var == around_.lane) index.stride = term.coef;
    const Value value =
        var ? around_.vars.at(term.atom->var.get()) : Emit(term.atom, mask, context);
    int64_t known;
    if (Code::IsConst(value, &known)) {
      index.constant =
          loop::FoldInt64(Op::kAdd, index.constant, loop::FoldInt64(Op::kMul, known, term.coef));
      continue;
    }
    index.multiple = std::gcd(index.multiple, term.coef);
    const Value product = term.coef == 1 ? value : c_.Mul(value, c_.Int(64, term.coef, value));
    index.variable = index.variable ? c_.Add(index.variable, product) : product;
  }
  return index;
}

Values::Index Values::IndexIn(const loop::Buffer& buffer, const Affine& affine, Value mask,
                              Context& context) {
  if (!around_.own.contains(buffer.get())) return IndexOf(affine, mask, context);
  return IndexOf(lower::WithoutThreads(affine, around_.threads), mask, context);
}

Value Values::Sum(const Affine& affine, Value mask, Context& context) {
  const Index index = IndexOf(affine, mask, context);
  Value sum = index.variable ? index.variable : c_.Int(64, 0);
  if (index.constant != 0) sum = c_.Add(sum, c_.Int(64, index.constant));
  return index.stride ? c_.Add(sum, c_.Iota(around_.lanes, index.stride)) : sum;
}

int Values::AlignmentOf(const loop::Buffer& buffer, const Index& index) const {
  const int64_t element = loop::SizeBytes(buffer->dtype), most = c_.traits().access_bytes;
  if (most <= element) return static_cast<int>(element);
  // Buffers begin at a multiple of `most`, as tensors do.
  const int64_t offset = std::gcd(std::gcd(index.multiple, index.constant) * element, most);
  return static_cast<int>(std::max(offset, element));
}

/// The element of a scalar index. The constant is added last, where it becomes part of an address.
Value Values::At(const loop::Buffer& buffer, const Index& index) {
  const Type type = MemoryType(c_, buffer->dtype);
  Value pointer = around_.memory.at(buffer.get());
  if (index.variable) pointer = c_.Offset(type, pointer, index.variable);
  return c_.Offset(type, pointer, c_.Int(64, index.constant));
}

Value Values::LanePointers(const loop::Buffer& buffer, const Index& index) {
  const Type type = MemoryType(c_, buffer->dtype);
  Value at = c_.Add(c_.Iota(around_.lanes, index.stride), c_.Int(64, index.constant));
  if (index.variable) at = c_.Add(at, index.variable);
  return c_.Offset(type, around_.memory.at(buffer.get()), at);
}

/// Every so many elements, from vectors that hold all between the first and the last.
Value Values::LoadStrided(const loop::Buffer& buffer, const Index& index) {
  const int lanes = around_.lanes, stride = static_cast<int>(index.stride);
  const int last = (lanes - 1) * stride;
  const Type type = c_.Wide(MemoryType(c_, buffer->dtype), lanes);
  Value all = nullptr;
  for (int part = 0; part < stride; ++part) {
    const int start = std::min(part * lanes, last + 1 - lanes);
    Index at = index;
    at.constant += start;
    const Value loaded =
        c_.LoadFrom(type, At(buffer, at), static_cast<int>(loop::SizeBytes(buffer->dtype)));
    std::vector<int> places(lanes);
    for (int lane = 0; lane < lanes; ++lane) {
      const int element = lane * stride - start;
      const bool is_here = element >= 0 && element < lanes;
      places[lane] = part == 0 ? (is_here ? element : lane) : is_here ? lanes + element : lane;
    }
    all = part == 0 ? c_.Shuffle(loaded, loaded, places) : c_.Shuffle(all, loaded, places);
  }
  return all;
}

Value Values::Load(const Expr& e, Value mask, Context& context) {
  const loop::Buffer& buffer = e->buffer;
  const Index index =
      IndexIn(buffer, BlockFacts::Flat(context, e.get(), buffer, e->args), mask, context);
  const Type type = MemoryType(c_, buffer->dtype);
  const int alignment = AlignmentOf(buffer, index), lanes = around_.lanes;
  const int64_t element = loop::SizeBytes(buffer->dtype);
  if (mask && facts_.IsSafe(e)) mask = nullptr;
  const bool vector = index.variable && Code::Lanes(index.variable);
  Value loaded;
  if (lanes == 0 && mask) {
    const Value pointer = At(buffer, index);
    loaded =
        c_.LoadFrom(type, c_.Choose(mask, pointer, around_.memory.at(buffer.get())), alignment);
  } else if (!vector && index.stride == 0 && !mask) {
    loaded = c_.LoadFrom(type, At(buffer, index), alignment);
  } else if (!vector && index.stride == 1 && !mask) {
    loaded = c_.LoadFrom(c_.Wide(type, lanes), At(buffer, index), alignment);
  } else if (!vector && index.stride >= 2 && index.stride <= kMostStride && !mask && lanes >= 4) {
    loaded = LoadStrided(buffer, index);
  } else {
    const bool dense = !vector && index.stride == 1;
    const Value pointer = dense ? At(buffer, index) : LanePointers(buffer, index);
    const Type wide = c_.Wide(type, lanes);
    const Value all = c_.Splat(mask ? mask : c_.Int(1, 1), lanes);
    loaded =
        c_.Intrinsic(dense ? "llvm.masked.load" : "llvm.masked.gather", {wide, TypeOf(pointer)},
                     {pointer, c_.Int(32, dense ? alignment : element), all, LLVMConstNull(wide)});
  }
  if (buffer->dtype != DType::kBool) return loaded;
  return c_.Compare(Cmp::kNe, loaded, c_.Int(8, 0, loaded));
}

void Values::Store(const loop::Buffer& buffer, const Index& index, Value value, Value mask) {
  const int alignment = AlignmentOf(buffer, index), lanes = around_.lanes;
  const int64_t element = loop::SizeBytes(buffer->dtype);
  if (buffer->dtype == DType::kBool) value = c_.ZeroExtend(value, 8);
  const bool vector = index.variable && Code::Lanes(index.variable);
  if (lanes == 0) return c_.StoreTo(value, At(buffer, index), alignment);
  value = c_.Splat(value, lanes);
  const bool dense = !vector && index.stride == 1;
  if (dense && !mask) return c_.StoreTo(value, At(buffer, index), alignment);
  const Value pointer = dense ? At(buffer, index) : LanePointers(buffer, index);
  const Value all = c_.Splat(mask ? mask : c_.Int(1, 1), lanes);
  c_.Intrinsic(dense ? "llvm.masked.store" : "llvm.masked.scatter",
               {TypeOf(value), TypeOf(pointer)},
               {value, pointer, c_.Int(32, dense ? alignment : element), all});
}

bool Values::CopyAside(const loop::Store& store, const Affine& flat) {
  Context* context = &facts_.everywhere();
  Expr load = store.value;
  Value condition = nullptr;
  if (load.op() == Op::kSelect) {
    condition = Emit(load->args[0], nullptr, *context);
    int64_t known;
    if (Code::Lanes(condition) || Code::IsConst(condition, &known)) return false;
    context = &BlockFacts::Side(*context, load, true);
    load = load->args[1];
  }
  const int64_t bytes = loop::SizeBytes(load.dtype()) * std::max(around_.lanes, 1);
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  const Index to = IndexOf(flat, nullptr, facts_.everywhere()),
              from = IndexIn(load->buffer,
                             BlockFacts::Flat(*context, load.get(), load->buffer, load->args),
                             nullptr, *context);
  for (const auto& [buffer, index] : {std::pair(store.buffer, to), std::pair(load->buffer, from)}) {
    const bool dense = index.stride == 1 && !(index.variable && Code::Lanes(index.variable));
    if (around_.lanes > 0 && !dense) return false;
    if (AlignmentOf(buffer, index) < bytes) return false;
  }
  const Value size = condition ? c_.Choose(condition, c_.Int(32, bytes), c_.Int(32, 0)) : nullptr;
  c_.CopyAside(At(store.buffer, to), At(load->buffer, from), static_cast<int>(bytes), size);
  return true;
}

Value Values::LoadAt(const loop::Buffer& buffer, const Affine& flat, Type type, Context& context) {
  const Index index = IndexIn(buffer, flat, nullptr, context);
  return c_.LoadFrom(type, At(buffer, index), AlignmentOf(buffer, index));
}

void Values::StoreAt(const loop::Buffer& buffer, const Affine& flat, Value value,
                     Context& context) {
  Store(buffer, IndexIn(buffer, flat, nullptr, context), value, nullptr);
}

Value Values::Emit(const Expr& e, Value mask, Context& context) {
  if (e.op() == Op::kConst) return Constant(e);
  if (e.op() == Op::kLoad) return Load(e, mask, context);
  if (e.op() == Op::kSelect) return Select(e, mask, context);
  if (e.op() == Op::kVar) {
    const Value base = around_.vars.at(e->var.get());
    return e->var == around_.lane ? c_.Add(base, c_.Iota(around_.lanes, 1)) : base;
  }
  if (e.dtype() == DType::kInt64 &&
      (e.op() == Op::kAdd || e.op() == Op::kSub || e.op() == Op::kMul)) {
    // A form of one atom may be the expression itself.
    const Affine& form = BlockFacts::Form(context, e);
    if (form.terms.size() != 1 || form.constant != 0 || form.terms[0].coef != 1)
      return Sum(form, mask, context);
  }
  std::vector<Value> args;
  // Of numbers that 64 bits hold the lower halves alone are cheaper.
  if (e.op() == Op::kCast && e.dtype() == DType::kInt32 && IsRescale(e->args[0])) {
    for (const Expr& arg : e->args[0]->args) args.push_back(Emit(arg, mask, context));
    return RescaleLow(c_, args[0], args[1], args[2], RoundingOf(e->args[0].op()));
  }
  for (const Expr& arg : e->args) args.push_back(Emit(arg, mask, context));
  return e.op() == Op::kCast ? Cast(e, args[0], context) : Apply(e, args, context);
}

Value Values::Select(const Expr& e, Value mask, Context& context) {
  const Value condition = Emit(e->args[0], mask, context);
  int64_t known;
  if (Code::IsConst(condition, &known))
    return Emit(e->args[known ? 1 : 2], mask, BlockFacts::Side(context, e, known != 0));
  if (facts_.AllSafe(e->args[1]) && facts_.AllSafe(e->args[2])) {
    // Both are made whatever the condition is, which then says nothing of their indices.
    const Value a = Emit(e->args[1], mask, context), b = Emit(e->args[2], mask, context);
    return c_.Choose(condition, a, b);
  }
  Context &yes = BlockFacts::Side(context, e, true), &no = BlockFacts::Side(context, e, false);
  // A GPU's threads go together: a branch would keep the loads behind it from beginning.
  if (Code::Lanes(condition) || c_.traits().arch == isa::kPtxArch) {
    const auto under = [&](Value side) { return mask ? c_.And(mask, side) : side; };
    const Value a = Emit(e->args[1], under(condition), yes);
    const Value b = Emit(e->args[2], under(c_.Not(condition)), no);
    return c_.Choose(condition, a, b);
  }
  const Place on_yes = c_.NewPlace("yes"), on_no = c_.NewPlace("no"), done = c_.NewPlace("done");
  c_.Branch(condition, on_yes, on_no);
  c_.At(on_yes);
  Value a = Emit(e->args[1], mask, yes);
  const Place after_yes = c_.Here();
  c_.At(on_no);
  Value b = Emit(e->args[2], mask, no);
  b = c_.Splat(b, Code::Lanes(a));
  c_.Jump(done);
  const Place after_no = c_.Here();
  c_.At(after_yes);
  a = c_.Splat(a, Code::Lanes(b));
  c_.Jump(done);
  c_.At(done);
  const Value phi = c_.Phi(TypeOf(a), "");
  Code::Incoming(phi, a, after_yes);
  Code::Incoming(phi, b, after_no);
  return phi;
}

Value Values::Cast(const Expr& e, Value a, Context& context) {
  const DType from = e->args[0].dtype(), to = e.dtype();
  if (from == DType::kFloat32) {
    if (to == DType::kBool) return c_.Compare(FCmp::kNe, a, c_.Float(0, a));
    return Saturate(c_, a, to);
  }
  if (to == DType::kBool) return c_.Compare(Cmp::kNe, a, c_.Int(Code::Bits(a), 0, a));
  if (to == DType::kFloat32) {
    const loop::Interval range =
        loop::Row(from).integer ? context.facts.Bounds(e->args[0]) : loop::Interval{};
    return ToFloat(c_, a, IsSigned(from), range);
  }
  const int bits = BitsOf(to);
  if (Code::Bits(a) >= bits) return c_.Truncate(a, bits);
  return IsSigned(from) ? c_.SignExtend(a, bits) : c_.ZeroExtend(a, bits);
}

Value Values::Apply(const Expr& e, const std::vector<Value>& args, Context& context) {
  const DType type = e->args[0].dtype();
  if (type == DType::kFloat32) return ApplyFloat(e.op(), args);
  switch (e.op()) {
    case Op::kShr:
      return ShiftRight(c_, args[0], args[1]);
    case Op::kRescaleSingle:
    case Op::kRescaleDouble:
      return Rescale(c_, args[0], args[1], args[2], RoundingOf(e.op()));
    case Op::kHalfToFloat:
      return HalfToFloat(c_, args[0]);
    case Op::kRequantSingle:
    case Op::kRequantDouble:
      return Requant(c_, args[0], args[1], args[2], args[3], RoundingOf(e.op()));
    case Op::kAnd:
      return c_.And(args[0], args[1]);
    case Op::kOr:
      return c_.Or(args[0], args[1]);
    case Op::kNot:
      return c_.Not(args[0]);
    default:
      return ApplyInteger(e, args, context);
  }
}

Value Values::ApplyInteger(const Expr& e, const std::vector<Value>& args, Context& context) {
  const DType type = e->args[0].dtype();
  const bool is_signed = IsSigned(type);
  const Value a = args[0], b = args.size() > 1 ? args[1] : nullptr;
  const auto bounds = [&](int i) { return context.facts.Bounds(e->args[i]); };
  switch (e.op()) {
    case Op::kAdd:
      return c_.Add(a, b);
    case Op::kSub:
      return c_.Sub(a, b);
    case Op::kMul:
      return c_.Mul(a, b);
    case Op::kFloorDiv:
      return FloorDiv(c_, a, b, is_signed, bounds(0), bounds(1));
    case Op::kFloorMod:
      return FloorMod(c_, a, b, is_signed, bounds(0), bounds(1));
    case Op::kMin:
      return c_.Choose(c_.Compare(is_signed ? Cmp::kSlt : Cmp::kUlt, b, a), b, a);
    case Op::kMax:
      return c_.Choose(c_.Compare(is_signed ? Cmp::kSlt : Cmp::kUlt, a, b), b, a);
    case Op::kAbs: {
      const Value zero = c_.Int(BitsOf(type), 0, a);
      return is_signed ? c_.Choose(c_.Compare(Cmp::kSlt, a, zero), c_.Sub(zero, a), a) : a;
    }
    case Op::kEq:
      return c_.Compare(Cmp::kEq, a, b);
    case Op::kNe:
      return c_.Compare(Cmp::kNe, a, b);
    case Op::kLt:
      return c_.Compare(is_signed ? Cmp::kSlt : Cmp::kUlt, a, b);
    case Op::kLe:
      return c_.Compare(is_signed ? Cmp::kSle : Cmp::kUle, a, b);
    default:
      VTA_CHECK(false, "no code for ", Row(e.op()).name);
      return nullptr;
  }
}

Value Values::ApplyFloat(Op op, const std::vector<Value>& args) {
  const Value a = args[0], b = args.size() > 1 ? args[1] : nullptr;
  switch (op) {
    case Op::kAdd:
      return c_.FAdd(a, b);
    case Op::kSub:
      return c_.FSub(a, b);
    case Op::kMul:
      return c_.FMul(a, b);
    case Op::kDiv:
      return c_.FDiv(a, b);
    case Op::kMin:
      return c_.Choose(c_.Compare(FCmp::kLt, b, a), b, a);
    case Op::kMax:
      return c_.Choose(c_.Compare(FCmp::kLt, a, b), b, a);
    case Op::kEq:
      return c_.Compare(FCmp::kEq, a, b);
    case Op::kNe:
      return c_.Compare(FCmp::kNe, a, b);
    case Op::kLt:
      return c_.Compare(FCmp::kLt, a, b);
    case Op::kLe:
      return c_.Compare(FCmp::kLe, a, b);
    case Op::kAbs:
      return c_.Choose(c_.Compare(FCmp::kLt, a, c_.Float(0, a)), c_.FSub(c_.Float(0, a), a), a);
    case Op::kExp:
      return Exp(c_, a);
    case Op::kLog:
      return Log(c_, a);
    case Op::kSqrt:
      return c_.Intrinsic("llvm.sqrt", {a});
    case Op::kTanh:
      return Tanh(c_, a);
    case Op::kErf:
      return Erf(c_, a);
    case Op::kGelu:
      return Gelu(c_, a);
    case Op::kFloor:
      return Floor(c_, a);
    case Op::kRoundEven:
      return RoundEven(c_, a);
    case Op::kPow:
      return Pow(c_, a, b);
    case Op::kFloatToHalf:
      return FloatToHalf(c_, a);
    default:
      VTA_CHECK(false, "no float code for ", Row(op).name);
      return nullptr;
  }
}

}  // namespace vta::compiler::llvm
