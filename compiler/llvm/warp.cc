#include "compiler/llvm/warp.h"

#include <algorithm>

#include "compiler/llvm/math.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/warp_shape.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/spec/gpu.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {

using loop::Affine;
using loop::As;
using loop::For;
using loop::Stmt;
using lower::kTensorBeside, lower::kTensorHalves, lower::kTensorRows, lower::kTensorThreads;

namespace {

/// The thread loops around, from the outermost on.
std::vector<Stmt> ThreadsAround(const std::vector<Stmt>& loops) {
  std::vector<Stmt> threads;
  std::ranges::copy_if(loops, std::back_inserter(threads), lower::IsThreads);
  return threads;
}

bool HasAtom(const Affine& form, const loop::Var& var) {
  return std::ranges::any_of(form.terms, [&](const Affine::Term& term) {
    return term.atom.op() != loop::Op::kVar && Uses(term.atom, var);
  });
}

Affine Times(const loop::Var& var, int64_t coef) { return {{{loop::Expr(var), coef}}, 0}; }

}  // namespace

std::optional<WarpCall> WarpCall::Find(const Code& code, const Surroundings& around,
                                       const loop::Block& block, const std::vector<Stmt>& loops) {
  const loop::Call& call = *As<loop::Call>(block.body);
  const std::string& update = call.intrinsic->lowering.update;
  const bool alone = !code.traits().has_warp_products && update == kWarpInt8 &&
                     code.traits().arch == isa::kPtxArch;
  if ((!code.traits().has_warp_products && !alone) || block.init || block.where.get() ||
      around.lane || call.part != loop::CallPart::kUpdate ||
      (update != kWarpTf32 && update != kWarpFp16 && update != kWarpInt8))
    return {};
  const std::vector<Stmt> threads = ThreadsAround(loops);
  if (threads.size() < 2) return {};
  const For &rows = *As<For>(threads.end()[-2]), &inner = *As<For>(threads.end()[-1]);
  if (rows.extent != kTensorRows || inner.extent != kTensorThreads) return {};
  const loop::Facts facts = loop::FactsOf(loops);
  const loop::VarMap bindings = Bindings(block);
  const auto operand = [&](size_t i) {
    const loop::Region& region = call.operands.at(i);
    Operand out{region.buffer, {}, {}};
    std::vector<loop::Expr> at;
    for (size_t d = 0; d < region.ranges.size(); ++d) {
      at.push_back(region.ranges[d].base);
      if (region.ranges[d].extent > 0) out.strides.push_back(region.buffer->Stride(d));
    }
    out.first = facts.Form(Substitute(FlatIndex(region.buffer, at), bindings));
    return out;
  };
  WarpCall found;
  found.acc_ = operand(0), found.a_ = operand(1), found.b_ = operand(2);
  // What several threads read none of their nest wrote, or its iterations would not be threads.
  for (const Operand* of : {&found.a_, &found.b_})
    if (around.own.contains(of->buffer.get()) || HasAtom(of->first, rows.var) ||
        HasAtom(of->first, inner.var))
      return {};
  constexpr int64_t kWordBytes = 4;
  found.beside_ = kWordBytes / loop::SizeBytes(found.a_.buffer->dtype);
  found.pairs_ = 1;
  for (const int64_t extent : call.intrinsic->operands[1].shape) found.pairs_ *= extent;
  found.pairs_ /= kTensorThreads * kTensorHalves * found.beside_;
  // What a thread has of `a` is loaded as one row.
  int64_t dense = 1;
  for (size_t d = found.a_.strides.size(); d-- > 1;) {
    if (found.a_.strides[d] != dense) return {};
    dense *= call.intrinsic->operands[1].shape[d];
  }
  found.alone_ = alone;
  if (alone) return found;
  const std::vector<int64_t>& b = found.b_.strides;
  if (found.a_.first.Coef(loop::Expr(inner.var)) != 0 ||
      found.b_.first.Coef(loop::Expr(rows.var)) != 0 ||
      found.b_.first.Coef(loop::Expr(inner.var)) != kTensorBeside * b[1])
    return {};
  found.a_.first = found.a_.first.Plus(Times(inner.var, found.a_.strides[0]));
  found.b_.first = lower::WithoutThreads(found.b_.first, {inner.var.get()})
                       .Plus(Times(rows.var, b[1]))
                       .Plus(Times(inner.var, b[0]));
  return found;
}

