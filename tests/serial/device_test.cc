// The device over the line: launches, memory byte by byte, and errors, against a board in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/buffer.h"
#include "driver/serial/serial_device.h"
#include "isa/codec.h"
#include "isa/layout.h"
#include "isa/support/error.h"
#include "tests/serial/memory_line.h"
#include "tests/serial/reference_board.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::test {
namespace {

using driver::SerialDevice;
using testing::StartsWith;

constexpr int64_t kMemoryKib = 32;

class SerialDeviceTest : public testing::Test {
 protected:
  std::unique_ptr<SerialDevice> Open(double noise = 0) {
    return std::make_unique<SerialDevice>(std::make_unique<MemoryLine>(board_, noise), config_);
  }

  // Loads bytes as accumulators, adds 1 and stores them.
  std::vector<uint8_t> Run(SerialDevice& device) {
    isa::Instruction add = sim::AluImm(isa::AluOp::kAdd, 0, 1, 1);
    add.push_next = 1;
    isa::Instruction store = sim::StoreOf(0, 32, 1);
    store.pop_prev = 1;
    const std::vector<isa::Instruction> program = {sim::LoadOf(isa::MemoryType::kUop, 0, 16, 1),
                                                   sim::LoadOf(isa::MemoryType::kAcc8, 0, 0, 1),
                                                   add, store, sim::Finish()};
    driver::Buffer data(device, 0x1000), code(device, 0x1000);
    data.CopyIn(0, std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 0x7e});
    std::vector<uint8_t> words(program.size() * isa::kInstructionBytes);
    for (size_t i = 0; i < program.size(); ++i)
      isa::StoreWord(isa::Encode(isa::Layout(config_), program[i]),
                     words.data() + i * isa::kInstructionBytes);
    code.CopyIn(0, words);
    isa::LaunchRequest request{code.address(), std::ssize(program), {}};
    request.base.fill(data.address());
    device.Launch(request);
    result_ = device.Wait(driver::kForever);
    std::vector<uint8_t> stored(8);
    data.CopyOut(256, stored);
    return stored;
  }

  isa::Config config_ = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  ReferenceBoard board_{config_, sim::BoardEngine::kCycle, kMemoryKib};
  isa::LaunchResult result_;
  const std::vector<uint8_t> stored_ = {2, 3, 4, 5, 6, 7, 8, 0x7f};
};

TEST_F(SerialDeviceTest, Launches) {
  const auto device = Open();
  EXPECT_EQ(device->id().name, "line");
  EXPECT_EQ(device->id().clock_mhz, 25);
  EXPECT_EQ(device->ReadRegister(isa::Register::kWatchdogCycles), 250'000);  // 10 ms
  const int64_t before = device->statistics().requests;
  EXPECT_EQ(Run(*device), stored_);
  EXPECT_EQ(result_.outcome, isa::Outcome::kFinished);
  EXPECT_EQ(result_.counters.instructions[static_cast<int>(isa::Opcode::kAlu)], 1);
  EXPECT_GT(result_.counters.time->cycles, 0);
  // Registers travel together: a frame each would be more than a hundred.
  EXPECT_LE(device->statistics().requests - before, 24);
}

TEST_F(SerialDeviceTest, LaunchesOverANoisyLine) {
  const auto device = Open(0.001);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Run(*device), stored_);
  EXPECT_GT(device->statistics().resent, 20);
}

// Counters are those of the last launch, though they are kept between reads.
TEST_F(SerialDeviceTest, ReadsCountersAnewAfterEachLaunch) {
  const auto device = Open();
  Run(*device);
  const int64_t first = result_.counters.time->cycles;
  Run(*device);
  EXPECT_EQ(result_.counters.time->cycles, first);
  EXPECT_EQ(*device->ReadRegister(isa::Register::kCounter, 0), first);
  isa::LaunchRequest nothing;
  nothing.base.fill(ReferenceBoard::kBase);
  nothing.instruction_address = ReferenceBoard::kBase;
  device->Launch(nothing);
  EXPECT_EQ(device->Wait(driver::kForever).outcome, isa::Outcome::kNoFinish);
  EXPECT_NE(*device->ReadRegister(isa::Register::kCounter, 0), first);
}

