// The self-test's programs are right on every config, and a device that does one thing wrong is
// told from one that does not, by the program that is about that thing.
#include "runtime/diagnosis/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "driver/functional/functional_device.h"
#include "isa/check/check.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "runtime/diagnosis/self_test_programs.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::runtime {
namespace {

using testing::HasSubstr;

std::vector<isa::Config> EveryConfig() {
  std::vector<isa::Config> configs;
  std::set<std::filesystem::path> files;
  for (const char* folder : {"isa/configs", "tests/rtl/configs"})
    for (const auto& entry : std::filesystem::directory_iterator(SourcePath(folder)))
      files.insert(entry.path());
  for (const auto& file : files) configs.push_back(isa::LoadConfig(file));
  return configs;
}

isa::Report Prove(const isa::Config& config, const SelfTestProgram& program) {
  const isa::Layout layout(config);
  std::vector<isa::Word> words;
  for (const isa::Instruction& insn : program.instructions)
    words.push_back(isa::Encode(layout, insn));
  const isa::ImagePart image{.bytes = program.memory};
  return isa::Check(config, {.instructions = words,
                             .bases = program.bases,
                             .memory_bytes = std::ssize(program.memory),
                             .image = {&image, 1},
                             .any_command_queues = true});
}

TEST(SelfTestTest, ProgramsAreProvedOnEveryConfig) {
  const std::vector<isa::Config> configs = EveryConfig();
  ASSERT_GT(configs.size(), 30u);
  for (const isa::Config& config : configs) {
    std::set<std::string> names;
    for (const SelfTestProgram& program : SelfTestPrograms(config)) {
      const isa::Report report = Prove(config, program);
      EXPECT_TRUE(report.ok()) << config.name << ": " << program.name << "\n"
                               << isa::ReportToText(report).substr(0, 1000);
      EXPECT_TRUE(names.insert(program.name).second) << program.name;
    }
  }
}

// Each opcode, memory type, ALU operation with and without immediate, mode and queue that the
// config has, and each kind of token bit.
TEST(SelfTestTest, TheyUseAllThatTheConfigHas) {
  for (const isa::Config& config : EveryConfig()) {
    std::set<int64_t> opcodes, loads, modes;
    std::set<std::pair<int64_t, int64_t>> operations;
    std::array<int64_t, isa::kQueues> most = {};
    for (const SelfTestProgram& program : SelfTestPrograms(config)) {
      for (const isa::Instruction& insn : program.instructions) {
        opcodes.insert(insn.opcode);
        if (insn.opcode == static_cast<int64_t>(isa::Opcode::kLoad)) loads.insert(insn.memory_type);
        if (insn.opcode == static_cast<int64_t>(isa::Opcode::kAlu))
          operations.emplace(insn.alu_opcode, insn.use_imm);
        if (insn.opcode == static_cast<int64_t>(isa::Opcode::kSet)) modes.insert(insn.mode);
      }
      const isa::Statistics& statistics = Prove(config, program).statistics;
      for (int q = 0; q < isa::kQueues; ++q) most[q] = std::max(most[q], statistics.occupancy[q]);
    }
    for (const isa::InstructionSpec& row : isa::kInstructions)
      EXPECT_EQ(opcodes.contains(static_cast<int64_t>(row.code)), row.exists(config)) << row.name;
    for (const isa::MemorySpec& row : isa::kMemories)
      EXPECT_EQ(loads.contains(static_cast<int64_t>(row.code)),
                row.loadable && isa::FindMemory(config.arch, static_cast<int64_t>(row.code)))
          << row.name;
    for (const isa::AluOpSpec& row : isa::kAluOps) {
      const bool there = isa::FindAluOp(config.arch, static_cast<int64_t>(row.code));
      EXPECT_EQ(operations.contains({static_cast<int64_t>(row.code), 0}), there) << row.name;
      EXPECT_EQ(operations.contains({static_cast<int64_t>(row.code), 1}), there && row.apply);
    }
    for (const isa::ModeSpec& row : isa::kModeTable)
      EXPECT_EQ(modes.contains(static_cast<int64_t>(row.code)),
                isa::FindMode(config.arch, static_cast<int64_t>(row.code)) != nullptr)
          << row.name;
    for (int q = 0; q < isa::kQueues; ++q)
      EXPECT_EQ(most[q], std::min<int64_t>(config.arch.token_capacity, 256)) << config.name;
  }
}

TEST(SelfTestTest, IsTheSameEveryTime) {
  const isa::Config config = sim::SmallConfig();
  const auto once = SelfTestPrograms(config), again = SelfTestPrograms(config);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].memory, again[i].memory);
    EXPECT_EQ(once[i].instructions, again[i].instructions);
  }
}

