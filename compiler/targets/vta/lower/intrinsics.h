// VTA's instructions as tensor intrinsics, declared in the expression language.
#pragma once

#include <string>
#include <vector>

#include "compiler/te/te.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/config.h"
#include "isa/spec/alu_ops.h"
#include "isa/spec/requant.h"

namespace vta::compiler::targets {

/// Scopes of the scratchpads. The out scratchpad has none: each row mirrors the acc row of its
/// number. That of lut is one table.
inline constexpr char kInpScope[] = "inp", kWgtScope[] = "wgt", kAccScope[] = "acc",
                      kLutScope[] = "lut";

/// acc[b][k] = sum over c of inp[b][c] * wgt[k][c]. reset: acc = 0; update: one more block of c.
tensorize::IntrinsicRef GemmIntrinsic(const isa::Config& config);
/// out = op(a, b). The hardware works in place: out and a have to be the same rows.
tensorize::IntrinsicRef AluIntrinsic(const isa::Config& config, isa::AluOp op);
/// out = op(a, imm), in place; imm is the instruction's immediate.
tensorize::IntrinsicRef AluImmIntrinsic(const isa::Config& config, isa::AluOp op);
/// out = requant(a, bias, multiplier, packed), in place; the last three are consecutive rows.
tensorize::IntrinsicRef RequantIntrinsic(const isa::Config& config, isa::Rounding rounding);
/// out = table[requant(a, bias, multiplier, packed)], in place, by the loaded table.
tensorize::IntrinsicRef LutIntrinsic(const isa::Config& config, isa::Rounding rounding);
/// The entry of a code in a table as the machine has it: that of the code as uint8.
/// Shape: table [256] int8.
loop::Expr LutEntry(const te::Tensor& table, const loop::Expr& code);

/// All of them that the config has; the rounding is that of requant. Those that are described alike
/// are declared once.
std::vector<tensorize::IntrinsicRef> Intrinsics(const isa::Config& config, isa::Rounding rounding);
/// In words, what they depend on: "batch 1, blocks of 16 and 16, rounding 0: min max".
std::string DescribeIntrinsics(const isa::Config& config, isa::Rounding rounding);

/// What a lowering name of these intrinsics stands for.
struct IntrinsicOp {
  enum class Kind { kGemm, kReset, kAlu } kind = Kind::kGemm;
  isa::AluOp alu = isa::AluOp::kAdd;
};
/// Errors: throws Error naming the intrinsic if the name is none of this target's.
IntrinsicOp ParseLowering(const std::string& lowering, const std::string& intrinsic);

/// The operation of the expression language that a rounding of requant is.
loop::Op RequantOp(isa::Rounding rounding);

/// Shape of one scratchpad element without unit dimensions: [batch, block_in] and so on.
std::vector<int64_t> ElementShape(const isa::Config& config, const std::string& scope);

}  // namespace vta::compiler::targets
