#include "compiler/opencl/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "isa/support/error.h"

namespace vta::compiler::opencl {

using loop::Affine;
using loop::DType;
using loop::Expr;
using loop::Op;

namespace {

constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max();

Text Infix(const Text& a, std::string_view op, const Text& b) {
  return {StrCat(a.Operand(), " ", op, " ", b.Operand()), false, false, std::max(a.lanes, b.lanes)};
}

Text As(std::string_view type, const Text& a) { return {StrCat("(", type, ")", a.Operand())}; }

Text Float(double value) {
  const auto number = static_cast<float>(value);
  if (std::isnan(number)) return {"NAN"};
  if (std::isinf(number)) return {number < 0 ? "-INFINITY" : "INFINITY", number > 0};
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", number);
  std::string text = digits.data();
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text + "f", !std::signbit(number)};
}

/// The greatest magnitude of what an interval holds; beyond int where that is not known.
int64_t Magnitude(const loop::Interval& range) {
  if (!range.Known()) return kMostInt + 1;
  return std::min(std::max(std::abs(range.low), std::abs(range.high)), kMostInt + 1);
}

bool IsSmall(DType dtype) { return loop::SizeBytes(dtype) < 4; }

/// Of two bytes or words, whose product an int holds.
bool IsProductOfSmall(const Expr& e) {
  const auto small = [](const Expr& arg) {
    return arg.op() == Op::kCast && IsSmall(arg->args[0].dtype());
  };
  return e.op() == Op::kMul && small(e->args[0]) && small(e->args[1]);
}

/// By the name of OpenCL's own function, or nullptr.
const char* BuiltIn(Op op) {
  switch (op) {
    case Op::kExp:
      return "exp";
    case Op::kLog:
      return "log";
    case Op::kSqrt:
      return "sqrt";
    case Op::kTanh:
      return "tanh";
    case Op::kErf:
      return "erf";
    case Op::kFloor:
      return "floor";
    case Op::kRoundEven:
      return "rint";
    case Op::kPow:
      return "pow";
    default:
      return nullptr;
  }
}

const char* Helper(Op op) {
  switch (op) {
    case Op::kMin:
      return "min";
    case Op::kMax:
      return "max";
    case Op::kAbs:
      return "abs";
    case Op::kFloorDiv:
      return "floor_div";
    case Op::kFloorMod:
      return "floor_mod";
    case Op::kShr:
      return "shift_right";
    case Op::kRescaleSingle:
      return "rescale_single";
    case Op::kRescaleDouble:
      return "rescale_double";
    case Op::kRequantSingle:
      return "requant_single";
    case Op::kRequantDouble:
      return "requant_double";
    case Op::kHalfToFloat:
      return "half_to_float";
    case Op::kFloatToHalf:
      return "float_to_half";
    case Op::kGelu:
      return "gelu";
    default:
      return nullptr;
  }
}

std::string Listed(const std::vector<Text>& args) {
  std::string all;
  for (const Text& arg : args) all += StrCat(all.empty() ? "" : ", ", arg.text);
  return all;
}

/// All with as many lanes as the widest has: how many that are.
int SplatAll(const Expr& e, std::vector<Text>& args) {
  int lanes = 0;
  for (const Text& arg : args) lanes = std::max(lanes, arg.lanes);
  for (size_t i = 0; i < args.size(); ++i) args[i] = Splat(e->args[i].dtype(), args[i], lanes);
  return lanes;
}

Text Cast(DType from, DType to, const Text& a) {
  if (to == DType::kBool) return Infix(a, "!=", {from == DType::kFloat32 ? "0.0f" : "0"});
  const std::string lanes = a.lanes ? std::to_string(a.lanes) : "";
  if (to == DType::kFloat32)
    return a.lanes ? Text{StrCat("convert_float", lanes, "(", a.text, ")"), true, false, a.lanes}
                   : As("float", a);
  if (from == DType::kFloat32)
    return {StrCat("convert_", MemoryType(to), lanes, "_sat(", a.text, ")"), true,
            to == DType::kInt64, a.lanes};
  if (to == DType::kInt64) return a;
  if (to == DType::kInt32) return a.wide ? As("int", a) : a;
  const loop::DTypeRow &have = Row(from), &want = Row(to);
  const bool fits = from == DType::kBool || (have.low >= want.low && have.high <= want.high);
  return fits ? a : As(MemoryType(to), a);
}

}  // namespace

