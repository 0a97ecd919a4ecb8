#include "tools/explore/space.h"

#include <gmock/gmock.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;

// clang-format off
constexpr char kSmall[] = R"j({
  "name": "small", "isa": "1.0",
  "arch": {"block_in": {"pow2": [8, 32]}, "block_out": {"expr": "arch.block_in"}, "requant": true,
           "wgt_depth": {"expr": "4096 / arch.block_out * min(2, uarch.acc_banks)"}},
  "uarch": {"bus_bits": 64, "acc_banks": {"list": [1, 2]},
            "multiplier": {"list": ["dsp", "packed"]}},
  "memory": {"preset": {"list": ["pynq", "ultra96"]}},
  "constraints": {"part": "xc7z020", "dsp": 0.8, "min_fps": 10, "where": ["arch.block_in > 8"]}
})j";
// clang-format on

std::string SpaceErrorOf(const std::string& text) {
  try {
    const Space space = Space::Parse(text, "s.json");
    space.ConfigOf(space.PointAt(0));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Space, IsAProduct) {
  const Space space = Space::Parse(kSmall, "s.json");
  EXPECT_EQ(space.size(), 3 * 2 * 2 * 2);
  EXPECT_EQ(space.PointAt(0), (SpacePoint{0, 0, 0, 0}));
  EXPECT_EQ(space.PointAt(23), (SpacePoint{2, 1, 1, 1}));
  for (int64_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.IndexOf(space.PointAt(i)), i);
  EXPECT_EQ(space.constraints().shares.dsp, 0.8);
  EXPECT_EQ(space.constraints().shares.lut, 0.75);
  EXPECT_EQ(space.constraints().min_fps, 10);
}

TEST(Space, FillsAConfig) {
  const Space space = Space::Parse(kSmall, "s.json");
  const isa::Config config = space.ConfigOf({1, 1, 1, 1});
  EXPECT_EQ(config.name, "small_15");
  EXPECT_EQ(config.arch.block_in, 16);
  EXPECT_EQ(config.arch.block_out, 16);
  EXPECT_EQ(config.arch.wgt_depth, 512);
  EXPECT_EQ(config.uarch.acc_banks, 2);
  EXPECT_EQ(config.uarch.multiplier, 1);
  EXPECT_EQ(config.memory.bytes_per_cycle, 16);
  EXPECT_EQ(space.Describe({1, 1, 1, 1}),
            R"(block_in=16 acc_banks=2 multiplier="packed" preset="ultra96")");
}

TEST(Space, RefusesWhatNeverIsOne) {
  EXPECT_THAT(SpaceErrorOf(R"({"name": "w", "isa": {"list": ["1.0"]}})"),
              HasSubstr("s.json: isa = {\"list\":[\"1.0\"]}: must be arch, uarch, memory or"));
  EXPECT_THAT(
      SpaceErrorOf(
          R"({"name": "w", "isa": "1.0", "arch": {"inp_depth": {"pow2": [4, 4611686018427387904]}}})"),
      HasSubstr("arch.inp_depth = 131072"));
  EXPECT_THAT(SpaceErrorOf(R"({"name": "w", "isa": "1.0", "memory": {"preset": "pynq",
                  "row_miss_cycles": {"expr": "memory.bytes_per_cycle"}},
                  "uarch": {"clock_mhz": {"expr": "3200 / arch.block_in"}}})"),
              HasSubstr("memory.row_miss_cycles.expr = memory.bytes_per_cycle: must not be named"));
}

// With the default of what follows the bus would be wider than an element.
TEST(Space, OnlyTheWholePointHasToGoTogether) {
  const Space space = Space::Parse(
      R"({"name": "w", "isa": "1.0", "uarch": {"bus_bits": {"list": [64, 256]}},
          "arch": {"block_in": {"expr": "uarch.bus_bits / 8"}, "block_out": {"expr": "arch.block_in"}}})",
      "s.json");
  EXPECT_EQ(space.ConfigOf({1}).arch.block_out, 32);
}

