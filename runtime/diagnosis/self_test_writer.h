// Writes the small programs of the self-test: loads, then computes, then stores, round after round,
// with the tokens that make that order certain.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "isa/codec.h"
#include "isa/config.h"
#include "isa/launch.h"
#include "isa/spec/timing.h"

namespace vta::runtime {

/// What the memory of a program is aligned to, in bytes: no burst crosses a multiple.
inline constexpr int64_t kPage = isa::timing::kBurstBoundaryBytes;

/// Memory before the launch, and where in it the base registers are to point.
/// Units: bytes; bases count from the beginning of the memory, which begins at a page.
struct SelfTestProgram {
  std::string name;  // "alu.shr imm"
  std::vector<isa::Instruction> instructions;
  std::vector<uint8_t> memory;
  std::array<int64_t, isa::kBaseRegisters> bases = {};
};

class SelfTestWriter {
 public:
  /// Its random values are always the same of a name.
  SelfTestWriter(const isa::Config& config, std::string name);

  const isa::Arch& arch() const { return config_.arch; }
  /// Of an element in DRAM.
  int64_t BytesOf(isa::MemoryType type) const;

  /// Puts random elements into DRAM, or as many words as `values` has; the first one's index.
  int64_t Random(isa::MemoryType type, int64_t elements);
  int64_t Words(isa::MemoryType type, std::span<const int32_t> values);
  /// What is put next begins in front of the next boundary of a page, by so many elements.
  void BeforePage(isa::MemoryType type, int64_t elements);
  /// Room for results, of which every byte is known.
  int64_t Reserve(int64_t elements) { return Random(isa::MemoryType::kOut, elements); }

  int64_t Draw(int64_t low, int64_t high);

  /// Puts the instruction into its module's part of the round.
  void Add(const isa::Instruction& insn);
  void Load(isa::MemoryType type, int64_t row, int64_t rows, int64_t element);
  void Store(int64_t row, int64_t rows, int64_t element);
  /// Loads micro-ops to row 0 of their memory and runs them with GEMM or an ALU operation.
  void Run(std::span<const isa::Uop> uops, isa::Instruction insn);
  /// The same on `rows` rows from `uop` on, with the steps that `insn` has for its inner loop.
  void RunRows(isa::Uop uop, int64_t rows, isa::Instruction insn);

  /// The rows' OUT goes to DRAM, then, shifted into it, each higher byte: all of the accumulators.
  void StoreAll(int64_t row, int64_t rows);
  /// Instructions as they are, in front of the round.
  void Before(std::span<const isa::Instruction> instructions) {
    program_.insert(program_.end(), instructions.begin(), instructions.end());
  }
  void EndRound();
  SelfTestProgram Finish() &&;

 private:
  std::vector<uint8_t>& Segment(isa::MemoryType type) { return segments_[isa::BaseRegister(type)]; }
  int64_t Align(isa::MemoryType type);
  /// Where its segment begins in a page: base registers have bits everywhere that they may.
  int64_t BeginOf(isa::MemoryType type) const;

  const isa::Config& config_;
  std::string name_;
  std::mt19937_64 engine_;
  std::array<std::vector<uint8_t>, isa::kBaseRegisters> segments_;
  std::array<std::vector<isa::Instruction>, isa::kModules> round_;
  std::vector<isa::Instruction> program_;
  std::optional<size_t> last_compute_;  // of the round before
};

/// Instructions by what they do; all else is 0.
isa::Instruction GemmOf(int64_t dst_in, int64_t src_in, int64_t wgt_in);
isa::Instruction AluOf(isa::AluOp op, int64_t dst_in, int64_t src_in);
isa::Instruction AluImmOf(isa::AluOp op, int64_t dst_in, int64_t imm);
/// One that moves nothing and may carry tokens.
isa::Instruction CarrierOf(isa::Module module);

}  // namespace vta::runtime
