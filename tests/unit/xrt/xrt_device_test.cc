// The device by its interface, in a process that opens it again and again.
#include "driver/xrt/xrt_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "driver/buffer.h"
#include "isa/register_launch.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"
#include "tests/unit/xrt/simulated_xrt.h"

namespace vta::driver {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr int64_t kBytes = 0x1000, kStored = 256;

class XrtDeviceTest : public testing::Test {
 protected:
  XrtDeviceTest()
      : config_(isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"))),
        file_(xrt_.Xclbin(config_)) {}

  std::unique_ptr<Device> Open() const { return OpenXrt(file_, config_); }

  /// Loads eight bytes as accumulators, adds 1 and stores them.
  void PutProgram(Buffer& code) const {
    isa::Instruction add = sim::AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_next = 1;
    isa::Instruction store = sim::StoreOf(0, kStored / config_.out_bytes(), 1);
    store.pop_prev = 1;
    const isa::Instruction program[] = {sim::LoadOf(isa::MemoryType::kUop, 0, 16, 1),
                                        sim::LoadOf(isa::MemoryType::kAcc8, 0, 0, 1), add, store,
                                        sim::Finish()};
    for (size_t i = 0; i < std::size(program); ++i) {
      std::vector<uint8_t> word(isa::kInstructionBytes);
      isa::StoreWord(isa::Encode(isa::Layout(config_), program[i]), word.data());
      code.CopyIn(static_cast<int64_t>(i) * isa::kInstructionBytes, word);
    }
  }
  static void Run(Device& device, const Buffer& data, const Buffer& code) {
    isa::LaunchRequest request{code.address(), 5, {}};
    request.base.fill(data.address());
    device.Launch(request);
    EXPECT_EQ(isa::Describe(device.Wait(kForever)), "finished");
  }

  test::SimulatedXrt xrt_;
  isa::Config config_;
  std::string file_;
};

TEST_F(XrtDeviceTest, IsWhatItsRegistersSay) {
  const auto device = Open();
  EXPECT_EQ(device->id().name, "xrt:" + file_);
  EXPECT_EQ(device->id().arch_hash, isa::ArchHash(config_));
  EXPECT_EQ(device->id().timing_hash, isa::TimingHash(config_));
  EXPECT_TRUE(device->id().config);
  EXPECT_TRUE(device->id().is_simulated);
  EXPECT_EQ(device->ReadRegister(isa::Register::kId), isa::kHardwareId);
}

TEST_F(XrtDeviceTest, MemoryReadsZeroUntilItIsWritten) {
  const auto device = Open();
  Buffer one(*device, 10), two(*device, 3 * kBytes);
  EXPECT_EQ(one.address() % kAllocationAlignment, 0u);
  for (const Buffer* buffer : {&one, &two}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(buffer->bytes()), 1);
    buffer->CopyOut(0, bytes);
    EXPECT_THAT(bytes, Each(0));
  }
}

TEST_F(XrtDeviceTest, CopiesReachTheDeviceAndComeBack) {
  const auto device = Open();
  Buffer data(*device, kBytes), code(*device, kBytes);
  PutProgram(code);
  std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 0x7e};
  for (const std::vector<uint8_t>& want :
       {std::vector<uint8_t>{2, 3, 4, 5, 6, 7, 8, 0x7f}, {3, 4, 5, 6, 7, 8, 9, 0x80}}) {
    data.CopyIn(0, bytes);
    Run(*device, data, code);
    data.CopyOut(kStored, bytes);
    EXPECT_EQ(bytes, want);
  }
}

// Who forgets to say what was written works with what the other side's copy had.
TEST_F(XrtDeviceTest, AForgottenSyncShows) {
  const auto device = Open();
  Buffer data(*device, kBytes), code(*device, kBytes);
  PutProgram(code);
  const std::span<uint8_t> host = data.Map();
  const auto stored = [&] { return std::vector<uint8_t>(&host[kStored], &host[kStored + 8]); };
  const std::vector<uint8_t> zeros(8), ones(8, 1), right = {2, 3, 4, 5, 6, 7, 8, 9};

  std::iota(host.begin(), host.begin() + 8, 1);
  Run(*device, data, code);    // no SyncForDevice
  EXPECT_EQ(stored(), zeros);  // no SyncForHost
  device->SyncForHost(data.address() + kStored, 8);
  EXPECT_EQ(stored(), ones);  // of the zeros that the device has

  device->SyncForDevice(data.address(), 8);
  Run(*device, data, code);
  EXPECT_EQ(stored(), ones);
  device->SyncForHost(data.address() + kStored, 8);
  EXPECT_EQ(stored(), right);
}

TEST_F(XrtDeviceTest, RangesOutsideAnAllocationAreRefused) {
  const auto device = Open();
  const Buffer buffer(*device, kBytes);
  std::vector<uint8_t> bytes(16);
  EXPECT_EQ(ErrorOf([&] { device->CopyOut(buffer.address() + kBytes - 15, bytes); }),
            StrCat("xrt:", file_, ": memory = ", Hex(buffer.address() + kBytes - 15),
                   " + 16 bytes: must lie inside one allocation"));
  EXPECT_THAT(ErrorOf([&] { device->CopyIn(buffer.address() - 1, bytes); }),
              HasSubstr("must lie inside one allocation"));
  EXPECT_THAT(ErrorOf([&] { device->Free(0x10); }), HasSubstr("must lie inside one allocation"));
}

TEST_F(XrtDeviceTest, ALaunchThatTakesTooLongIsResetAndTheNextOneStarts) {
  xrt_.SetFault("stuck");
  const auto device = Open();
  Buffer data(*device, kBytes), code(*device, kBytes);
  PutProgram(code);
  isa::LaunchRequest request{code.address(), 5, {}};
  request.base.fill(data.address());
  for (int turn = 0; turn < 2; ++turn) {
    device->Launch(request);
    EXPECT_EQ(device->Wait(std::chrono::milliseconds(5)).outcome, isa::Outcome::kStopped);
    EXPECT_EQ(device->ReadRegister(isa::Register::kStatus), 0u);
  }
}

TEST_F(XrtDeviceTest, NothingStaysLockedAfterAnError) {
  for (const char* fault : {"wrong_id", "wrong_hash", "no_answer", "refused_xclbin", "nonsense"}) {
    xrt_.SetFault(fault);
    EXPECT_NE(ErrorOf([&] { Open(); }), "no error") << fault;
    xrt_.SetFault("");
    const auto device = Open();
    Buffer data(*device, kBytes), code(*device, kBytes);
    PutProgram(code);
    Run(*device, data, code);
  }
}

TEST_F(XrtDeviceTest, OneAtATimeHasIt) {
  const auto device = Open();
  EXPECT_EQ(
      ErrorOf([&] { Open(); }),
      StrCat("xrt:", file_, ": accelerator: is held already, by another process or this one"));
  EXPECT_EQ(device->ReadRegister(isa::Register::kId), isa::kHardwareId);
}

}  // namespace
}  // namespace vta::driver
