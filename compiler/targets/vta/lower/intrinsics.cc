#include "compiler/targets/vta/lower/intrinsics.h"

#include <map>
#include <mutex>

#include "compiler/tensorize/declare.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr char kGemm[] = "gemm", kReset[] = "reset";
constexpr std::string_view kAlu = "alu ";

std::vector<te::Axis> Axes(const std::vector<int64_t>& shape) {
  std::vector<te::Axis> axes;
  for (const int64_t extent : shape) axes.emplace_back(extent);
  return axes;
}

Tensor AccTensor(const isa::Config& config, const std::string& name) {
  return te::Placeholder(name, ElementShape(config, kAccScope), DType::kInt32, kAccScope);
}

/// The selection rule: what an operation means in the loop IR. Empty: the compiler does not use it.
Expr AluExpr(isa::AluOp op, const Expr& a, const Expr& b) {
  switch (op) {
    case isa::AluOp::kMin:
      return Min(a, b);
    case isa::AluOp::kMax:
      return Max(a, b);
    case isa::AluOp::kAdd:
      return a + b;
    case isa::AluOp::kShr:
      return Apply(loop::Op::kShr, {a, b});
    case isa::AluOp::kMul:
      return a * b;
    default:
      return Expr();
  }
}

bool IsSelected(isa::AluOp op) {
  return static_cast<bool>(
      AluExpr(op, loop::IntConst(DType::kInt32, 1), loop::IntConst(DType::kInt32, 1)));
}

std::string AluName(isa::AluOp op) { return std::string(isa::kAluOps[static_cast<int>(op)].name); }

tensorize::Lowering AluLowering(isa::AluOp op) { return {StrCat(kAlu, AluName(op)), "", ""}; }

}  // namespace

loop::Op RequantOp(isa::Rounding rounding) {
  return rounding == isa::Rounding::kSingle ? loop::Op::kRequantSingle : loop::Op::kRequantDouble;
}

std::vector<int64_t> ElementShape(const isa::Config& config, const std::string& scope) {
  const isa::Arch& arch = config.arch;
  std::vector<int64_t> shape;
  if (scope == kInpScope) shape = {arch.batch, arch.block_in};
  if (scope == kWgtScope) shape = {arch.block_out, arch.block_in};
  if (scope == kAccScope) shape = {arch.batch, arch.block_out};
  if (scope == kLutScope) shape = {isa::kLutBytes};
  VTA_CHECK(!shape.empty(), "no scratchpad ", scope);
  std::erase(shape, 1);
  return shape;
}

tensorize::IntrinsicRef GemmIntrinsic(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  const bool batched = arch.batch > 1;
  const Tensor inp =
      te::Placeholder("inp", ElementShape(config, kInpScope), DType::kInt8, kInpScope);
  const Tensor wgt =
      te::Placeholder("wgt", ElementShape(config, kWgtScope), DType::kInt8, kWgtScope);
  const te::ReduceAxis c("c", arch.block_in);
  const Tensor acc = te::Compute(
      "acc", Axes(ElementShape(config, kAccScope)),
      [&](const std::vector<Expr>& at) -> te::Value {
        const Expr x = batched ? inp(at[0], c) : inp(c);
        return te::ReduceSum(Cast(DType::kInt32, x) * Cast(DType::kInt32, wgt(at.back(), c)), {c});
      },
      kAccScope);
  return tensorize::Declare("vta.gemm", acc, {inp, wgt}, {"", kReset, kGemm}, 1);
}

tensorize::IntrinsicRef AluIntrinsic(const isa::Config& config, isa::AluOp op) {
  const Tensor a = AccTensor(config, "a"), b = AccTensor(config, "b");
  const Tensor out = te::Compute(
      "out", Axes(a.shape()),
      [&](const std::vector<Expr>& at) -> te::Value { return AluExpr(op, a.At(at), b.At(at)); },
      kAccScope);
  return tensorize::Declare(StrCat("vta.", AluName(op)), out, {a, b}, AluLowering(op), 1);
}

tensorize::IntrinsicRef AluImmIntrinsic(const isa::Config& config, isa::AluOp op) {
  const Tensor a = AccTensor(config, "a");
  const Tensor imm = te::Placeholder("imm", {}, DType::kInt32, std::string(tensorize::kImmediate));
  const Tensor out = te::Compute(
      "out", Axes(a.shape()),
      [&](const std::vector<Expr>& at) -> te::Value { return AluExpr(op, a.At(at), imm.At({})); },
      kAccScope);
  return tensorize::Declare(StrCat("vta.", AluName(op), "_imm"), out, {a, imm}, AluLowering(op), 1);
}

