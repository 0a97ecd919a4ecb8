#include "compiler/loop/types.h"

#include <limits>

#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

constexpr DTypeRow kDTypes[] = {
    {DType::kBool, "bool", "", 1, false, 0, 1},
    {DType::kInt8, "int8", "i8", 1, true, -128, 127},
    {DType::kUint8, "uint8", "u8", 1, true, 0, 255},
    {DType::kInt16, "int16", "i16", 2, true, -32768, 32767},
    {DType::kInt32, "int32", "i32", 4, true, std::numeric_limits<int32_t>::min(),
     std::numeric_limits<int32_t>::max()},
    {DType::kInt64, "int64", "", 8, true, std::numeric_limits<int64_t>::min(),
     std::numeric_limits<int64_t>::max()},
    {DType::kFloat32, "float32", "f", 4, false, 0, 0},
};

constexpr OpRow kOps[] = {
    {Op::kConst, "", 0, 0, OpType::kSpecial},
    {Op::kVar, "", 0, 0, OpType::kSpecial},
    {Op::kLoad, "", -1, 0, OpType::kSpecial},
    {Op::kCast, "", 1, 0, OpType::kSpecial},
    {Op::kSelect, "select", 3, 0, OpType::kSpecial},
    {Op::kAdd, "+", 2, 4, OpType::kArithmetic},
    {Op::kSub, "-", 2, 4, OpType::kArithmetic},
    {Op::kMul, "*", 2, 5, OpType::kArithmetic},
    {Op::kDiv, "/", 2, 5, OpType::kFloat},
    {Op::kFloorDiv, "//", 2, 5, OpType::kInteger},
    {Op::kFloorMod, "%", 2, 5, OpType::kInteger},
    {Op::kMin, "min", 2, 0, OpType::kArithmetic},
    {Op::kMax, "max", 2, 0, OpType::kArithmetic},
    {Op::kEq, "==", 2, 3, OpType::kCompare},
    {Op::kNe, "!=", 2, 3, OpType::kCompare},
    {Op::kLt, "<", 2, 3, OpType::kCompare},
    {Op::kLe, "<=", 2, 3, OpType::kCompare},
    {Op::kAnd, "&&", 2, 2, OpType::kLogic},
    {Op::kOr, "||", 2, 1, OpType::kLogic},
    {Op::kNot, "not", 1, 0, OpType::kLogic},
    {Op::kAbs, "abs", 1, 0, OpType::kArithmetic},
    {Op::kExp, "exp", 1, 0, OpType::kFloat},
    {Op::kLog, "log", 1, 0, OpType::kFloat},
    {Op::kSqrt, "sqrt", 1, 0, OpType::kFloat},
    {Op::kTanh, "tanh", 1, 0, OpType::kFloat},
    {Op::kErf, "erf", 1, 0, OpType::kFloat},
    {Op::kGelu, "gelu", 1, 0, OpType::kFloat},
    {Op::kFloor, "floor", 1, 0, OpType::kFloat},
    {Op::kRoundEven, "round_even", 1, 0, OpType::kFloat},
    {Op::kPow, "pow", 2, 0, OpType::kFloat},
    {Op::kShr, "shr", 2, 0, OpType::kInt32},
    {Op::kRescaleSingle, "rescale_single", 3, 0, OpType::kInt32Wide},
    {Op::kRescaleDouble, "rescale_double", 3, 0, OpType::kInt32Wide},
    {Op::kRequantSingle, "requant_single", 4, 0, OpType::kInt32},
    {Op::kRequantDouble, "requant_double", 4, 0, OpType::kInt32},
    {Op::kHalfToFloat, "half_to_float", 1, 0, OpType::kInt16Float},
    {Op::kFloatToHalf, "float_to_half", 1, 0, OpType::kFloatInt16},
};

template <typename Table>
constexpr bool InOrder(const Table& table, auto member) {
  for (size_t i = 0; i < std::size(table); ++i)
    if (static_cast<size_t>(table[i].*member) != i) return false;
  return true;
}
static_assert(InOrder(kDTypes, &DTypeRow::dtype) && InOrder(kOps, &OpRow::op));

}  // namespace

const DTypeRow& Row(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
std::span<const DTypeRow> DTypes() { return kDTypes; }
const OpRow& Row(Op op) { return kOps[static_cast<size_t>(op)]; }
std::span<const OpRow> Ops() { return kOps; }

const OpRow* FindOp(std::string_view name, bool infix) {
  for (const OpRow& row : kOps)
    if (!name.empty() && row.name == name && (row.precedence > 0) == infix) return &row;
  return nullptr;
}

}  // namespace vta::compiler::loop
