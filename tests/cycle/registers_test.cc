// The registers of the SystemC module hold what those of the RTL do when a launch has ended.
#include "sim/cycle/host/registers.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

using isa::Register;

constexpr uint64_t kMemoryBase = 0x1234'5000;

TEST(HostRegisters, AreTheRtlsWhenALaunchHasEnded) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  sim::RtlMachine rtl(config, {.memory_base = kMemoryBase});
  sim::cycle::Core core(config);
  int waiting = 0, halted = 0;
  for (int i = 0; i < 60; ++i) {
    const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
    SCOPED_TRACE(StrCat("a program of kind ", ProgramKindName(kind), ", seed ", i));
    Image image = ImageOf(RandomRtlProgram(config, kind, static_cast<uint64_t>(i)));
    isa::LaunchResult result = core.Run(image.launch, image.dram);
    result.fetch.address += kMemoryBase;
    for (isa::ModuleState& state : result.modules) state.address += kMemoryBase;
    rtl.Run(image.launch, image.dram);
    sim::HostRegisters registers(config);
    registers.Begin();
    registers.End(result);
    const auto expect = [&](Register first, int64_t word) {
      const uint64_t offset = static_cast<uint64_t>(first) + 4 * static_cast<uint64_t>(word);
      EXPECT_EQ(registers.ReadWord(offset).value, rtl.ReadRegister(first, word)) << Hex(offset);
    };
    expect(Register::kStatus, 0);
    for (Register row : {Register::kId, Register::kArchHashLow, Register::kArchHashHigh,
                         Register::kTimingHashLow, Register::kTimingHashHigh})
      expect(row, 0);
    for (int64_t word = 0; word < 2 * isa::kHardwareCounters; ++word)
      expect(Register::kCounter, word);
    // What a unit that is done shows beside that means nothing.
    for (int64_t unit = 0; unit < isa::kHardwareUnits; ++unit) {
      const int64_t word = unit * isa::kModuleRegisters;
      const auto kind_of =
          static_cast<isa::ModuleState::Kind>(rtl.ReadRegister(Register::kModule, word) & 0xf);
      waiting += kind_of == isa::ModuleState::Kind::kWaiting;
      halted += kind_of == isa::ModuleState::Kind::kHalted;
      if (unit == 0) expect(Register::kModule, 1);
      if (kind_of == isa::ModuleState::Kind::kDone) continue;
      for (int64_t i = 0; i < isa::kModuleRegisters; ++i) expect(Register::kModule, word + i);
    }
  }
  EXPECT_GT(waiting, 10);
  EXPECT_GT(halted, 5);
}

}  // namespace
}  // namespace vta::test
