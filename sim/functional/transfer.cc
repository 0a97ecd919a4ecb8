#include "sim/functional/transfer.h"

#include <algorithm>
#include <cstring>

#include "isa/codec.h"

namespace vta::sim {
namespace {

using isa::Fault;
using isa::MemoryType;

// Elements of `element_bytes` that lie whole in DRAM from `base` on.
int64_t ElementsInDram(uint64_t base, int64_t element_bytes, size_t dram_bytes) {
  return base > dram_bytes ? 0 : static_cast<int64_t>(dram_bytes - base) / element_bytes;
}

// Writes consecutive rows of one scratchpad.
class Destination {
 public:
  Destination(const isa::Layout& layout, MemoryType type, uint8_t pad, Scratchpads& pads)
      : layout_(layout), type_(type), pad_(pad), pads_(pads) {}

  void Copy(const uint8_t* from, int64_t row, int64_t count) {
    switch (type_) {
      case MemoryType::kUop:
        std::memcpy(pads_.uop.data() + row, from, count * sizeof(uint32_t));
        for (int64_t i = row; i < row + count; ++i) {
          const isa::Uop uop = isa::DecodeUop(layout_, pads_.uop.data()[i]);
          pads_.decoded_uop[i] = {static_cast<int32_t>(uop.dst), static_cast<int32_t>(uop.src),
                                  static_cast<int32_t>(uop.wgt)};
        }
        return;
      case MemoryType::kWgt:
        std::memcpy(pads_.wgt.data() + row * pads_.wgt_row, from, count * pads_.wgt_row);
        return;
      case MemoryType::kInp:
        std::memcpy(pads_.inp.data() + row * pads_.inp_row, from, count * pads_.inp_row);
        return;
      case MemoryType::kAcc:
        std::memcpy(pads_.acc.data() + row * pads_.acc_row, from,
                    count * pads_.acc_row * sizeof(int32_t));
        return;
      case MemoryType::kAcc8: {
        int32_t* to = pads_.acc.data() + row * pads_.acc_row;
        for (int64_t i = 0; i < count * pads_.acc_row; ++i) to[i] = static_cast<int8_t>(from[i]);
        return;
      }
      case MemoryType::kLut:
        std::memcpy(pads_.lut.data(), from, isa::kLutBytes);
        return;
      case MemoryType::kOut:
        return;
    }
  }

  void Pad(int64_t row, int64_t count) {
    switch (type_) {
      case MemoryType::kWgt:
        std::memset(pads_.wgt.data() + row * pads_.wgt_row, pad_, count * pads_.wgt_row);
        return;
      case MemoryType::kInp:
        std::memset(pads_.inp.data() + row * pads_.inp_row, pad_, count * pads_.inp_row);
        return;
      case MemoryType::kAcc:
      case MemoryType::kAcc8:
        std::fill_n(pads_.acc.data() + row * pads_.acc_row, count * pads_.acc_row,
                    int32_t{static_cast<int8_t>(pad_)});
        return;
      case MemoryType::kUop:
      case MemoryType::kOut:
      case MemoryType::kLut:
        return;
    }
  }

 private:
  const isa::Layout& layout_;
  MemoryType type_;
  uint8_t pad_;
  Scratchpads& pads_;
};

}  // namespace

Progress Load(const isa::Layout& layout, const isa::Instruction& insn, uint64_t base, uint8_t pad,
              std::span<const uint8_t> dram, Scratchpads& pads) {
  Progress progress;
  if (insn.x_size == 0 || insn.y_size == 0) return progress;
  const isa::Config& config = layout.config();
  const isa::MemorySpec& memory = *isa::FindMemory(config.arch, insn.memory_type);
  const int64_t depth = isa::DepthOf(config.arch, memory);
  const int64_t element_bytes = memory.dram_element_bytes(config);
  const int64_t in_dram = ElementsInDram(base, element_bytes, dram.size());
  Destination destination(layout, memory.code, pad, pads);

  // Rows that still fit, of the next `count`; fewer is a fault.
  const auto fitting = [&](int64_t count) {
    return std::clamp<int64_t>(depth - insn.sram_base - progress.done, 0, count);
  };
  const auto write_pads = [&](int64_t count) {
    const int64_t fit = fitting(count);
    destination.Pad(insn.sram_base + progress.done, fit);
    progress.done += fit;
    if (fit < count) progress.fault = Fault::kIndexOutOfRange;
    return fit == count;
  };
  const auto copy_row = [&](int64_t y) {
    const int64_t first = insn.dram_base + y * insn.x_stride;
    const int64_t fit = fitting(insn.x_size);
    const int64_t readable = std::clamp<int64_t>(in_dram - first, 0, insn.x_size);
    const int64_t count = std::min(fit, readable);
    if (count > 0)
      destination.Copy(dram.data() + base + first * element_bytes, insn.sram_base + progress.done,
                       count);
    progress.done += count;
    progress.dram_bytes += count * element_bytes;
    if (count == insn.x_size) return true;
    progress.fault = fit == count ? Fault::kIndexOutOfRange : Fault::kBusError;
    return false;
  };

  const int64_t row = insn.x_pad_left + insn.x_size + insn.x_pad_right;
  if (!write_pads(insn.y_pad_top * row)) return progress;
  for (int64_t y = 0; y < insn.y_size; ++y)
    if (!write_pads(insn.x_pad_left) || !copy_row(y) || !write_pads(insn.x_pad_right))
      return progress;
  write_pads(insn.y_pad_bottom * row);
  return progress;
}

Progress Store(const isa::Layout& layout, const isa::Instruction& insn, uint64_t base,
               const Scratchpads& pads, std::span<uint8_t> dram) {
  Progress progress;
  const isa::Config& config = layout.config();
  const isa::MemorySpec& memory = *isa::FindMemory(config.arch, insn.memory_type);
  const int64_t depth = isa::DepthOf(config.arch, memory);
  const int64_t element_bytes = memory.dram_element_bytes(config);
  const int64_t in_dram = ElementsInDram(base, element_bytes, dram.size());
  if (insn.x_size == 0) return progress;
  for (int64_t y = 0; y < insn.y_size; ++y) {
    const int64_t first = insn.dram_base + y * insn.x_stride;
    const int64_t fit = std::clamp<int64_t>(depth - insn.sram_base - progress.done, 0, insn.x_size);
    const int64_t writable = std::clamp<int64_t>(in_dram - first, 0, insn.x_size);
    const int64_t count = std::min(fit, writable);
    if (count > 0)
      std::memcpy(dram.data() + base + first * element_bytes,
                  pads.out.data() + (insn.sram_base + progress.done) * element_bytes,
                  count * element_bytes);
    progress.done += count;
    progress.dram_bytes += count * element_bytes;
    if (count == insn.x_size) continue;
    progress.fault = fit == count ? Fault::kIndexOutOfRange : Fault::kBusError;
    return progress;
  }
  return progress;
}

}  // namespace vta::sim
