// The board's RTL, by its UART pins, against the board in C++: what is answered and what is in
// memory, whatever comes over the line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "isa/spec/registers.h"
#include "tests/serial/reference_board.h"
#include "tests/serial/rtl_board.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

namespace serial = isa::serial;
using driver::EncodeFrame;
using driver::Frame;
using serial::Operation;

constexpr uint64_t kBase = ReferenceBoard::kBase;
constexpr auto kCountRegister = static_cast<uint32_t>(isa::Register::kInstructionCount);
constexpr auto kEndOfMemory = static_cast<uint32_t>(kBase + RtlBoard::kMemoryKib * 1024);

Frame Request(Operation operation, uint8_t sequence, uint32_t address = 0, int64_t words = 0,
              std::span<const uint8_t> data = {}) {
  Frame frame{static_cast<uint8_t>(operation), sequence, {}};
  if (operation == Operation::kIdentify) return frame;
  for (int i = 0; i < 4; ++i) frame.payload.push_back(static_cast<uint8_t>(address >> (8 * i)));
  for (int i = 0; i < 2; ++i) frame.payload.push_back(static_cast<uint8_t>(words >> (8 * i)));
  frame.payload.insert(frame.payload.end(), data.begin(), data.end());
  return frame;
}

// Bytes with many that are escaped.
std::vector<uint8_t> RandomBytes(std::mt19937_64& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes)
    byte = random() % 4 ? static_cast<uint8_t>(random())
                        : std::array{serial::kDelimiter, serial::kEscape}[random() % 2];
  return bytes;
}

// Mostly right ones, at the ends of what is right and beyond.
class RandomRequests {
 public:
  explicit RandomRequests(uint64_t seed) : random_(seed) {}

  Frame Next() {
    if (random_() % 4) ++sequence_;  // or again, with something else in it
    Frame frame;
    switch (random_() % 12) {
      case 0:
        frame = Request(Operation::kIdentify, sequence_);
        break;
      case 1:
        frame = Frame{static_cast<uint8_t>(random_()), sequence_,
                      RandomBytes(random_, random_() % 300)};
        break;
      case 2:
      case 3: {
        const Range range = Registers();
        frame = Request(Operation::kReadRegisters, sequence_, range.offset, range.words);
        break;
      }
      case 4:
      case 5: {
        const Range range = Registers();
        frame = Request(Operation::kWriteRegisters, sequence_, range.offset, range.words,
                        Data(4 * range.words, 256));
        break;
      }
      case 6:
        frame = Request(Operation::kClearMemory, sequence_, Address(), random_() % 600);
        break;
      case 7:
      case 8:
        frame = Request(Operation::kReadMemory, sequence_, Address(), Words(32));
        break;
      default: {
        const int64_t words = Words(32);
        frame = Request(Operation::kWriteMemory, sequence_, Address(), words, Data(8 * words, 256));
      }
    }
    return frame;
  }
  std::mt19937_64& random() { return random_; }

 private:
  int64_t Words(int64_t most) {
    if (random_() % 16 == 0) return random_() % 2 ? most + 1 : 0;
    return 1 + static_cast<int64_t>(random_()) % 4 * (most / 4 - 1) / 2;
  }
  // One in ten is not as long as it says.
  std::vector<uint8_t> Data(int64_t bytes, int64_t most) {
    if (random_() % 10 == 0) bytes += static_cast<int64_t>(random_() % 9) - 4;
    return RandomBytes(random_, static_cast<size_t>(std::clamp<int64_t>(bytes, 0, most + 2)));
  }
  uint32_t Address() {
    uint32_t address = static_cast<uint32_t>(kBase) + 8 * static_cast<uint32_t>(random_() % 512);
    if (random_() % 8 == 0) address = kEndOfMemory - 8 * static_cast<uint32_t>(random_() % 40);
    if (random_() % 16 == 0) address += static_cast<uint32_t>(random_() % 8);
    if (random_() % 32 == 0) address = static_cast<uint32_t>(random_());
    return address;
  }
  struct Range {
    uint32_t offset;
    int64_t words;
  };
  // None that starts or resets, and none whose value is another in the RTL: the modules' states.
  Range Registers() {
    constexpr auto kFirst = static_cast<uint32_t>(isa::Register::kInterruptEnable);
    constexpr auto kModules = static_cast<uint32_t>(isa::Register::kModule);
    Range range{kFirst + 4 * static_cast<uint32_t>(random_() % 120), Words(64)};
    if (range.offset < kModules)
      range.words = std::min<int64_t>(range.words, (kModules - range.offset) / 4);
    if (range.offset >= kModules) range.offset += 4 * isa::kModuleRegisters * isa::kHardwareUnits;
    if (random_() % 16 == 0) range.offset = 4096 - 4 * static_cast<uint32_t>(random_() % 20);
    if (random_() % 16 == 0) range.offset += static_cast<uint32_t>(random_() % 4);
    return range;
  }

