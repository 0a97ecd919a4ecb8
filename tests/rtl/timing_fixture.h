// The fixture of the timing tests: cycles of launches on the RTL, which does what the golden model
// does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "isa/spec/timing.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::test {

namespace timing = isa::timing;

// From the last micro-op of an instruction to the first of the next one, beside the cycle it takes.
inline constexpr int64_t kBetween = timing::kExecuteFixedCycles - timing::kExecuteOverlapCycles;
inline constexpr int64_t kLongBetween =
    timing::kExecuteFixedCycles + timing::kLongStages - timing::kLongOverlapCycles;

inline std::vector<isa::Uop> SameRow(int64_t count) {
  return std::vector<isa::Uop>(count, {1, 2, 3});
}
inline std::vector<isa::Uop> Rows(int64_t count) {
  std::vector<isa::Uop> uops;
  for (int64_t i = 0; i < count; ++i) uops.push_back({i + 8, 1, 3});
  return uops;
}
// Each reads what the one before it wrote.
inline std::vector<isa::Uop> Chain(int64_t count) {
  std::vector<isa::Uop> uops;
  for (int64_t i = 0; i < count; ++i) uops.push_back({i + 9, i + 8, 3});
  return uops;
}

class RtlTiming : public testing::Test {
 protected:
  static void SetUpTestSuite() { Open("isa/configs/default.json"); }
  static void Open(const std::string& config, const sim::ModelOptions& model = {}) {
    config_ = new isa::Config(isa::LoadConfig(SourcePath(config)));
    trial_ = new Trial(*config_, model);
  }
  static void TearDownTestSuite() {
    delete trial_;
    delete config_;
  }

  // These behind the LOAD of the micro-ops.
  static TestProgram ProgramOf(std::vector<isa::Instruction> instructions,
                               const std::vector<isa::Uop>& uops) {
    TestProgram program;
    program.config = *config_;
    program.memory.resize(1 << 16);
    AppendUops(program, uops);
    program.memory.resize(1 << 17);
    program.bases[0] = 1 << 16;
    if (!uops.empty())
      instructions.insert(instructions.begin(),
                          sim::LoadOf(isa::MemoryType::kUop, 0, 0, std::ssize(uops)));
    program.instructions = std::move(instructions);
    return program;
  }
  // Cycles of a launch of these and FINISH, equal to the golden model in all it does.
  static int64_t Cycles(std::vector<isa::Instruction> instructions,
                        const std::vector<isa::Uop>& uops = {}) {
    instructions.push_back(sim::Finish());
    EXPECT_EQ(trial_->Run(ProgramOf(std::move(instructions), uops), std::nullopt), "");
    EXPECT_EQ(trial_->result().outcome, isa::Outcome::kFinished);
    return trial_->result().counters.time.value().cycles;
  }
  // When these ran, in the order of the stream; FINISH last.
  static std::vector<sim::InstructionSlice> Slices(
      const std::vector<isa::Instruction>& instructions, const std::vector<isa::Uop>& uops = {}) {
    sim::Timeline timeline;
    trial_->rtl().options().timeline = &timeline;
    Cycles(instructions, uops);
    trial_->rtl().options().timeline = nullptr;
    std::vector<sim::InstructionSlice>& slices = timeline.instructions;
    std::sort(slices.begin(), slices.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    return slices;
  }
  // What one more of the same instruction costs.
  static int64_t Period(const isa::Instruction& insn, const std::vector<isa::Uop>& uops = {}) {
    std::vector<isa::Instruction> few(9, insn), more(10, insn);
    return Cycles(more, uops) - Cycles(few, uops);
  }
  // What one more of the same few instructions costs, in streams longer than what fetch reads
  // before the first micro-ops arrive.
  static double GroupPeriod(const std::vector<isa::Instruction>& group,
                            const std::vector<isa::Uop>& uops = Rows(60)) {
    std::vector<isa::Instruction> few, more;
    for (int i = 0; i < 60; ++i) {
      if (i < 50) few.insert(few.end(), group.begin(), group.end());
      more.insert(more.end(), group.begin(), group.end());
    }
    return (Cycles(more, uops) - Cycles(few, uops)) / 10.0;
  }

  static inline isa::Config* config_ = nullptr;
  static inline Trial* trial_ = nullptr;
};

}  // namespace vta::test
