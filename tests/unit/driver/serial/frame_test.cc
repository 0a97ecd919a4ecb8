#include "driver/serial/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "isa/spec/serial.h"
#include "tests/support/trials.h"

namespace vta::driver {
namespace {

namespace serial = isa::serial;
using testing::ElementsAre;

std::vector<uint8_t> BytesOf(std::string_view text) { return {text.begin(), text.end()}; }

std::vector<Frame> FramesOf(std::span<const uint8_t> bytes) {
  FrameReader reader;
  std::vector<Frame> frames;
  for (const uint8_t byte : bytes)
    if (auto frame = reader.Take(byte)) frames.push_back(*std::move(frame));
  return frames;
}

bool IsSame(const Frame& a, const Frame& b) {
  return a.operation == b.operation && a.sequence == b.sequence && a.payload == b.payload;
}

Frame RandomFrame(std::mt19937& random, size_t most = 64) {
  Frame frame{static_cast<uint8_t>(random()), static_cast<uint8_t>(random()), {}};
  frame.payload.resize(random() % (most + 1));
  // Half of the bytes have to be escaped, or look like what is.
  const uint8_t special[] = {serial::kDelimiter, serial::kEscape, serial::kEscapedDelimiter,
                             serial::kEscapedEscape};
  for (uint8_t& byte : frame.payload)
    byte = random() % 2 ? special[random() % 4] : static_cast<uint8_t>(random());
  return frame;
}

// The check value that catalogues of CRCs give for CRC-32/ISO-HDLC, and others of the same.
TEST(Crc32Test, IsThePublishedOne) {
  EXPECT_EQ(Crc32(BytesOf("123456789")), 0xcbf43926u);
  EXPECT_EQ(Crc32({}), 0u);
  EXPECT_EQ(Crc32(BytesOf("a")), 0xe8b7be43u);
  EXPECT_EQ(Crc32(std::vector<uint8_t>(32, 0)), 0x190a55adu);
  EXPECT_EQ(Crc32(std::vector<uint8_t>(32, 0xff)), 0xff6cab0bu);
}

// The CRCs are zlib's.
TEST(FrameTest, HasTheseBytes) {
  EXPECT_THAT(EncodeFrame({1, 0, {}}), ElementsAre(0xc0, 1, 0, 0, 0, 0x79, 0xb8, 0xf8, 0x99, 0xc0));
  EXPECT_THAT(
      EncodeFrame({2, 0xdb, {0xc0, 0xdc}}),
      ElementsAre(0xc0, 2, 0xdb, 0xdd, 2, 0, 0xdb, 0xdc, 0xdc, 0xda, 0xcf, 0xb9, 0xec, 0xc0));
}

TEST(FrameTest, ComesBackFromItsBytes) {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes;
  std::vector<Frame> frames;
  for (int i = 0; i < 500; ++i) {
    frames.push_back(RandomFrame(random, 300));
    for (const uint8_t byte : EncodeFrame(frames.back())) bytes.push_back(byte);
  }
  const std::vector<Frame> read = FramesOf(bytes);
  ASSERT_EQ(read.size(), frames.size());
  for (size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(IsSame(read[i], frames[i])) << i;
}

// Every flipped bit, lost byte and doubled byte of frames that are full of what is escaped: the
// frame does not come, and the next one does. A delimiter may be lost or doubled beside another.
TEST(FrameTest, OneErrorIsNeverAnotherFrame) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Frame frame = RandomFrame(random), next = RandomFrame(random);
    const std::vector<uint8_t> bytes = EncodeFrame(frame), behind = EncodeFrame(next);
    const auto expect = [&](std::vector<uint8_t> damaged, bool is_whole) {
      damaged.insert(damaged.end(), behind.begin(), behind.end());
      const std::vector<Frame> frames = FramesOf(damaged);
      ASSERT_EQ(frames.size(), is_whole ? 2u : 1u);
      EXPECT_TRUE(IsSame(frames.back(), next));
      EXPECT_TRUE(!is_whole || IsSame(frames.front(), frame));
    };
    for (size_t at = 0; at < bytes.size(); ++at) {
      const bool delimits = at == 0 || at == bytes.size() - 1;
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> damaged = bytes;
        damaged[at] ^= static_cast<uint8_t>(1 << bit);
        expect(damaged, false);
      }
      std::vector<uint8_t> lost = bytes, doubled = bytes;
      lost.erase(lost.begin() + static_cast<int64_t>(at));
      doubled.insert(doubled.begin() + static_cast<int64_t>(at), bytes[at]);
      expect(lost, delimits);
      expect(doubled, delimits);
    }
  }
}

// A line that brings anything brings no frame: one in 2^32 by chance would be too few to meet here.
TEST(FrameTest, NoiseIsNone) {
  std::mt19937 random(3);
  FrameReader reader;
  for (int i = 0; i < Trials(2'000'000); ++i) {
    const uint32_t byte = random();
    ASSERT_FALSE(
        reader.Take(static_cast<uint8_t>(byte % 32 == 0 ? serial::kDelimiter : byte >> 8)));
  }
  EXPECT_GT(reader.dropped(), 1000);
}

// The next delimiter begins anew, however much came before it.
TEST(FrameTest, WhatNeverEndsIsDropped) {
  std::vector<uint8_t> bytes(1 << 20, 7);
  const Frame frame{1, 2, {3}};
  for (const uint8_t byte : EncodeFrame(frame)) bytes.push_back(byte);
  const std::vector<Frame> frames = FramesOf(bytes);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(IsSame(frames[0], frame));
}

}  // namespace
}  // namespace vta::driver
