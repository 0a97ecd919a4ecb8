#include "compiler/loop/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// Of a tile of 4 x 16 results, whose sums are in registers, in 8 tasks; a copy is less work.
constexpr char kProduct[] = R"(
func product(x: float32[32, 64], w: float32[64, 16], y: float32[32, 16]) {
  for t in 8 parallel {
    alloc sums: float32[4, 16] @local
    for k in 64 {
      for i in 4 unroll {
        for o in 16 vectorize {
          block sums(vi: 32 = t * 4 + i, vo: 16 = o, reduce vk: 64 = k) {
            sums[vi - t * 4, vo] = sums[vi - t * 4, vo] + x[vi, vk] * w[vk, vo]
          }
        }
      }
    }
    for i in 4 {
      for o in 16 vectorize {
        block out(vi: 32 = t * 4 + i, vo: 16 = o) {
          y[vi, vo] = max(sums[vi - t * 4, vo], 0f)
        }
      }
    }
  }
})";

class Described {
 public:
  explicit Described(const std::string& text) : features_(FeaturesOf(Parse(text))) {}
  int32_t at(const std::string& name) const {
    const std::vector<std::string> names = FeatureNames();
    const auto found = std::ranges::find(names, name);
    VTA_CHECK(found != names.end(), name);
    return features_.values.at(static_cast<size_t>(found - names.begin()));
  }

 private:
  const Features features_;
};

int32_t Octaves(double value) { return static_cast<int32_t>(std::lround(8 * std::log2(value))); }

TEST(Features, SayWhatABlockDoes) {
  const Described product(kProduct);
  EXPECT_EQ(product.at("blocks"), Octaves(2));
  EXPECT_EQ(product.at("tasks"), Octaves(8));
  EXPECT_EQ(product.at("operations"), Octaves(2 * 32 * 16 * 64 + 32 * 16));
  EXPECT_EQ(product.at("bytes allocated"), Octaves(4 * 16 * 4));
  // What computes most comes first.
  EXPECT_EQ(product.at("block0 trips"), Octaves(32 * 16 * 64));
  EXPECT_EQ(product.at("block0 trips serial"), Octaves(64));
  EXPECT_EQ(product.at("block0 trips unroll"), Octaves(4));
  EXPECT_EQ(product.at("block0 trips vectorize"), Octaves(16));
  EXPECT_EQ(product.at("block0 trips parallel"), Octaves(8));
  EXPECT_EQ(product.at("block0 trips of a tile"), Octaves(4 * 16));
  EXPECT_EQ(product.at("block0 trips around a tile"), Octaves(64));
  EXPECT_EQ(product.at("block0 trips a point"), Octaves(1));
  EXPECT_EQ(product.at("block0 products"), Octaves(1));
  EXPECT_EQ(product.at("block0 sums"), Octaves(1));
  EXPECT_EQ(product.at("block0 functions"), kNone);
  EXPECT_EQ(product.at("block1 trips"), Octaves(32 * 16));
  EXPECT_EQ(product.at("block1 choices"), Octaves(1));
  EXPECT_EQ(product.at("block2 trips"), kNone);
}

TEST(Features, SayWhatABlockTouches) {
  const Described product(kProduct);
  // In the order of the text: the sums, x, w.
  EXPECT_EQ(product.at("block0 buffer0 access"), Octaves(4));
  EXPECT_EQ(product.at("block0 buffer0 local"), Octaves(2));
  EXPECT_EQ(product.at("block0 buffer1 access"), Octaves(1));
  EXPECT_EQ(product.at("block0 buffer1 bytes"), Octaves(32 * 64 * 4));
  EXPECT_EQ(product.at("block0 buffer1 bytes of a task"), Octaves(4 * 64 * 4));
  EXPECT_EQ(product.at("block0 buffer1 elements of a tile"), Octaves(4));
  EXPECT_EQ(product.at("block0 buffer1 bytes around a tile"), Octaves(4 * 64 * 4));
  EXPECT_EQ(product.at("block0 buffer1 stride"), kNone);  // the same for all lanes
  EXPECT_EQ(product.at("block0 buffer1 trips an element"), Octaves(16));
  EXPECT_EQ(product.at("block0 buffer2 bytes of a task"), Octaves(64 * 16 * 4));
  EXPECT_EQ(product.at("block0 buffer2 elements of a tile"), Octaves(16));
  EXPECT_EQ(product.at("block0 buffer2 stride"), Octaves(1));
  EXPECT_EQ(product.at("block0 buffer3 bytes"), kNone);
  EXPECT_EQ(product.at("block0 trips of a tile an element read"), Octaves(64.0 / 20));
  // All fits in the largest; in 4096 bytes the tile's step: 4 of x, 16 of w, 64 sums.
  const double operations = 2 * 32 * 16 * 64;
  EXPECT_EQ(product.at("block0 bytes an operation from beyond 8388608"),
            Octaves((32 * 64 + 64 * 16 + 4 * 16) * 4 / operations));
  EXPECT_EQ(product.at("block0 bytes an operation from beyond 4096"),
            Octaves((4 + 16 + 64) * 4 * 8 * 64 / operations));
}

TEST(Features, AreAsManyOfAnyFunction) {
  const Features product = FeaturesOf(Parse(kProduct));
  const Features copy = FeaturesOf(Parse(R"(
func copy(x: int8[6], y: int8[6]) {
  for i in 6 { block y(vi: 6 = i) where i < 5 { y[vi] = x[vi * 5 % 6] } }
})"));
  EXPECT_EQ(product.values.size(), copy.values.size());
  EXPECT_EQ(product.values.size(), FeatureNames().size());
  EXPECT_EQ(product.kind, copy.kind);
  EXPECT_NE(product.values, copy.values);
}

}  // namespace
}  // namespace vta::compiler::loop