// A device that rewrites its program before it runs: hardware that takes one thing for another.
class Wrong : public driver::FunctionalDevice {
 public:
  using Change = std::function<void(isa::Instruction&)>;
  Wrong(const isa::Config& config, Change change)
      : FunctionalDevice(config), layout_(config), change_(std::move(change)) {}
  void Launch(const isa::LaunchRequest& request) override {
    for (int64_t i = 0; i < request.instruction_count; ++i) {
      uint8_t* const word = Map(request.instruction_address + 16 * i, 16).data();
      saved_.emplace_back(word, isa::LoadWord(word));
      isa::Instruction insn = isa::Decode(layout_, saved_.back().second);
      change_(insn);
      isa::StoreWord(isa::Encode(layout_, insn), word);
    }
    FunctionalDevice::Launch(request);
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    const isa::LaunchResult result = FunctionalDevice::Wait(limit);
    for (const auto& [word, value] : saved_) isa::StoreWord(value, word);
    saved_.clear();
    return result;
  }

 private:
  isa::Layout layout_;
  Change change_;
  std::vector<std::pair<uint8_t*, isa::Word>> saved_;
};

SelfTestResult Try(const Wrong::Change& change) {
  const isa::Config config = sim::SmallConfig();
  Wrong device(config, change);
  driver::FunctionalDevice golden(config);
  return RunSelfTest(config, device, golden);
}

std::string FirstOf(const SelfTestResult& result) {
  return result.failures.empty() ? "none" : result.failures[0].program;
}

TEST(SelfTestTest, ADeviceThatIsRightPasses) {
  const SelfTestResult result = Try([](isa::Instruction&) {});
  EXPECT_EQ(FirstOf(result), "none");
  EXPECT_EQ(result.ran, result.programs);
  EXPECT_EQ(SelfTestText("d", result),
            StrCat("self-test on d: ", result.programs, " programs, all as they should\n"));
}

TEST(SelfTestTest, NamesTheProgramOfWhatIsWrong) {
  const auto is = [](const isa::Instruction& i, isa::Opcode opcode) {
    return i.opcode == static_cast<int64_t>(opcode);
  };
  const auto alu = [&](const isa::Instruction& i, isa::AluOp op, bool imm) {
    return is(i, isa::Opcode::kAlu) && i.alu_opcode == static_cast<int64_t>(op) && i.use_imm == imm;
  };
  using isa::Instruction;
  using isa::Opcode;
  const struct {
    Wrong::Change change;
    const char* first;
  } bugs[] = {
      {[&](Instruction& i) {
         if (is(i, Opcode::kGemm)) i.reset = 0;
       },
       "gemm reset"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kGemm)) i.overwrite = 0;
       },
       "gemm overwrite"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kGemm)) i.iter_out = 1;
       },
       "gemm"},
      {[&](Instruction& i) {
         if (alu(i, isa::AluOp::kMin, 0)) i.alu_opcode = 1;
       },
       "alu.min"},
      {[&](Instruction& i) {
         if (alu(i, isa::AluOp::kMax, 1)) i.imm &= 0x7fff;
       },
       "alu.max imm"},
      {[&](Instruction& i) {
         if (alu(i, isa::AluOp::kMul, 0)) i.src_factor_in = 0;
       },
       "alu.mul"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kSet) && i.mode == 2) i.value = 0;
       },
       "alu.requant double"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kLoad)) i.pad_select = 0;
       },
       "load.acc padded with a set byte"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kStore)) i.x_stride = i.x_size;
       },
       "store.out in rows"},
      {[&](Instruction& i) {
         if (is(i, Opcode::kLoad) && i.memory_type == 2) i.sram_base &= 7;
       },
       "load.inp rows far apart"},
  };
  for (const auto& bug : bugs) EXPECT_EQ(FirstOf(Try(bug.change)), bug.first);
}