  std::mt19937_64 random_;
  uint8_t sequence_ = 0;
};

// Half of them as they are; else damaged in some way, or with something before or behind.
std::vector<uint8_t> Damaged(std::vector<uint8_t> bytes, std::mt19937_64& random) {
  const auto at = [&] { return static_cast<int64_t>(random() % bytes.size()); };
  const uint64_t kind = random() % 16;
  if (kind == 8) bytes[at()] ^= static_cast<uint8_t>(1 << random() % 8);
  if (kind == 9) bytes[at()] = static_cast<uint8_t>(random());
  if (kind == 10) bytes.erase(bytes.begin() + at());
  if (kind == 11) bytes.insert(bytes.begin() + at(), bytes[at()]);
  if (kind == 12) bytes.insert(bytes.begin() + at(), static_cast<uint8_t>(random()));
  if (kind == 13) bytes.resize(static_cast<size_t>(at()));  // the next one's delimiter ends it
  if (kind == 14) {
    const std::vector<uint8_t> garbage = RandomBytes(random, random() % 600);
    bytes.insert(bytes.begin(), garbage.begin(), garbage.end());
  }
  if (kind == 15) std::swap(bytes[at()], bytes[at()]);
  return bytes;
}

class BridgeTest : public testing::Test {
 protected:
  BridgeTest()
      : config_(isa::LoadConfig(SourcePath("isa/configs/small_8x8.json"))),
        rtl_(config_),
        reference_(config_, sim::BoardEngine::kCycle, RtlBoard::kMemoryKib) {}

  // What both answer to the bytes.
  std::vector<uint8_t> Both(std::span<const uint8_t> bytes) {
    const std::vector<uint8_t> answer = rtl_.Exchange(bytes);
    EXPECT_EQ(answer, reference_.Exchange(bytes));
    return answer;
  }
  std::vector<uint8_t> Both(const Frame& frame) { return Both(EncodeFrame(frame)); }
  static driver::Frame Parse(std::span<const uint8_t> bytes) {
    driver::FrameReader reader;
    for (const uint8_t byte : bytes)
      if (auto frame = reader.Take(byte)) return *std::move(frame);
    return {};
  }

  isa::Config config_;
  RtlBoard rtl_;
  ReferenceBoard reference_;
};

TEST_F(BridgeTest, RandomStreamsAreAnsweredAlike) {
  constexpr uint64_t kSeed = 1;
  constexpr int kRequests = 800;
  std::printf("seed %ld\n", static_cast<long>(kSeed));
  RandomRequests requests(kSeed);
  int answers = 0;
  for (int i = 0; i < kRequests; ++i) {
    const Frame frame = requests.Next();
    const std::vector<uint8_t> bytes = Damaged(EncodeFrame(frame), requests.random());
    // Ends what the one before may have left open: while that is answered nothing else is heard.
    const std::vector<uint8_t> open = Both(std::array{serial::kDelimiter});
    const std::vector<uint8_t> answer = Both(bytes);
    ASSERT_FALSE(HasFailure()) << "request " << i << ", operation " << int{frame.operation};
    answers += !answer.empty() + !open.empty();
  }
  EXPECT_GT(answers, kRequests / 2);
  EXPECT_LT(answers, kRequests * 9 / 10);
  EXPECT_GT(reference_.executed(), kRequests / 4);
  // Memory as it is, where anything was written.
  Both(Request(Operation::kIdentify, 0));
  uint8_t sequence = 0;
  for (const uint32_t begin : {static_cast<uint32_t>(kBase), kEndOfMemory - 4096})
    for (uint32_t at = 0; at < 4096; at += serial::kDataBytes)
      EXPECT_EQ(
          Parse(Both(Request(Operation::kReadMemory, ++sequence, begin + at, 32))).payload.size(),
          257u);
}

// A line of one frame with each of its bits flipped in turn: none is carried out.
TEST_F(BridgeTest, NoFlippedBitIsTaken) {
  Both(Request(Operation::kIdentify, 0));
  const uint32_t value = 0xc0dbdc00;
  const std::vector<uint8_t> data = {0x00, 0xdc, 0xdb, 0xc0};
  const std::vector<uint8_t> good =
      EncodeFrame(Request(Operation::kWriteRegisters, 1, kCountRegister, 1, data));
  const std::vector<uint8_t> delimiter = {serial::kDelimiter};
  for (size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> bytes = good;
      bytes[at] ^= static_cast<uint8_t>(1 << bit);
      bytes.push_back(serial::kDelimiter);
      ASSERT_TRUE(Both(bytes).empty()) << at << " " << bit;
    }
  const auto count = [&](uint8_t sequence) {
    const Frame answer =
        Parse(Both(Request(Operation::kReadRegisters, sequence, kCountRegister, 1)));
    return answer.payload[0] | answer.payload[1] << 8 | answer.payload[2] << 16 |
           static_cast<uint32_t>(answer.payload[3]) << 24;
  };
  EXPECT_EQ(count(2), 0u);
  Both(Request(Operation::kWriteRegisters, 3, kCountRegister, 1, data));
  EXPECT_EQ(count(4), value);
}

