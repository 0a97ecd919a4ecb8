// The host's end of the line, to a board in C++ over a line that damages, loses and doubles bytes.
#include "driver/serial/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/registers.h"
#include "tests/serial/memory_line.h"
#include "tests/serial/reference_board.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

using driver::Frame;
using driver::SerialLink;
using testing::StartsWith;

constexpr int64_t kLinkKib = 16;
constexpr uint32_t kCountRegister = static_cast<uint32_t>(isa::Register::kInstructionCount);
constexpr auto kIdRegister = static_cast<uint32_t>(isa::Register::kId);

class SerialLinkTest : public testing::Test {
 protected:
  std::unique_ptr<SerialLink> Open(double noise = 0, uint64_t seed = 1) {
    return std::make_unique<SerialLink>(std::make_unique<MemoryLine>(board_, noise, seed));
  }

  ReferenceBoard board_{isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json")),
                        sim::BoardEngine::kFunctional, kLinkKib};
};

TEST_F(SerialLinkTest, KnowsTheBoard) {
  const auto link = Open();
  EXPECT_EQ(link->identity().memory_base, ReferenceBoard::kBase);
  EXPECT_EQ(link->identity().memory_bytes, kLinkKib * 1024);
  EXPECT_EQ(link->identity().clock_hz, ReferenceBoard::kClockHz);
  EXPECT_EQ(link->ReadRegisters(kIdRegister, 1), std::vector{isa::kHardwareId});
  EXPECT_EQ(link->statistics().resent, 0);
}

// Random reads and writes, of which the board must do each once and the host must see what is
// there, whatever the line does to their bytes.
TEST_F(SerialLinkTest, NothingIsWrongOnANoisyLine) {
  int64_t resent = 0, dropped = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const int64_t before = board_.executed();
    const auto link = Open(0.001, seed);
    std::mt19937_64 random(seed);
    std::vector<uint8_t> memory(static_cast<size_t>(kLinkKib) * 1024);
    link->ClearMemory(ReferenceBoard::kBase, std::ssize(memory));
    for (int i = 0; i < 60; ++i) {
      const size_t at = random() % (memory.size() / 8) * 8;
      const size_t count = std::min<size_t>(8 * (1 + random() % 64), memory.size() - at);
      std::vector<uint8_t> bytes(count);
      if (random() % 2) {
        for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
        std::ranges::copy(bytes, memory.begin() + static_cast<int64_t>(at));
        link->WriteMemory(ReferenceBoard::kBase + at, bytes);
      } else {
        link->ReadMemory(ReferenceBoard::kBase + at, bytes);
        ASSERT_TRUE(std::ranges::equal(bytes, std::span(memory).subspan(at, count)));
      }
      const auto value = static_cast<uint32_t>(random());
      link->WriteRegisters(kCountRegister, {&value, 1});
      ASSERT_EQ(link->ReadRegisters(kCountRegister, 1), std::vector{value});
    }
    ASSERT_TRUE(std::ranges::equal(board_.board().memory(), memory));
    const driver::SerialStatistics all = link->statistics();
    // An identification may be asked for twice, as each of them begins anew.
    EXPECT_GE(board_.executed() - before, all.requests);
    EXPECT_LE(board_.executed() - before, all.requests + 2);
    resent += all.resent, dropped += all.dropped;
  }
  EXPECT_GT(resent, 100);
  EXPECT_GT(dropped, 50);
}

TEST_F(SerialLinkTest, TooMuchNoiseIsOneError) {
  const auto link = Open(0.02);
  const std::vector<uint8_t> bytes(4096);
  EXPECT_THAT(ErrorOf([&] { link->WriteMemory(ReferenceBoard::kBase, bytes); }),
              StartsWith("line: the board does not answer 8 times; of "));
  EXPECT_EQ(ErrorOf([&] { link->ReadRegisters(kIdRegister, 1); }),
            "line: nothing is sent after an error");
}

// What answers in some way of its own.
class Answering : public FarEnd {
 public:
  using Answer = std::function<std::vector<uint8_t>(const Frame&)>;
  explicit Answering(Answer answer) : answer_(std::move(answer)) {}
  std::vector<uint8_t> Pass(std::span<const uint8_t> bytes) override {
    std::vector<uint8_t> sent;
    for (const uint8_t byte : bytes)
      if (const auto frame = reader_.Take(byte))
        for (const uint8_t answer : answer_(*frame)) sent.push_back(answer);
    return sent;
  }
  bool is_quiet() const override { return true; }

 private:
  Answer answer_;
  driver::FrameReader reader_;
};

std::string OpenError(Answering::Answer answer) {
  Answering end(std::move(answer));
  return ErrorOf([&] { SerialLink link(std::make_unique<MemoryLine>(end)); });
}

