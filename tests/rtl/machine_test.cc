// The RTL behind its registers: what random programs do not reach.
#include "sim/rtl/machine.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "tests/support/files.h"

namespace vta::sim {
namespace {

class RtlMachineTest : public testing::Test {
 protected:
  RtlMachineTest()
      : config_(isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"))),
        rtl_(config_) {}

  isa::Config config_;
  RtlMachine rtl_;
};

TEST_F(RtlMachineTest, FetchHaltsWhereTheMemoryEnds) {
  std::vector<uint8_t> dram(8192);  // words of zeros: LOADs of nothing
  const isa::LaunchRequest launch{.instruction_address = 8192 - 32, .instruction_count = 9};
  Machine golden(config_);
  const isa::LaunchResult want = golden.Run(launch, dram);
  isa::LaunchResult have = rtl_.Run(launch, dram);
  EXPECT_EQ(have.outcome, isa::Outcome::kFault);
  EXPECT_EQ(have.fetch.fault, isa::Fault::kBusError);
  EXPECT_EQ(have.fetch.address, 8192u);
  have.counters.time.reset();
  EXPECT_EQ(have, want);
}

TEST_F(RtlMachineTest, SaysWhatItIs) {
  EXPECT_EQ(rtl_.ReadRegister(isa::Register::kId), isa::kHardwareId);
  const uint64_t hash = rtl_.ReadRegister(isa::Register::kArchHashLow) |
                        uint64_t{rtl_.ReadRegister(isa::Register::kArchHashHigh)} << 32;
  EXPECT_EQ(hash, isa::ArchHash(config_));
}

TEST_F(RtlMachineTest, RefusesAddressesThatTheBusCannotReach) {
  std::vector<uint8_t> dram(4096);
  isa::LaunchRequest launch;
  launch.base[3] = 48;
  try {
    rtl_.Run(launch, dram);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "launch: base of acc = 0x30: must be a multiple of 32");
  }
}

TEST_F(RtlMachineTest, StopsAtTheCycleLimitAndRunsAgain) {
  std::vector<uint8_t> dram(4096);
  const isa::LaunchRequest launch{.instruction_address = 0, .instruction_count = 100};
  rtl_.options().cycle_limit = 50;
  EXPECT_EQ(rtl_.Run(launch, dram).outcome, isa::Outcome::kStopped);
  rtl_.options().cycle_limit = 5000;
  EXPECT_EQ(rtl_.Run(launch, dram).outcome, isa::Outcome::kNoFinish);
}

}  // namespace
}  // namespace vta::sim