std::string_view MemoryType(DType dtype) {
  constexpr std::string_view kTypes[] = {"uchar", "char", "uchar", "short", "int", "long", "float"};
  return kTypes[static_cast<size_t>(dtype)];
}

std::string_view ValueType(DType dtype) {
  return IsSmall(dtype) ? std::string_view("int") : MemoryType(dtype);
}

Text Splat(DType dtype, const Text& value, int lanes) {
  if (lanes == value.lanes) return value;
  return {StrCat("(", MemoryType(dtype), lanes, ")(", value.text, ")"), true, false, lanes};
}

Affine Surroundings::InPart(const loop::Buffer& buffer, const Affine& index) const {
  const auto part = parts.find(buffer.get());
  if (part == parts.end()) return index;
  const Affine own = lower::WithoutThreads(index, threads);
  return notes ? own : part->second.Packed(own);
}

bool Surroundings::IsDense(const loop::Buffer& buffer, const Affine& index) const {
  const Affine form = InPart(buffer, index);
  return form.Coef(lane) == 1 && std::ranges::none_of(form.terms, [&](const Affine::Term& term) {
           return term.atom.op() != Op::kVar && Uses(term.atom, lane);
         });
}

Text Integer(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return {"LONG_MIN", true, true};
  if (value == std::numeric_limits<int32_t>::min()) return {"INT_MIN"};
  const bool wide = std::abs(value) > kMostInt;
  return {StrCat(value, wide ? "L" : ""), value >= 0, wide};
}

Text Values::Sum(const Affine& affine, const std::string& mask, Context& context) {
  struct Product {
    Text atom;
    int64_t coef;
  };
  std::vector<Product> products;
  bool wide = std::abs(affine.constant) > kMostInt;
  int64_t most = std::min(std::abs(affine.constant), kMostInt + 1);
  for (const Affine::Term& term : affine.terms) {
    const Text atom = Emit(term.atom, mask, context);
    if (atom.text == "0") continue;  // of a loop of one iteration
    products.push_back({atom, term.coef});
    wide |= atom.wide || std::abs(term.coef) > kMostInt;
    if (!wide) most += Magnitude(context.facts.Bounds(term.atom)) * std::abs(term.coef);
    wide |= most > kMostInt;
  }
  if (products.empty()) return Integer(affine.constant);
  // Of ulong, which wraps, where an int may not hold it.
  const auto factor = [&](int64_t coef) {
    return wide ? StrCat(static_cast<uint64_t>(coef), "UL") : Integer(coef).Operand();
  };
  std::string text;
  for (const auto& [atom, coef] : products) {
    const bool less = !wide && coef < 0 && !text.empty();
    if (!text.empty()) text += less ? " - " : " + ";
    text += (wide ? "(ulong)" : "") + atom.Operand();
    if (const int64_t by = less ? -coef : coef; by != 1) text += StrCat(" * ", factor(by));
  }
  if (wide) {
    if (affine.constant != 0) text += " + " + factor(affine.constant);
    return {StrCat("(long)(", text, ")"), true, true};
  }
  if (affine.constant != 0)
    text += StrCat(affine.constant < 0 ? " - " : " + ", std::abs(affine.constant));
  const bool alone = products.size() == 1 && affine.constant == 0 && products[0].coef == 1;
  return {text, alone && products[0].atom.atom};
}

Text Values::Index(const loop::Buffer& buffer, const Affine& flat, const std::string& mask,
                   Context& context) {
  const Affine index = around_.InPart(buffer, flat);
  if (const auto part = around_.parts.find(buffer.get());
      part != around_.parts.end() && around_.notes)
    part->second.Note(index, context.facts);
  Text at = Sum(index, mask, context);
  if (!mask.empty()) at.text = StrCat(mask, " ? ", at.Operand(), " : 0");
  return at;
}

