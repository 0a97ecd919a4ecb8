#include "isa/check/acc_rows.h"

#include <algorithm>
#include <cstring>

#include "isa/spec/memories.h"

namespace vta::isa {

KnownBytes::KnownBytes(const Launch& launch) {
  for (const ImagePart& part : launch.image) parts_.push_back(&part);
  std::ranges::sort(parts_, {}, &ImagePart::address);
}

bool KnownBytes::Read(int64_t address, std::span<uint8_t> to) const {
  const auto next = overwritten_.lower_bound(address + std::ssize(to));
  if (next != overwritten_.begin() && std::prev(next)->second > address) return false;
  return ReadFirst(address, to);
}

bool KnownBytes::ReadFirst(int64_t address, std::span<uint8_t> to) const {
  while (!to.empty()) {
    auto next = std::ranges::upper_bound(parts_, address, {}, &ImagePart::address);
    if (next == parts_.begin()) return false;
    const ImagePart& part = **--next;
    const int64_t offset = address - part.address;
    const int64_t count = std::min<int64_t>(std::ssize(part.bytes) - offset, std::ssize(to));
    if (count <= 0) return false;
    std::memcpy(to.data(), part.bytes.data() + offset, count);
    to = to.subspan(count);
    address += count;
  }
  return true;
}

void KnownBytes::Overwrite(const DramTile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    int64_t begin = tile.address + row * tile.stride_bytes, end = begin + tile.row_bytes;
    auto next = overwritten_.upper_bound(begin);
    if (next != overwritten_.begin() && std::prev(next)->second >= begin) --next;
    while (next != overwritten_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = overwritten_.erase(next);
    }
    overwritten_.emplace(begin, end);
  }
}

AccRows::AccRows(const Config& config, const Launch& launch)
    : config_(config),
      base_(launch.bases[BaseRegister(MemoryType::kAcc)]),
      memory_(launch),
      rows_(config.arch.acc_depth) {}

void AccRows::Run(const Instruction& insn, const Step& step, const ComputeRows& compute) {
  if (step.store) return memory_.Overwrite(step.dram);
  if (step.pad == MemoryType::kAcc) return Load(insn, step);
  if (!step.computes) return;
  const bool gemm = insn.opcode == static_cast<int64_t>(Opcode::kGemm);
  const auto op = static_cast<AluOp>(insn.alu_opcode);
  for (const RowRun& run : compute.dst->runs)
    for (int64_t row = run.begin; row < run.end; ++row) {
      AccRow& at = rows_[row];
      if (gemm && insn.reset) {
        at = {AccRow::Writer::kReset, 0, 0};
      } else if (!gemm && insn.use_imm && (op == AluOp::kMin || op == AluOp::kMax)) {
        // Any number of times gives the same.
        const int32_t imm = static_cast<int32_t>(insn.imm);
        const auto apply = kAluOps[insn.alu_opcode].apply;
        at = {AccRow::Writer::kResult, apply(at.low, imm), apply(at.high, imm)};
      } else {
        at = {AccRow::Writer::kResult};
      }
    }
}

void AccRows::Load(const Instruction& insn, const Step& step) {
  const bool narrow = static_cast<MemoryType>(insn.memory_type) == MemoryType::kAcc8;
  const int64_t bytes = narrow ? config_.out_bytes() : config_.acc_bytes();
  // A pad is 0, or some byte that SET gave.
  const bool any_byte = insn.pad_select && config_.arch.pad_value;
  const AccRow pad{AccRow::Writer::kLoad, any_byte ? -128 : 0, any_byte ? 127 : 0};
  std::fill(rows_.begin() + step.pad_rows.begin, rows_.begin() + step.pad_rows.end, pad);
  const int64_t line = insn.x_pad_left + insn.x_size + insn.x_pad_right;
  for (int64_t y = 0; y < insn.y_size; ++y)
    for (int64_t x = 0; x < insn.x_size; ++x)
      rows_[insn.sram_base + (insn.y_pad_top + y) * line + insn.x_pad_left + x] =
          Loaded(narrow, base_ + (insn.dram_base + y * insn.x_stride + x) * bytes);
}

AccRow AccRows::Loaded(bool narrow, int64_t address) const {
  const int64_t lanes = config_.arch.batch * config_.arch.block_out;
  AccRow out{AccRow::Writer::kLoad};
  std::vector<uint8_t> bytes(lanes * (narrow ? 1 : kAccBits / 8));
  if (!memory_.Read(address, bytes)) return out;
  std::swap(out.low, out.high);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int32_t value = static_cast<int8_t>(bytes[lane]);
    if (!narrow) std::memcpy(&value, bytes.data() + lane * sizeof value, sizeof value);
    out.low = std::min(out.low, value);
    out.high = std::max(out.high, value);
  }
  return out;
}

}  // namespace vta::isa