tensorize::IntrinsicRef RequantIntrinsic(const isa::Config& config, isa::Rounding rounding) {
  const Tensor a = AccTensor(config, "a"), bias = AccTensor(config, "bias");
  const Tensor multiplier = AccTensor(config, "multiplier"), packed = AccTensor(config, "packed");
  const Tensor out = te::Compute(
      "out", Axes(a.shape()),
      [&](const std::vector<Expr>& at) -> te::Value {
        return Apply(RequantOp(rounding),
                     {a.At(at), bias.At(at), multiplier.At(at), packed.At(at)});
      },
      kAccScope);
  return tensorize::Declare("vta.requant", out, {a, bias, multiplier, packed},
                            AluLowering(isa::AluOp::kRequant), 1);
}

Expr LutEntry(const Tensor& table, const Expr& code) {
  return Cast(DType::kInt32, table(FloorMod(Cast(DType::kInt64, code), isa::kLutBytes)));
}

tensorize::IntrinsicRef LutIntrinsic(const isa::Config& config, isa::Rounding rounding) {
  const Tensor a = AccTensor(config, "a"), bias = AccTensor(config, "bias");
  const Tensor multiplier = AccTensor(config, "multiplier"), packed = AccTensor(config, "packed");
  const Tensor table =
      te::Placeholder("table", ElementShape(config, kLutScope), DType::kInt8, kLutScope);
  const Tensor out = te::Compute(
      "out", Axes(a.shape()),
      [&](const std::vector<Expr>& at) -> te::Value {
        return LutEntry(table, Apply(RequantOp(rounding),
                                     {a.At(at), bias.At(at), multiplier.At(at), packed.At(at)}));
      },
      kAccScope);
  return tensorize::Declare("vta.lut", out, {a, bias, multiplier, packed, table},
                            AluLowering(isa::AluOp::kLut), 1);
}

namespace {

std::vector<tensorize::IntrinsicRef> DeclareAll(const isa::Config& config, isa::Rounding rounding) {
  std::vector<tensorize::IntrinsicRef> all = {GemmIntrinsic(config)};
  for (const isa::AluOpSpec& row : isa::kAluOps) {
    if (row.flag && !(config.arch.*row.flag)) continue;
    if (row.code == isa::AluOp::kRequant) {
      all.push_back(RequantIntrinsic(config, rounding));
      continue;
    }
    if (row.code == isa::AluOp::kLut) {
      all.push_back(LutIntrinsic(config, rounding));
      continue;
    }
    if (!IsSelected(row.code)) continue;
    all.push_back(AluIntrinsic(config, row.code));
    all.push_back(AluImmIntrinsic(config, row.code));
  }
  return all;
}

}  // namespace

std::string DescribeIntrinsics(const isa::Config& config, isa::Rounding rounding) {
  const isa::Arch& arch = config.arch;
  std::string text = StrCat("batch ", arch.batch, ", blocks of ", arch.block_in, " and ",
                            arch.block_out, ", rounding ", static_cast<int>(rounding), ":");
  for (const isa::AluOpSpec& row : isa::kAluOps)
    if (!row.flag || arch.*row.flag) text += StrCat(" ", row.name);
  return text;
}

std::vector<tensorize::IntrinsicRef> Intrinsics(const isa::Config& config, isa::Rounding rounding) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<tensorize::IntrinsicRef>> declared;
  const std::lock_guard lock(mutex);
  std::vector<tensorize::IntrinsicRef>& all = declared[DescribeIntrinsics(config, rounding)];
  if (all.empty()) all = DeclareAll(config, rounding);
  return all;
}

IntrinsicOp ParseLowering(const std::string& lowering, const std::string& intrinsic) {
  IntrinsicOp op;
  if (lowering == kGemm) return op;
  if (lowering == kReset) return {IntrinsicOp::Kind::kReset};
  op.kind = IntrinsicOp::Kind::kAlu;
  if (lowering.starts_with(kAlu))
    for (const isa::AluOpSpec& row : isa::kAluOps)
      if (lowering.substr(kAlu.size()) == row.name) {
        op.alu = row.code;
        return op;
      }
  throw Error(StrCat("intrinsic ", intrinsic), "lowering", lowering,
              "must be an operation of the VTA target");
}

}  // namespace vta::compiler::targets
