#include "compiler/targets/vta/tasks/rows.h"

#include <algorithm>

#include "isa/spec/requant.h"

namespace vta::compiler::targets {
namespace {

std::vector<RowRange> Ranges(const std::vector<bool>& touched) {
  std::vector<RowRange> ranges;
  const int64_t size = static_cast<int64_t>(touched.size());
  for (int64_t row = 0; row < size; ++row) {
    if (!touched[row]) continue;
    const int64_t begin = row;
    while (row < size && touched[row]) ++row;
    ranges.push_back({begin, row});
  }
  return ranges;
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

  std::vector<bool> touched;
  for (int64_t o = 0; o < (outer ? nest.iter_out : std::min<int64_t>(nest.iter_out, 1)); ++o)
    for (int64_t i = 0; i < (inner ? nest.iter_in : std::min<int64_t>(nest.iter_in, 1)); ++i)
      for (const isa::Uop& uop : program_.kernels[nest.kernel]) {
        const int64_t row = uop.*member + o * outer + i * inner;
        if (row >= static_cast<int64_t>(touched.size())) touched.resize(row + 1);
        touched[row] = true;
      }
  return memo_.emplace(key, Ranges(touched)).first->second;
}

const std::vector<RowRange>& RowSets::ParameterRows(const LoopNest& nest) {
  const Key key = KeyOf(nest, Operand::kParameters);
  const auto found = memo_.find(key);
  if (found != memo_.end()) return found->second;
  std::vector<bool> touched;
  for (const RowRange& range : NestRows(nest, Operand::kSrc)) {
    touched.resize(range.end + isa::kRequantRows);
    std::fill(touched.begin() + range.begin, touched.begin() + range.end + isa::kRequantRows - 1,
              true);
  }
  return memo_.emplace(key, Ranges(touched)).first->second;
}

std::vector<Access> RowSets::Shared(const Task& task) {
  std::vector<Access> shared;
  for (Access& access : All(task))
    if (access.memory != isa::MemoryType::kAcc) shared.push_back(std::move(access));
  return shared;
}

std::vector<Access> RowSets::All(const Task& task) {
  using isa::MemoryType;
  std::vector<Access> accesses;
  if (const Dma* dma = std::get_if<Dma>(&task.op)) {
    MemoryType memory = program_.tensors[dma->tensor].element;
    if (memory == MemoryType::kAcc8) memory = MemoryType::kAcc;
    if (memory != MemoryType::kUop && dma->x_size > 0 && dma->y_size > 0)
      accesses.push_back({memory, !dma->store, {{dma->sram, dma->sram + dma->SramRows()}}});
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
  if (alu.op == isa::AluOp::kRequant)
    accesses.push_back({MemoryType::kAcc, false, ParameterRows(*nest)});
  else if (!alu.use_imm)
    accesses.push_back({MemoryType::kAcc, false, NestRows(*nest, Operand::kSrc)});
  return accesses;
}

}  // namespace vta::compiler::targets
