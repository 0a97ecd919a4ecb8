#include "runtime/aligned_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace vta::runtime {
namespace {

TEST(AlignedMemory, IsZeroedAndAligned) {
  for (const int64_t alignment : {int64_t{1}, int64_t{64}, PageBytes(), int64_t{1} << 21}) {
    const AlignedMemory memory(100'000, "m", alignment);
    EXPECT_EQ(memory.size(), 100'000);
    EXPECT_EQ(memory.bytes().size(), 100'000u);
    const auto at = reinterpret_cast<uintptr_t>(memory.data());
    EXPECT_EQ(at % static_cast<uintptr_t>(std::max(alignment, PageBytes())), 0u) << alignment;
    EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](uint8_t byte) { return byte == 0; }));
    std::ranges::fill(memory.bytes(), uint8_t{1});
  }
}

TEST(AlignedMemory, MayBeEmpty) {
  const AlignedMemory memory(0, "m");
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_TRUE(memory.bytes().empty());
}

TEST(AlignedMemory, Moves) {
  AlignedMemory from(64, "m");
  from.data()[5] = 6;
  AlignedMemory to = std::move(from);
  EXPECT_EQ(to.data()[5], 6);
  EXPECT_EQ(from.size(), 0);
  from = std::move(to);
  EXPECT_EQ(from.data()[5], 6);
}

TEST(AlignedMemory, SaysWhatTheSystemDoesNotGive) {
  try {
    AlignedMemory(int64_t{1} << 62, "net.vta: arena", 4096);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "net.vta: arena: memory = 4611686018427387904 bytes: the system does not give as "
                 "much");
  }
  EXPECT_THROW(AlignedMemory(INT64_MAX, "m", int64_t{1} << 30), Error);
}

}  // namespace
}  // namespace vta::runtime