Text Values::Load(const Expr& e, const std::string& mask, Context& context) {
  const Affine& flat = lower::BlockFacts::Flat(context, e.get(), e->buffer, e->args);
  const Text at = Index(e->buffer, flat, mask.empty() || facts_.IsSafe(e) ? "" : mask, context);
  if (around_.lane && flat.Coef(around_.lane) != 0)
    return {StrCat("vload", around_.lanes, "(0, ", around_.buffers.at(e->buffer.get()), " + ",
                   at.Operand(), ")"),
            true, false, around_.lanes};
  Text element{StrCat(around_.buffers.at(e->buffer.get()), "[", at.text, "]")};
  element.wide = e.dtype() == DType::kInt64;
  return e.dtype() == DType::kBool ? Infix(element, "!=", {"0"}) : element;
}

Text Values::Select(const Expr& e, const std::string& mask, Context& context) {
  Text condition = Emit(e->args[0], mask, context);
  Text a, b;
  if (facts_.AllSafe(e->args[1]) && facts_.AllSafe(e->args[2])) {
    // Both may be made whatever the condition is, which then says nothing of their indices.
    a = Emit(e->args[1], mask, context), b = Emit(e->args[2], mask, context);
  } else {
    // Loads of where the element is, or of the first one, need no branch.
    const auto name = [&](const Text& value) {
      const std::string one = out_.NewName("inside");
      out_.Line(StrCat("const int ", one, " = ",
                       mask.empty() ? value.text : StrCat(mask, " & ", value.Operand()), ";"));
      return one;
    };
    const std::string yes = name(condition);
    if (mask.empty()) condition = {yes};
    a = Emit(e->args[1], yes, lower::BlockFacts::Side(context, e, true));
    const std::string no =
        facts_.AllSafe(e->args[2]) ? mask : name({StrCat("!", condition.Operand())});
    b = Emit(e->args[2], no, lower::BlockFacts::Side(context, e, false));
  }
  const int lanes = std::max(a.lanes, b.lanes);
  a = Splat(e.dtype(), a, lanes), b = Splat(e.dtype(), b, lanes);
  return {StrCat(condition.Operand(), " ? ", a.Operand(), " : ", b.Operand()), false,
          a.wide || b.wide, lanes};
}

Text Values::Emit(const Expr& e, const std::string& mask, Context& context) {
  switch (e.op()) {
    case Op::kConst:
      return e.dtype() == DType::kFloat32 ? Float(e->float_value) : Integer(e->int_value);
    case Op::kVar:
      return around_.vars.at(e->var.get());
    case Op::kLoad:
      return Load(e, mask, context);
    case Op::kSelect:
      return Select(e, mask, context);
    default:
      break;
  }
  if (e.dtype() == DType::kInt64 &&
      (e.op() == Op::kAdd || e.op() == Op::kSub || e.op() == Op::kMul)) {
    // A form of one atom may be the expression itself.
    const Affine& form = lower::BlockFacts::Form(context, e);
    if (form.terms.size() != 1 || form.constant != 0 || form.terms[0].coef != 1)
      return Sum(form, mask, context);
  }
  std::vector<Text> args;
  for (const Expr& arg : e->args) args.push_back(Emit(arg, mask, context));
  return e.op() == Op::kCast ? Cast(e->args[0].dtype(), e.dtype(), args[0])
                             : Apply(e, args, context);
}

/// A helper's: of the type of the operands, where there is one for each.
Text Values::Call(const char* helper, const Expr& e, std::vector<Text> args) {
  const int lanes = SplatAll(e, args);
  const DType type = e->args[0].dtype();
  const bool wide = std::ranges::any_of(args, [](const Text& arg) { return arg.wide; });
  std::string name = helper;
  const loop::OpType kind = loop::Row(e.op()).type;
  if (kind == loop::OpType::kArithmetic || kind == loop::OpType::kInteger ||
      kind == loop::OpType::kFloat)
    name += type == DType::kFloat32 ? StrCat("_float", lanes ? std::to_string(lanes) : "")
            : wide                  ? "_long"
                                    : "_int";
  return {out_.Call(name, Listed(args)), true,
          e.dtype() == DType::kInt64 && (wide || type != e.dtype()), lanes};
}