// A launch of nothing is started once, though its request comes three times.
TEST_F(BridgeTest, ARequestThatComesAgainIsDoneOnce) {
  constexpr auto kControl = static_cast<uint32_t>(isa::Register::kControl);
  constexpr auto kInterrupt = static_cast<uint32_t>(isa::Register::kInterruptStatus);
  const std::vector<uint8_t> one = {1, 0, 0, 0};
  rtl_.Exchange(EncodeFrame(Request(Operation::kIdentify, 0)));
  const auto interrupt = [&](uint8_t sequence) {
    return Parse(rtl_.Exchange(
                     EncodeFrame(Request(Operation::kReadRegisters, sequence, kInterrupt, 1))))
        .payload[0];
  };
  const std::vector<uint8_t> start =
      EncodeFrame(Request(Operation::kWriteRegisters, 1, kControl, 1, one));
  const std::vector<uint8_t> acknowledge =
      EncodeFrame(Request(Operation::kWriteRegisters, 2, kInterrupt, 1, one));
  const std::vector<uint8_t> answer = rtl_.Exchange(start);
  EXPECT_EQ(Parse(answer).payload, std::vector<uint8_t>{0});
  EXPECT_EQ(rtl_.Exchange(start), answer);
  rtl_.Exchange(acknowledge);
  EXPECT_EQ(interrupt(3), 0);
  // As one that came late: the bridge has forgotten it, and does it. That is why a host that goes
  // on has its answer.
  rtl_.Exchange(start);
  EXPECT_EQ(interrupt(4), 1);
  // What it writes is not even looked at.
  for (const uint8_t value : {1, 2, 3})
    rtl_.Exchange(EncodeFrame(Request(Operation::kWriteRegisters, 5, kCountRegister, 1,
                                      std::vector<uint8_t>{value, 0, 0, 0})));
  EXPECT_EQ(
      Parse(rtl_.Exchange(EncodeFrame(Request(Operation::kReadRegisters, 6, kCountRegister, 1))))
          .payload,
      (std::vector<uint8_t>{1, 0, 0, 0, 0}));
}

// What comes while it answers is lost as a whole, and what comes then is not.
TEST_F(BridgeTest, WhatComesWhileItAnswersIsLost) {
  rtl_.Exchange(EncodeFrame(Request(Operation::kIdentify, 0)));
  std::vector<uint8_t> two = EncodeFrame(Request(Operation::kReadMemory, 1, kBase, 32));
  const std::vector<uint8_t> second = EncodeFrame(Request(Operation::kReadRegisters, 2, 0x10, 1));
  two.insert(two.end(), second.begin(), second.end());
  EXPECT_EQ(Parse(rtl_.Exchange(two)).sequence, 1);
  const Frame answer = Parse(rtl_.Exchange(second));
  EXPECT_EQ(answer.sequence, 2);
  EXPECT_EQ(answer.payload, (std::vector<uint8_t>{'V', 'T', 'A', '1', 0}));
}

// Bits that are no byte, and a line that is held low, damage the frame that they are in, and only
// that.
TEST_F(BridgeTest, ALineThatIsHeldLowDamagesOneFrame) {
  rtl_.Exchange(EncodeFrame(Request(Operation::kIdentify, 0)));
  const std::vector<uint8_t> frame = EncodeFrame(Request(Operation::kReadRegisters, 1, 0x10, 1));
  for (const int bits : {1, 9, 10, 11, 100}) {
    const auto half = std::span(frame).first(frame.size() / 2);
    EXPECT_TRUE(rtl_.Exchange(half).empty());
    rtl_.HoldLine(false, bits);
    EXPECT_TRUE(rtl_.Exchange(std::span(frame).subspan(half.size())).empty()) << bits;
    EXPECT_EQ(Parse(rtl_.Exchange(frame)).sequence, 1) << bits;
  }
}

TEST_F(BridgeTest, AResetEndsTheSession) {
  rtl_.Exchange(EncodeFrame(Request(Operation::kIdentify, 0)));
  rtl_.Reset();
  const Frame answer =
      Parse(rtl_.Exchange(EncodeFrame(Request(Operation::kReadRegisters, 1, 0x10, 1))));
  EXPECT_EQ(answer.payload, std::vector{static_cast<uint8_t>(serial::Status::kNoSession)});
}

}  // namespace
}  // namespace vta::test
