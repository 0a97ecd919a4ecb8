#include "compiler/targets/vta/tasks/rows.h"

#include <algorithm>

#include "isa/spec/requant.h"

namespace vta::compiler::targets {
namespace {

constexpr RowRange kTable[] = {{0, 1}};

/// In order, those that meet or touch as one.
std::vector<RowRange> Merged(std::vector<RowRange> ranges) {
  if (!std::ranges::is_sorted(ranges, {}, &RowRange::begin))
    std::ranges::sort(ranges, {}, &RowRange::begin);
  size_t count = 0;
  for (const RowRange& range : ranges)
    if (count > 0 && range.begin <= ranges[count - 1].end)
      ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
    else
      ranges[count++] = range;
  ranges.resize(count);
  return ranges;
}

/// In each iteration of a loop that moves them by so many rows.
std::vector<RowRange> Repeated(std::vector<RowRange> ranges, int64_t iterations, int64_t stride) {
  if (stride == 0) iterations = std::min<int64_t>(iterations, 1);
  const size_t count = ranges.size();
  ranges.resize(count * static_cast<size_t>(iterations));
  for (size_t i = count; i < ranges.size(); ++i)
    ranges[i] = {ranges[i - count].begin + stride, ranges[i - count].end + stride};
  return Merged(std::move(ranges));
}

}  // namespace

RowSets::Key RowSets::KeyOf(const LoopNest& nest, Operand operand) {
  const int64_t outer = operand == Operand::kDst   ? nest.dst_out
                        : operand == Operand::kWgt ? nest.wgt_out
                                                   : nest.src_out;
  const int64_t inner = operand == Operand::kDst   ? nest.dst_in
                        : operand == Operand::kWgt ? nest.wgt_in
                                                   : nest.src_in;
  return {nest.kernel, nest.iter_out, nest.iter_in, outer, inner, operand};
}

const std::vector<RowRange>& RowSets::NestRows(const LoopNest& nest, Operand operand) {
  int64_t isa::Uop::*const member = operand == Operand::kDst   ? &isa::Uop::dst
                                    : operand == Operand::kSrc ? &isa::Uop::src
                                                               : &isa::Uop::wgt;
  const Key key = KeyOf(nest, operand);
  const int64_t outer = std::get<3>(key), inner = std::get<4>(key);
  const auto found = memo_.find(key);
  if (found != memo_.end()) return found->second;

  std::vector<RowRange> ranges;
  for (const isa::Uop& uop : program_.kernels[nest.kernel])
    ranges.push_back({uop.*member, uop.*member + 1});
  ranges = Repeated(Merged(std::move(ranges)), nest.iter_in, inner);
  return memo_.emplace(key, Repeated(std::move(ranges), nest.iter_out, outer)).first->second;
}

const std::vector<RowRange>& RowSets::ParameterRows(const LoopNest& nest) {
  const Key key = KeyOf(nest, Operand::kParameters);
  const auto found = memo_.find(key);
  if (found != memo_.end()) return found->second;
  std::vector<RowRange> ranges = NestRows(nest, Operand::kSrc);
  for (RowRange& range : ranges) range.end += isa::kRequantRows - 1;
  return memo_.emplace(key, Merged(std::move(ranges))).first->second;
}

const std::vector<RowRange>& RowSets::DmaRows(const Dma& dma) {
  const int64_t end = dma.sram + dma.SramRows();
  const auto [at, fresh] = memo_.try_emplace({kNoKernel, dma.sram, end, 0, 0, Operand::kDst});
  if (fresh) at->second = {{dma.sram, end}};
  return at->second;
}

SharedAccesses RowSets::Shared(const Task& task) {
  using isa::MemoryType;
  SharedAccesses shared;
  const auto add = [&](MemoryType memory, bool write, std::span<const RowRange> rows) {
    shared.accesses[shared.count++] = {memory, write, rows};
  };
  if (const Dma* dma = std::get_if<Dma>(&task.op)) {
    const MemoryType memory = program_.tensors[dma->tensor].element;
    const bool is_shared =
        memory == MemoryType::kInp || memory == MemoryType::kWgt || memory == MemoryType::kOut;
    if (is_shared && dma->x_size > 0 && dma->y_size > 0) add(memory, !dma->store, DmaRows(*dma));
  } else if (const LoopNest* nest = NestOf(task)) {
    add(MemoryType::kOut, true, NestRows(*nest, Operand::kDst));
    const Gemm* gemm = std::get_if<Gemm>(&task.op);
    if (!gemm || gemm->writes == GemmWrites::kZero) return shared;
    add(MemoryType::kInp, false, NestRows(*nest, Operand::kSrc));
    add(MemoryType::kWgt, false, NestRows(*nest, Operand::kWgt));
  }
  return shared;
}

std::vector<Access> RowSets::All(const Task& task) {
  using isa::MemoryType;
  std::vector<Access> accesses;
  if (const Dma* dma = std::get_if<Dma>(&task.op)) {
    MemoryType memory = program_.tensors[dma->tensor].element;
    if (memory == MemoryType::kAcc8) memory = MemoryType::kAcc;
    if (memory != MemoryType::kUop && dma->x_size > 0 && dma->y_size > 0)
      accesses.push_back({memory, !dma->store, DmaRows(*dma)});
    return accesses;
  }
  const LoopNest* nest = NestOf(task);
  if (!nest) return accesses;
  const std::vector<RowRange>& dst = NestRows(*nest, Operand::kDst);
  accesses.push_back({MemoryType::kOut, true, dst});
  accesses.push_back({MemoryType::kAcc, true, dst});
  if (const Gemm* gemm = std::get_if<Gemm>(&task.op)) {
    if (gemm->writes == GemmWrites::kZero) return accesses;
    if (gemm->writes == GemmWrites::kSum) accesses.push_back({MemoryType::kAcc, false, dst});
    accesses.push_back({MemoryType::kInp, false, NestRows(*nest, Operand::kSrc)});
    accesses.push_back({MemoryType::kWgt, false, NestRows(*nest, Operand::kWgt)});
    return accesses;
  }
  const Alu& alu = std::get<Alu>(task.op);
  accesses.push_back({MemoryType::kAcc, false, dst});
  if (alu.op == isa::AluOp::kLut) accesses.push_back({MemoryType::kLut, false, kTable});
  if (Requantises(alu.op))
    accesses.push_back({MemoryType::kAcc, false, ParameterRows(*nest)});
  else if (!alu.use_imm)
    accesses.push_back({MemoryType::kAcc, false, NestRows(*nest, Operand::kSrc)});
  return accesses;
}

}  // namespace vta::compiler::targets
