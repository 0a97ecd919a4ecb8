// What a program does that takes energy: counts that follow from its instructions and micro-ops
// alone, so that they are those of every engine, whether it has data or not.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "isa/layout.h"
#include "isa/package.h"
#include "isa/spec/alu_ops.h"
#include "isa/spec/memories.h"

namespace vta::tools {

/// Scratchpads by MemoryType; acc8 is a way into acc.
inline constexpr size_t kScratchpads = static_cast<size_t>(isa::MemoryType::kOut) + 1;

struct Events {
  int64_t macs = 0;                                           // 8 x 8 bits, added to 32
  std::array<int64_t, std::size(isa::kAluOps)> lanes = {};    // of ALU micro-ops, by AluOp
  std::array<int64_t, kScratchpads> reads = {}, writes = {};  // rows, whole ones, pads included
  std::array<int64_t, std::size(isa::kMemories)> bytes = {};  // DRAM; those of out are written
  int64_t instruction_bytes = 0;                              // DRAM
  Events& operator+=(const Events& other);
  bool operator==(const Events&) const = default;
};

/// Where micro-ops lie in DRAM: bytes, from an address behind the base register of uop on.
struct MicroOpImage {
  int64_t address = 0;
  std::span<const uint8_t> bytes;
};

/// Counts what programs do, each of which is completed. A GEMM micro-op reads a row of inp, of wgt
/// and of acc, a reset none, an overwriting one no acc; an ALU micro-op reads its row of acc, and a
/// second one where the operand is no immediate; requant and lut read three more when their block
/// changes. All write acc and out, and read a micro-op. A LOAD writes what it brings and its pads;
/// a table is no scratchpad. Source: isa/README.md, sim/functional/compute.cc.
class EventCounter {
 public:
  /// Both are borrowed.
  EventCounter(const isa::Layout& layout, const MicroOpImage& image);

  /// Of instructions that follow those of the last call: micro-ops stay loaded.
  Events Count(std::span<const isa::Word> program);

 private:
  void Load(const isa::Instruction& load, Events& events);
  void Compute(const isa::Instruction& insn, Events& events) const;
  int64_t BlocksOf(const isa::Instruction& requant) const;

  const isa::Layout& layout_;
  const MicroOpImage& image_;
  std::vector<int64_t> sources_;  // of the micro-ops that are loaded
};

/// Of each step of a package; empty ones of those that are no program. `together`: steps that share
/// a launch are counted as parts of that.
std::vector<Events> EventsOf(const isa::Package& package, bool together = true);

}  // namespace vta::tools
