#include "tools/serve/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/hash.h"
#include "isa/support/sha256.h"
#include "isa/support/temporary.h"
#include "tests/remote/fake_server.h"
#include "tests/support/error_of.h"

namespace vta::serve {
namespace {

using testing::HasSubstr;

class CacheTest : public testing::Test {
 protected:
  using Bytes = std::vector<uint8_t>;

  static Bytes Package(uint8_t what, size_t size = 100) { return Bytes(size, what); }

  std::string Put(const Bytes& bytes) {
    const auto upload = cache_.Begin(Sha256(bytes), std::ssize(bytes));
    upload->Add(std::span(bytes).subspan(static_cast<size_t>(upload->have())));
    return upload->Finish();
  }

  int64_t BytesOnDisk() const {
    int64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      bytes += static_cast<int64_t>(file.file_size());
    return bytes;
  }

  const Temporary folder_{NewTemporaryFolder("vta-cache-test")};
  PackageCache cache_{folder_.path(), 250};
};

TEST_F(CacheTest, HashesWhatCame) {
  const Bytes bytes = Package(1);
  EXPECT_FALSE(cache_.Has(Sha256(bytes)));
  EXPECT_EQ(Put(bytes), Sha256(bytes));
  EXPECT_TRUE(cache_.Has(Sha256(bytes)));
  std::ifstream file(folder_.path() + "/" + Sha256(bytes) + ".vta", std::ios::binary);
  EXPECT_EQ(Bytes(std::istreambuf_iterator<char>(file), {}), bytes);
}

TEST_F(CacheTest, PackagesWhoseContentHashCollidesAreApart) {
  const std::string one = "8yn0iYCKYHlIj4-BwPqk", other = "GReLUrM4wMqfg9yzV3KQ";
  const Bytes bytes[] = {{one.begin(), one.end()}, {other.begin(), other.end()}};
  ASSERT_EQ(Hasher().Bytes(bytes[0]).value(), Hasher().Bytes(bytes[1]).value());
  EXPECT_NE(Put(bytes[0]), Put(bytes[1]));
  for (const Bytes& each : bytes) {
    std::ifstream file(folder_.path() + "/" + Sha256(each) + ".vta", std::ios::binary);
    EXPECT_EQ(Bytes(std::istreambuf_iterator<char>(file), {}), each);
  }
}

TEST_F(CacheTest, WhatIsNotWhatWasSaidIsNotThere) {
  const std::string other = Sha256(Package(2));
  const auto upload = cache_.Begin(other, 100);
  upload->Add(Package(1));
  EXPECT_THAT(ErrorOf([&] { upload->Finish(); }), HasSubstr("must be " + other));
  EXPECT_FALSE(cache_.Has(other));
  EXPECT_FALSE(cache_.Has(Sha256(Package(1))));
}

TEST_F(CacheTest, NeverHasMoreThanItsLimit) {
  for (uint8_t i = 0; i < 5; ++i) {
    Put(Package(i));
    EXPECT_LE(cache_.bytes(), 250);
    EXPECT_LE(BytesOnDisk(), 250);
  }
  EXPECT_EQ(cache_.packages(), 2);
  EXPECT_THAT(ErrorOf([&] { Put(Package(9, 251)); }), HasSubstr("must be at most 250"));
}

TEST_F(CacheTest, TheOneThatWasAskedForLastStays) {
  Put(Package(1));
  Put(Package(2));
  EXPECT_TRUE(cache_.Has(Sha256(Package(1))));
  Put(Package(3));
  EXPECT_TRUE(cache_.Has(Sha256(Package(1))));
  EXPECT_FALSE(cache_.Has(Sha256(Package(2))));
}

TEST_F(CacheTest, WhatIsBeingSentCounts) {
  const auto one = cache_.Begin(Sha256(Package(1)), 100),
             two = cache_.Begin(Sha256(Package(2)), 100);
  EXPECT_THAT(ErrorOf([&] { cache_.Begin(Sha256(Package(3)), 100); }), HasSubstr("is full"));
  EXPECT_EQ(cache_.bytes(), 200);
}

TEST_F(CacheTest, GoesOnWhereItBrokeOff) {
  const Bytes bytes = Package(1);
  cache_.Begin(Sha256(bytes), 100)->Add(std::span(bytes).first(60));
  EXPECT_EQ(cache_.bytes(), 60);
  const auto again = cache_.Begin(Sha256(bytes), 100);
  EXPECT_EQ(again->have(), 60);
  again->Add(std::span(bytes).subspan(60));
  EXPECT_EQ(again->Finish(), Sha256(bytes));
  EXPECT_EQ(cache_.bytes(), 100);
}

TEST_F(CacheTest, RefusesWhatIsTooMuchOrTooLittle) {
  const auto upload = cache_.Begin(Sha256(Package(1)), 100);
  EXPECT_THAT(ErrorOf([&] { upload->Add(Package(1, 101)); }), HasSubstr("must be 100"));
  EXPECT_THAT(ErrorOf([&] { upload->Finish(); }), HasSubstr("must be 100"));
  for (const char* wrong : {"", "../../etc/passwd", "abc"})
    EXPECT_THAT(ErrorOf([&] { cache_.Begin(wrong, 1); }), HasSubstr("must be 64 hexadecimal"));
  EXPECT_THAT(ErrorOf([&] { cache_.Begin(Sha256(Package(1)), -1); }), HasSubstr("bytes = -1"));
}

}  // namespace
}  // namespace vta::serve