Text Values::MulAdd(const lower::Assignment& one, Context& context) {
  const Expr& e = one.store.value;
  std::vector<Text> args;
  for (const Expr* arg : {&one.left, &one.right, &one.sum})
    args.push_back(Splat(e.dtype(), Emit(*arg, "", context), around_.lanes));
  return {out_.Call(StrCat("mul_add_float", around_.lanes ? std::to_string(around_.lanes) : ""),
                    Listed(args)),
          true, false, around_.lanes};
}

Text Values::Divide(const Expr& e, const std::vector<Text>& args, Context& context) {
  const bool unsigned_bytes = e.dtype() == DType::kUint8;
  const loop::Interval a = context.facts.Bounds(e->args[0]), b = context.facts.Bounds(e->args[1]);
  const bool plain =
      e.dtype() == DType::kInt64 && a.Known() && b.Known() && a.low >= 0 && b.low > 0;
  if (plain) {
    Text quotient = Infix(args[0], e.op() == Op::kFloorDiv ? "/" : "%", args[1]);
    quotient.wide = args[0].wide || args[1].wide;
    return quotient;
  }
  std::vector<Text> operands = args;
  // The least int by -1 is no int.
  if (e.dtype() == DType::kInt64 && !(b.Known() && b.low > 0) && !args[0].wide)
    operands[0] = As("long", args[0]), operands[0].wide = true;
  Text divided = Call(Helper(e.op()), e, operands);
  return IsSmall(e.dtype()) && !unsigned_bytes ? As(MemoryType(e.dtype()), divided) : divided;
}

Text Values::Apply(const Expr& e, const std::vector<Text>& args, Context& context) {
  const DType type = e->args[0].dtype();
  const bool real = type == DType::kFloat32;
  if (const char* name = BuiltIn(e.op())) {
    std::vector<Text> all = args;
    const int lanes = SplatAll(e, all);
    return {StrCat(name, "(", Listed(all), ")"), true, false, lanes};
  }
  const auto wraps = [&](const char* op) {
    if (real) return Infix(args[0], op, args[1]);
    if (IsSmall(type)) return As(MemoryType(type), {Infix(args[0], op, args[1]).text, false});
    if (IsProductOfSmall(e)) return Infix(args[0], op, args[1]);
    const bool wide = type == DType::kInt64;
    const std::string_view whole = wide ? "ulong" : "uint";
    Text sum = As(wide ? "long" : "int", Infix(As(whole, args[0]), op, As(whole, args[1])));
    sum.wide = wide;
    return sum;
  };
  switch (e.op()) {
    case Op::kAdd:
      return wraps("+");
    case Op::kSub:
      return wraps("-");
    case Op::kMul:
      return wraps("*");
    case Op::kDiv:
      return Infix(args[0], "/", args[1]);
    case Op::kEq:
      return Infix(args[0], "==", args[1]);
    case Op::kNe:
      return Infix(args[0], "!=", args[1]);
    case Op::kLt:
      return Infix(args[0], "<", args[1]);
    case Op::kLe:
      return Infix(args[0], "<=", args[1]);
    // Both are 0 or 1. PoCL 3.1 drops conditions of stores that are written by short-circuit.
    case Op::kAnd:
      return Infix(args[0], "&", args[1]);
    case Op::kOr:
      return Infix(args[0], "|", args[1]);
    case Op::kNot:
      return {StrCat("!", args[0].Operand())};
    case Op::kFloorDiv:
    case Op::kFloorMod:
      return Divide(e, args, context);
    case Op::kAbs: {
      if (type == DType::kInt64 && !args[0].wide) {  // that of the least int is no int
        Text wide = As("long", args[0]);
        wide.wide = true;
        return Call("abs", e, {wide});
      }
      const Text size = Call("abs", e, args);
      return IsSmall(type) ? As(MemoryType(type), size) : size;
    }
    default:
      VTA_CHECK(Helper(e.op()), "no code for ", Row(e.op()).name);
      return Call(Helper(e.op()), e, args);
  }
}

}  // namespace vta::compiler::opencl
