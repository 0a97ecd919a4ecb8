// The RTL behind the device interface: what it is, and its registers, as a board's driver sees
// them.
#include <gtest/gtest.h>

#include "driver/buffer.h"
#include "driver/rtl/rtl_device.h"
#include "isa/codec.h"
#include "tests/support/files.h"
#include "tests/unit/driver/register_device_suite.h"
#include "tests/unit/sim/program.h"

namespace vta::driver {
namespace {

using isa::HardwareCounter;
using isa::Register;

TEST(RtlDevice, IsWhatItsRegistersSay) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  RtlDevice device(config, MemoryFor(4096));
  EXPECT_EQ(device.id().arch_hash, isa::ArchHash(config));
  EXPECT_EQ(device.id().timing_hash, isa::TimingHash(config));
  EXPECT_EQ(device.ReadRegister(Register::kTimingHashHigh), isa::TimingHash(config) >> 32);
  RequireSameArch(config, device.id(), "p.vta");
}

TEST(RtlDevice, RegistersTellOfALaunch) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  RtlDevice device(config, MemoryFor(4096));
  Buffer code(device, 16);
  std::vector<uint8_t> words(isa::kInstructionBytes);
  isa::StoreWord(isa::Encode(isa::Layout(config), sim::Finish()), words.data());
  code.CopyIn(0, words);
  isa::LaunchRequest request{code.address(), 1, {}};
  request.base[3] = 0x5000;
  device.Launch(request);
  const isa::LaunchResult result = device.Wait(kForever);
  EXPECT_EQ(device.ReadRegister(Register::kStatus), isa::kStatusDone);
  EXPECT_EQ(device.ReadRegister(Register::kInstructionAddressLow), code.address());
  EXPECT_EQ(device.ReadRegister(Register::kBase, 6), 0x5000u);
  EXPECT_EQ(device.ReadRegister(Register::kModule, 1), 1u);  // fetched
  EXPECT_EQ(device.ReadRegister(Register::kCounter, 0), result.counters.time->cycles);
  const auto instructions = static_cast<int64_t>(HardwareCounter::kInstructions);
  const auto finish = static_cast<int64_t>(isa::Opcode::kFinish);
  EXPECT_EQ(device.ReadRegister(Register::kCounter, 2 * (instructions + finish)), 1u);
}

INSTANTIATE_TEST_SUITE_P(Rtl, RegisterDeviceTest, testing::Values(BoardEngine::kRtl));

}  // namespace
}  // namespace vta::driver
