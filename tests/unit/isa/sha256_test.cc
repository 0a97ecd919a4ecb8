// SHA-256 against published digests.
#include "isa/support/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace vta {
namespace {

std::string Of(const std::string& text) {
  return Sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// FIPS 180-4's examples, and NIST's of a million letters.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Each length round the ends of blocks; the digest of all digests is Python's.
TEST(Sha256, TakesAnyLength) {
  std::string all;
  for (size_t n = 0; n <= 130; ++n) all += Of(std::string(n, 'x'));
  EXPECT_EQ(Of(all), "87aca1c44bc7ba8897768170211f0a02063de70801131ff86c7edb9ce32c6a50");
}

}  // namespace
}  // namespace vta