TEST_F(SerialDeviceTest, CopiesAnyBytes) {
  const auto device = Open();
  constexpr size_t kBytes = 2000;
  const driver::Buffer buffer(*device, kBytes);
  std::vector<uint8_t> model(kBytes);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const size_t at = random() % kBytes, count = random() % (kBytes - at + 1) % (i % 2 ? 20 : 900);
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    device->CopyIn(buffer.address() + at, bytes);
    std::ranges::copy(bytes, model.begin() + static_cast<int64_t>(at));
    const size_t from = random() % kBytes, length = random() % (kBytes - from + 1);
    std::vector<uint8_t> read(length);
    device->CopyOut(buffer.address() + from, read);
    ASSERT_TRUE(std::ranges::equal(read, std::span(model).subspan(from, length))) << i;
  }
}

TEST_F(SerialDeviceTest, MemoryIsZeroAndEnds) {
  std::ranges::fill(board_.board().memory(), 0xa5);
  const auto device = Open();
  const driver::Buffer buffer(*device, 999);
  std::vector<uint8_t> bytes(999, 1);
  device->CopyOut(buffer.address(), bytes);
  EXPECT_EQ(bytes, std::vector<uint8_t>(999));
  EXPECT_EQ(board_.board().memory()[1000], 0xa5);  // what was not asked for is not touched
  EXPECT_EQ(ErrorOf([&] { device->Allocate(40'000); }),
            "device line: memory = 40000 bytes: the largest free range has 28672");
}

TEST_F(SerialDeviceTest, RefusesAnotherAccelerator) {
  const isa::Config other = isa::LoadConfig(SourcePath("isa/configs/small_8x8.json"));
  EXPECT_THAT(ErrorOf([&] { SerialDevice(std::make_unique<MemoryLine>(board_), other); }),
              StartsWith("line: "));
  board_.board().set_fault(sim::BoardFault::kWrongId);
  EXPECT_EQ(ErrorOf([&] { Open(); }),
            "device line: register id = 0x31415457: is not a VTA's, 0x31415456");
  board_.board().set_fault(sim::BoardFault::kNoAnswer);
  EXPECT_EQ(
      ErrorOf([&] { Open(); }),
      "line: read_registers at 0x10 = 1 word: the board refuses it: a register answered SLVERR");
  board_.board().set_fault(sim::BoardFault::kNone);
  EXPECT_EQ(Run(*Open()), stored_);
}

// A board that is reset in the middle: one error, and no endless wait where the device goes.
TEST_F(SerialDeviceTest, ABoardThatWasResetIsOneError) {
  const auto device = Open();
  const driver::Buffer buffer(*device, 100);
  board_.Forget();
  EXPECT_EQ(ErrorOf([&] { device->CopyIn(buffer.address(), std::vector<uint8_t>(100)); }),
            "line: the board was reset, and its memory is lost");
}

TEST(OpenSerialTest, ReadsItsName) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  const auto error = [&](const std::string& where) {
    return ErrorOf([&] { driver::OpenSerial(where, config); });
  };
  for (const std::string where :
       {"", "@9600", "/dev/null@fast", "/dev/null@", "/dev/null@-9600", "/dev/null@9600 "})
    EXPECT_EQ(error(where), "--engine: serial:" + where + ": must be serial:DEVICE[@BAUD]");
  EXPECT_EQ(error("/dev/null@12345"),
            "--engine: serial:/dev/null@12345: must have a baud of 9600, 19200, 38400, 57600, "
            "115200, 230400, 460800, 500000, 576000, 921600, 1000000, 1152000, 1500000, 2000000, "
            "2500000, 3000000, 3500000, 4000000");
  EXPECT_EQ(error("/dev/null@115200"), "/dev/null: is no serial port");
}

}  // namespace
}  // namespace vta::test
