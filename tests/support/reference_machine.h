// A small interpreter of the ISA, an instruction at a time in any order of modules that tokens
// allow. Written from the semantics in isa/README.md, element by element, with no speed in mind:
// independent evidence for checker and simulator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/spec/modules.h"
#include "tests/support/test_program.h"

namespace vta::test {

/// The instructions of each module, as indices into the program, up to and with FINISH.
using ModuleLists = std::array<std::vector<int64_t>, isa::kModules>;
ModuleLists Distribute(const TestProgram& program);

class ReferenceMachine {
 public:
  /// The program must outlive the machine. Queues hold any number of tokens.
  explicit ReferenceMachine(const TestProgram* program);

  /// The module's next instruction has its tokens, and the module has not faulted.
  bool CanRun(isa::Module module) const;
  /// Runs it whole: pops, effect, pushes. A fault halts the module.
  void Run(isa::Module module);

  /// How many instructions each module has run.
  const std::array<int64_t, isa::kModules>& positions() const { return positions_; }
  bool finished() const { return finished_; }
  bool faulted() const { return halted_[0] || halted_[1] || halted_[2]; }
  const std::vector<uint8_t>& memory() const { return state_.dram; }
  /// Of everything that later instructions can see.
  uint64_t StateHash() const;

 private:
  struct State {
    std::vector<uint8_t> dram, inp, wgt, out, lut;
    std::vector<int32_t> acc;
    std::vector<uint32_t> uop;
    std::array<int64_t, isa::kModes> modes = {};
    // The parameter block of requant that the running instruction holds.
    int64_t block_row = -1;
    std::vector<int32_t> block;
  };
  bool Execute(const isa::Instruction& insn);
  bool Load(const isa::Instruction& insn);
  bool Store(const isa::Instruction& insn);
  bool Loops(const isa::Instruction& insn);
  bool MicroOp(const isa::Instruction& insn, int64_t dst, int64_t src, int64_t wgt);
  void Gemm(const isa::Instruction& insn, int64_t dst, int64_t src, int64_t wgt);
  int32_t Alu(const isa::Instruction& insn, int64_t dst, int64_t src, int64_t lane) const;
  void WriteLane(int64_t row, int64_t lane, int32_t value);

  const TestProgram* program_;
  std::shared_ptr<const ModuleLists> lists_;
  std::shared_ptr<const isa::Layout> layout_;
  State state_;
  std::array<int64_t, isa::kModules> positions_ = {};
  std::array<bool, isa::kModules> halted_ = {};
  std::array<int64_t, isa::kQueues> tokens_ = {};
  bool finished_ = false;
};

}  // namespace vta::test