void WarpCall::EmitAlone(Code& c, const Surroundings& around, BlockFacts& facts) const {
  Values values(c, around, facts);
  BlockFacts::Context& everywhere = facts.everywhere();
  const auto at = [](const Operand& of, int64_t further) {
    Affine place = of.first;
    place.constant += further;
    return place;
  };
  std::vector<Value> sums;
  for (int64_t i = 0; i < kTensorHalves; ++i)
    for (int64_t j = 0; j < kTensorBeside; ++j)
      sums.push_back(values.LoadAt(acc_.buffer, at(acc_, i * acc_.strides[0] + j * acc_.strides[1]),
                                   c.IntType(32), everywhere));
  const auto words = static_cast<int>(pairs_ * kTensorHalves);
  for (int64_t t = 0; t < kTensorThreads; ++t) {
    const Value row = values.LoadAt(a_.buffer, at(a_, t * a_.strides[0]),
                                    c.Wide(c.IntType(32), words), everywhere);
    for (int64_t k = 0; k < pairs_; ++k)
      for (int64_t j = 0; j < kTensorBeside; ++j) {
        const Value word = values.LoadAt(
            b_.buffer, at(b_, (k * kTensorThreads + t) * b_.strides[0] + j * b_.strides[1]),
            c.IntType(32), everywhere);
        for (int64_t i = 0; i < kTensorHalves; ++i) {
          Value& sum = sums[i * kTensorBeside + j];
          sum = c.DotOfBytes(c.Lane(row, static_cast<int>(k * kTensorHalves + i)), word, sum);
        }
      }
  }
  for (int64_t i = 0; i < kTensorHalves; ++i)
    for (int64_t j = 0; j < kTensorBeside; ++j)
      values.StoreAt(acc_.buffer, at(acc_, i * acc_.strides[0] + j * acc_.strides[1]),
                     sums[i * kTensorBeside + j], everywhere);
}

void WarpCall::Emit(Code& c, const Surroundings& around, BlockFacts& facts) const {
  if (alone_) return EmitAlone(c, around, facts);
  Values values(c, around, facts);
  BlockFacts::Context& everywhere = facts.everywhere();
  const Type real = c.FloatType();
  const auto load = [&](const Operand& of, int64_t further, Type type) {
    Affine at = of.first;
    at.constant += further;
    return values.LoadAt(of.buffer, at, type, everywhere);
  };
  const bool half = a_.buffer->dtype == loop::DType::kInt16,
             codes = a_.buffer->dtype == loop::DType::kInt8,
             in_words = b_.buffer->dtype == loop::DType::kInt32;
  const Type bits = c.IntType(32), word = half ? c.Wide(c.HalfType(), 2) : bits;
  const Type sum = codes ? bits : real;
  const auto words = static_cast<int>(pairs_ * kTensorHalves);  // each of `beside` numbers
  const Value row = load(a_, 0, c.Wide(bits, words));
  std::vector<Value> args;
  for (int i = 0; i < words; ++i) args.push_back(c.ReinterpretAs(c.Lane(row, i), word));
  const auto column = [&](int64_t k) {
    const Value value = load(b_, k * kTensorThreads * b_.strides[0], in_words ? bits : real);
    if (in_words) return half ? c.ReinterpretAs(value, word) : value;
    return half ? WithinHalf(c, value) : value;
  };
  for (int64_t k = 0; k < pairs_; ++k)
    args.push_back(
        in_words ? column(k)
        : half   ? c.Intrinsic("llvm.nvvm.ff2f16x2.rn", {}, {column(2 * k + 1), column(2 * k)})
                 : c.Intrinsic("llvm.nvvm.f2tf32.rna", {}, {column(k)}));
  for (int64_t i = 0; i < kTensorHalves; ++i)
    for (int64_t j = 0; j < kTensorBeside; ++j)
      args.push_back(load(acc_, i * acc_.strides[0] + j * acc_.strides[1], sum));
  const Value sums =
      c.Intrinsic(StrCat("llvm.nvvm.mma.m16n8k", pairs_ * beside_ * kTensorThreads, ".row.col.",
                         codes  ? "s8.u8"
                         : half ? "f32.f32"
                                : "tf32"),
                  {}, std::move(args));
  for (int64_t i = 0; i < kTensorHalves; ++i)
    for (int64_t j = 0; j < kTensorBeside; ++j) {
      Affine at = acc_.first;
      at.constant += i * acc_.strides[0] + j * acc_.strides[1];
      values.StoreAt(acc_.buffer, at, c.Member(sums, static_cast<int>(i * kTensorBeside + j)),
                     everywhere);
    }
}

}  // namespace vta::compiler::llvm
