// Element types of the loop IR and the table of its operations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vta::compiler::loop {

enum class DType : uint8_t { kBool, kInt8, kUint8, kInt16, kInt32, kInt64, kFloat32 };

struct DTypeRow {
  DType dtype;
  std::string_view name;     // as written in a declaration or a cast
  std::string_view literal;  // suffix of a constant: 5i8; int64 has none
  int64_t size_bytes;
  bool integer;
  int64_t low, high;  // of an integer type
};

/// The row of a type; rows stand in the order of the enumeration.
const DTypeRow& Row(DType dtype);
std::span<const DTypeRow> DTypes();
inline std::string_view Name(DType dtype) { return Row(dtype).name; }
inline int64_t SizeBytes(DType dtype) { return Row(dtype).size_bytes; }

/// Arithmetic on integers wraps in its own type. Conversion between integers wraps; from float to
/// an integer it truncates and saturates, with NaN giving 0.
enum class Op : uint8_t {
  kConst,
  kVar,
  kLoad,
  kCast,
  kSelect,  // select(condition, a, b): only the chosen side is evaluated
  kAdd,
  kSub,
  kMul,
  kDiv,       // float
  kFloorDiv,  // integers, rounding down; a zero divisor gives 0
  kFloorMod,  // a - b * floordiv(a, b)
  kMin,
  kMax,
  kEq,
  kNe,
  kLt,
  kLe,
  kAnd,
  kOr,
  kNot,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kTanh,
  kErf,
  kGelu,
  kFloor,
  kRoundEven,  // to the nearest integer value, ties to even
  kPow,
  kShr,            // int32, as isa::ShiftRight
  kRescaleSingle,  // (value, multiplier, exponent) -> int64, as isa::FixedPointMultiply
  kRescaleDouble,
  kRequantSingle,  // (accumulator, bias, multiplier, packed) -> int32, as isa::Requant
  kRequantDouble,
  kHalfToFloat,  // int16, the bits of an IEEE number of 16 bits, which is made a float32
  kFloatToHalf,  // the bits of the nearest one, ties to even; of what is too large the largest
};

/// What the operands of an operation must be.
enum class OpType : uint8_t {
  kSpecial,     // constants, variables, loads, casts, select: own rules
  kArithmetic,  // equal numeric types -> the same
  kInteger,     // equal integer types -> the same
  kFloat,       // float32 -> float32
  kCompare,     // equal types -> bool
  kLogic,       // bool -> bool
  kInt32,       // int32 -> int32
  kInt32Wide,   // int32 -> int64
  kInt16Float,  // int16 -> float32
  kFloatInt16,  // float32 -> int16
};

struct OpRow {
  Op op;
  std::string_view name;  // infix symbol, or the name of a call
  int arity;
  int precedence;  // of an infix operator, higher binds tighter; 0 for a call
  OpType type;
};
const OpRow& Row(Op op);
std::span<const OpRow> Ops();
/// The row with this name (and infix or not), or nullptr.
const OpRow* FindOp(std::string_view name, bool infix);

}  // namespace vta::compiler::loop