TEST(SerialAnswersTest, OthersAreRefused) {
  EXPECT_EQ(OpenError([](const Frame&) { return std::vector<uint8_t>(); }),
            "line: no VTA answers there: is the bitstream loaded, and is this the port?");
  EXPECT_EQ(
      OpenError([](const Frame& frame) { return driver::EncodeFrame(frame); }),
      "line: no VTA answers there: of 80 bytes that came none are an answer; is the speed right?");
  const auto identify = [](uint32_t magic, uint32_t version) {
    return [=](const Frame& frame) {
      Frame answer{static_cast<uint8_t>(frame.operation | 0x80), frame.sequence,
                   std::vector<uint8_t>(21)};
      for (int i = 0; i < 4; ++i) answer.payload[i] = static_cast<uint8_t>(magic >> (8 * i));
      answer.payload[4] = static_cast<uint8_t>(version);
      return driver::EncodeFrame(answer);
    };
  };
  EXPECT_EQ(OpenError(identify(0x11223344, 1)), "line: identification = 0x11223344: is no VTA");
  EXPECT_EQ(OpenError(identify(isa::serial::kMagic, 2)),
            "line: protocol = version 2: this program speaks version 1");
  EXPECT_EQ(OpenError(identify(isa::serial::kMagic, isa::serial::kVersion)),
            "line: clock = 0 Hz: must be more than 0 Hz");
}

// Each answer comes twice, as where the host was too soon to send again.
TEST_F(SerialLinkTest, AnswersToEarlierRequestsAreNone) {
  Answering end([&](const Frame& frame) {
    std::vector<uint8_t> answer = board_.Exchange(driver::EncodeFrame(frame));
    const std::vector<uint8_t> again = answer;
    answer.insert(answer.end(), again.begin(), again.end());
    return answer;
  });
  SerialLink link(std::make_unique<MemoryLine>(end));
  for (uint32_t value = 0; value < 600; ++value) {  // more than there are sequence numbers
    link.WriteRegisters(kCountRegister, {&value, 1});
    ASSERT_EQ(link.ReadRegisters(kCountRegister, 1), std::vector{value});
  }
}

// A frame whose CRC is right, and which is none that a board sends: done without the data, a status
// that does not exist, an error with data, nothing at all.
TEST_F(SerialLinkTest, AnswersThatDoNotHoldTogetherAreNone) {
  for (const std::vector<uint8_t>& payload :
       {std::vector<uint8_t>{0}, {9}, {1, 2, 3, 4, 9}, {1, 2, 3, 4, 4}, {}}) {
    Answering end([&](const Frame& frame) {
      if (frame.operation == static_cast<uint8_t>(isa::serial::Operation::kIdentify))
        return board_.Exchange(driver::EncodeFrame(frame));
      return driver::EncodeFrame({static_cast<uint8_t>(frame.operation | isa::serial::kAnswerBit),
                                  frame.sequence, payload});
    });
    SerialLink link(std::make_unique<MemoryLine>(end));
    EXPECT_THAT(ErrorOf([&] { link.ReadRegisters(kIdRegister, 1); }),
                StartsWith("line: the board does not answer 8 times; of "));
  }
}

TEST_F(SerialLinkTest, ABoardThatWasResetHasLostItsMemory) {
  const auto link = Open();
  board_.Forget();
  EXPECT_EQ(ErrorOf([&] { link->ReadRegisters(kIdRegister, 1); }),
            "line: the board was reset, and its memory is lost");
  EXPECT_EQ(ErrorOf([&] { link->ReadRegisters(kIdRegister, 1); }),
            "line: nothing is sent after an error");
}

TEST_F(SerialLinkTest, WhatTheBoardRefusesIsNamed) {
  const auto link = Open();
  EXPECT_EQ(
      ErrorOf([&] { link->ReadRegisters(0xf00, 1); }),
      "line: read_registers at 0xf00 = 1 word: the board refuses it: a register answered SLVERR");
  const uint32_t value = 1;
  EXPECT_EQ(
      ErrorOf([&] {
        link->WriteRegisters(kIdRegister, {&value, 1});
      }),
      "line: write_registers at 0x10 = 1 word: the board refuses it: a register answered SLVERR");
  EXPECT_EQ(ErrorOf([&] { link->ClearMemory(ReferenceBoard::kBase, kLinkKib * 1024 + 8); }),
            "line: clear_memory at 0x80000000 = 2049 words: the board refuses it: not aligned, or "
            "not inside "
            "the memory or the register page");
  EXPECT_EQ(link->ReadRegisters(kIdRegister, 1), std::vector{isa::kHardwareId});
}

}  // namespace
}  // namespace vta::test