TEST(SelfTestTest, NamesTheFirstWordAndHowMany) {
  const SelfTestResult result = Try([](isa::Instruction& i) {
    if (i.opcode == static_cast<int64_t>(isa::Opcode::kAlu) &&
        i.alu_opcode == static_cast<int64_t>(isa::AluOp::kMin))
      i.alu_opcode = static_cast<int64_t>(isa::AluOp::kMax);
  });
  ASSERT_EQ(result.failures.size(), 2u);
  EXPECT_THAT(result.failures[0].text,
              testing::MatchesRegex("word [0-9]+ at 0x[0-9a-f]+: expected 0x[0-9a-f]{8}, is "
                                    "0x[0-9a-f]{8}; [0-9]+ of [0-9]+ words? differs?"));
  const std::string text = SelfTestText("d", result);
  EXPECT_THAT(text, testing::StartsWith("self-test on d: alu.min: word "));
  EXPECT_THAT(text, HasSubstr(StrCat("self-test on d: 2 of ", result.programs,
                                     " programs failed\nthe device has no registers\n")));
}

TEST(SelfTestTest, EndsWhereAProgramDoesNot) {
  const SelfTestResult result = Try([](isa::Instruction& i) {
    if (i.opcode == static_cast<int64_t>(isa::Opcode::kStore)) i.push_prev = 0;
  });
  EXPECT_EQ(result.ran, 2);
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_THAT(result.failures[0].text, HasSubstr("did not finish: deadlock"));
  EXPECT_THAT(SelfTestText("d", result),
              HasSubstr(StrCat(", ", result.programs - 2, " were not run\n")));
}

// Counters differ, and nothing else.
class Miscounting : public driver::FunctionalDevice {
 public:
  using FunctionalDevice::FunctionalDevice;
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    isa::LaunchResult result = FunctionalDevice::Wait(limit);
    result.counters.macs /= 2;
    return result;
  }
};

TEST(SelfTestTest, CountersMustBeEqual) {
  const isa::Config config = sim::SmallConfig();
  Miscounting device(config);
  driver::FunctionalDevice golden(config);
  const SelfTestResult result = RunSelfTest(config, device, golden);
  EXPECT_EQ(FirstOf(result), "gemm");
  EXPECT_THAT(result.failures[0].text, testing::StartsWith("memory is equal; macs "));
}

TEST(SelfTestTest, RefusesAnotherAcceleratorLittleMemoryAndALateHour) {
  const isa::Config config = sim::SmallConfig();
  isa::Config other = config;
  other.arch.token_capacity = 7;
  driver::FunctionalDevice golden(config), foreign(other), small(config, {.memory_bytes = 8192});
  const auto message_of = [&](driver::Device& device, const SelfTestOptions& options = {}) {
    return vta::ErrorOf([&] { RunSelfTest(config, device, golden, options); });
  };
  EXPECT_THAT(message_of(foreign), testing::StartsWith("self-test: arch hash = "));
  EXPECT_EQ(message_of(golden, {.deadline = std::chrono::steady_clock::now()}),
            "device functional: self-test finish: was stopped: the time for it ended");
  EXPECT_THAT(message_of(small), HasSubstr("the largest free range has 4096"));
  driver::FunctionalDevice enough(config,
                                  {.memory_bytes = driver::MemoryFor(SelfTestBytes(config))});
  EXPECT_EQ(message_of(enough), "no error");
}

}  // namespace
}  // namespace vta::runtime