TEST(Space, ExpressionsMayNameEachOther) {
  const Space space = Space::Parse(
      R"({"name": "s", "isa": "1.0", "arch": {"block_in": {"list": [8]},
          "block_out": {"expr": "arch.block_in * 2"}, "inp_depth": {"expr": "arch.block_out * 4"},
          "mul": {"expr": "arch.block_out > 8"}}})",
      "s.json");
  EXPECT_EQ(space.ConfigOf({0}).arch.inp_depth, 64);
  EXPECT_EQ(space.ConfigOf({0}).arch.mul, 1);
}

TEST(Space, HashIsOfWhatItHolds) {
  const auto hash = [](const std::string& name, const std::string& values) {
    return Space::Parse(R"({"name": ")" + name +
                            R"(", "isa": "1.0", "arch": {"block_in": {"list": [)" + values + "]}}}",
                        "s.json")
        .hash();
  };
  EXPECT_EQ(hash("a", "8, 16"), hash("b", "8, 16"));
  EXPECT_NE(hash("a", "8, 16"), hash("a", "16, 8"));
}

TEST(Space, RefusesWhatNoConfigHas) {
  const auto arch = [](const std::string& members) {
    return SpaceErrorOf(R"({"name": "s", "isa": "1.0", "arch": {)" + members + "}}");
  };
  EXPECT_EQ(arch(R"("blocks": {"list": [8]})"), "s.json: arch.blocks: is no parameter of a config");
  EXPECT_EQ(arch(R"("block_in": {"list": [8, 12]})"),
            "s.json: arch.block_in = 12: must be a power of two in [4, 64]");
  EXPECT_THAT(arch(R"("block_in": {"list": []})"), HasSubstr("arch.block_in.list = []: must be"));
  EXPECT_THAT(arch(R"("block_in": {"list": [8, 8]})"), HasSubstr("8: must stand there once"));
  EXPECT_THAT(arch(R"("block_in": {"pow2": [32, 8]})"), HasSubstr("[32,8]: must be [LOW, HIGH]"));
  EXPECT_THAT(arch(R"("block_in": {"pow2": [12, 24]})"), HasSubstr("must be [LOW, HIGH]"));
  EXPECT_THAT(arch(R"("block_in": {"pow2": [2, 8]})"), HasSubstr("2: must be a power of two"));
  EXPECT_THAT(arch(R"("block_in": {"steps": [8]})"), HasSubstr("steps: must be one of"));
  EXPECT_THAT(arch(R"("block_in": {"expr": "arch.blocks"})"),
              HasSubstr("arch.block_in.expr = arch.blocks: must be a parameter"));
  EXPECT_THAT(
      arch(R"("block_in": {"expr": "arch.block_out"}, "block_out": {"expr": "arch.block_in"})"),
      HasSubstr("must not follow from itself"));
  EXPECT_THAT(arch(R"("block_in": {"expr": "17 / 2"})"), HasSubstr("must be an integer: 17 / 2"));
  EXPECT_THAT(arch(R"("block_in": 12)"), HasSubstr("12: must be a power of two"));
  EXPECT_THAT(SpaceErrorOf(R"({"isa": "1.0"})"), HasSubstr("name"));
  EXPECT_THAT(
      SpaceErrorOf(R"({"name": "s", "isa": "1.0", "constraints": {"part": "xc7z020", "lut": 2}})"),
      HasSubstr("constraints.lut = 2: must be a share"));
  EXPECT_THAT(SpaceErrorOf(R"({"name": "s", "isa": "1.0", "constraints": {"where": ["x > 1"]}})"),
              HasSubstr("constraints.where[0] = x: must be a parameter"));
}

// A point of parameters that do not go together is refused, not the space.
TEST(Space, PointsMayBeNone) {
  const Space space = Space::Parse(
      R"({"name": "s", "isa": "1.0", "uarch": {"bus_bits": {"list": [64, 512]}}})", "s.json");
  EXPECT_NO_THROW(space.ConfigOf({0}));
  EXPECT_THROW(space.ConfigOf({1}), Error);
}

}  // namespace
}  // namespace vta::tools
