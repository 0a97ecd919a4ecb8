// The driver over the fake kernel: launches, caches and interrupts.
#include "tests/uio/uio_fixture.h"

namespace vta::driver::uio {
namespace {

using UioDeviceTest = UioTest;

TEST_F(UioDeviceTest, RunsLaunchesOnEachEngine) {
  for (const char* engine : {"functional", "cycle", "rtl"}) {
    SCOPED_TRACE(engine);
    Set(StrCat(", \"engine\": \"", engine, "\""));
    const std::unique_ptr<Device> device = Open();
    EXPECT_EQ(device->id().name, "/dev/uio0");
    EXPECT_EQ(Run(*device), kStored);
    EXPECT_EQ(Run(*device), kStored);
    EXPECT_EQ(board().interrupts(), 2);
  }
}

TEST_F(UioDeviceTest, FreshMemoryReadsZero) {
  const std::unique_ptr<Device> device = Open();
  Run(*device);
  Buffer data(*device, 0x1001);
  std::vector<uint8_t> bytes(0x1001, 1);
  data.CopyOut(0, bytes);
  EXPECT_EQ(bytes, std::vector<uint8_t>(0x1001));
}

// Each of the four is what the accelerator, or the host, sees where the call is missing.
TEST_F(UioDeviceTest, MappedMemoryIsSeenByTheOtherSideAfterASync) {
  const std::unique_ptr<Device> device = Open();
  Buffer data(*device, 0x1000), code(*device, 0x1000);
  const std::span<uint8_t> bytes = data.Map();
  const auto output = [&] {
    const auto at = bytes.begin() + kOutput;
    return std::vector<uint8_t>(at, at + std::ssize(kStored));
  };
  std::ranges::copy(kGiven, bytes.begin());
  Launch(*device, data, code);
  data.SyncForHost(kOutput, 8);
  EXPECT_EQ(output(), std::vector<uint8_t>(8, 1)) << "the input stayed in the cache: 0 + 1";
  data.SyncForDevice(0, 8);
  Launch(*device, data, code);
  EXPECT_EQ(output(), std::vector<uint8_t>(8, 1)) << "the output is in memory alone";
  data.SyncForHost(kOutput, 8);
  EXPECT_EQ(output(), kStored);

  std::ranges::fill(bytes.subspan(kOutput, 8), uint8_t{9});
  std::ranges::fill(bytes.subspan(0, 8), uint8_t{2});
  data.SyncForDevice(0, 8);
  Launch(*device, data, code);
  data.SyncForHost(kOutput, 8);
  EXPECT_EQ(output(), std::vector<uint8_t>(8, 9)) << "a dirty line came down over the output";
}

TEST_F(UioDeviceTest, ACopyThatEndsInsideALineKeepsWhatTheAcceleratorWroteThere) {
  const std::unique_ptr<Device> device = Open();
  Buffer data(*device, 0x1000), code(*device, 0x1000);
  data.CopyIn(0, kGiven);
  Launch(*device, data, code);
  data.CopyIn(kOutput + 8, std::vector<uint8_t>{42});
  std::vector<uint8_t> bytes(9);
  data.CopyOut(kOutput, bytes);
  std::vector<uint8_t> wanted = kStored;
  wanted.push_back(42);
  EXPECT_EQ(bytes, wanted);
}

TEST_F(UioDeviceTest, LostInterruptsCostTimeAlone) {
  Set(R"(, "lose_every": 2)");
  std::unique_ptr<Device> device = Open();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Run(*device), kStored);
  EXPECT_EQ(board().interrupts(), 4);
  device.reset();
  // All of them: soon STATUS is polled, without the patience that each had cost.
  Set(R"(, "lose_every": 1)");
  device = Open();
  for (int i = 0; i < 3; ++i) Run(*device);
  const int64_t waits = board().waits();
  EXPECT_GT(waits, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Run(*device), kStored);
  EXPECT_EQ(board().waits(), waits);
}

TEST_F(UioDeviceTest, SpuriousInterruptsEndNoLaunch) {
  Set(R"(, "engine": "rtl", "busy_looks": 4, "spurious_every": 1)");
  const std::unique_ptr<Device> device = Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Run(*device), kStored);
  EXPECT_GE(board().interrupts(), 3 * 4);
}

TEST_F(UioDeviceTest, WithoutAnInterruptStatusIsPolled) {
  Set(R"(, "engine": "rtl", "has_interrupt": false)");
  const std::unique_ptr<Device> device = Open();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Run(*device), kStored);
  EXPECT_EQ(board().waits(), 0);
}

}  // namespace
}  // namespace vta::driver::uio
