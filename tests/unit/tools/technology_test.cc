// Tables of energies as files: what is wrong with one is said with its place, value and rule.
#include "tools/energy/technology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;

constexpr char kOwn[] = R"({"technology": "mine", "about": "a test",
  "rules": {"half": {"factor": 0.5, "source": "a guess"}},
  "figures": {
    "mac_pj": {"value": 2, "source": "measured"},
    "add_pj": {"scaled": "half", "from": "45nm"},
    "shift_pj": {"scaled": "half", "from": "45nm"},
    "multiply_pj": {"scaled": "half", "from": "45nm"},
    "register_write_pj": {"scaled": "half", "from": "45nm"},
    "register_clock_pj": {"scaled": "half", "from": "45nm"},
    "sram_pj": {"points": [[1024, 1], [4096, 2.5]], "source": "measured"},
    "static_mac_nw": {"value": 0, "source": "none"},
    "static_flip_flop_nw": {"value": 0, "source": "none"},
    "static_lut_nw": {"value": 0, "source": "none"},
    "static_sram_byte_nw": {"value": 0, "source": "none"}},
  "dram_pj_per_byte": {"hbm2": {"value": 31.2, "source": "a paper"},
                       "ddr4": {"value": 300, "scaled": "by hand, from nothing"}}})";

// What is said of the table where `from` became `to`.
std::string SaidOf(const std::string& from, const std::string& to) {
  std::string text = kOwn;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return ErrorOf([&] { ParseTechnology(text, "t.json"); });
}

TEST(TechnologyFile, MayScaleWhatIsShippedAndAddMemories) {
  const Technology own = ParseTechnology(kOwn, "t.json");
  EXPECT_EQ(own.mac_pj, 2);
  EXPECT_EQ(own.add_pj, 0.05);
  EXPECT_NEAR(own.sram_pj.At(4096), 2.5, 1e-12);
  EXPECT_EQ(own.dram_pj.at("hbm2"), 31.2);
  EXPECT_EQ(own.dram_pj.at("ddr4"), 300);
  EXPECT_EQ(own.dram_pj.at("ddr3"), 560);
}

TEST(TechnologyFile, IsHeldToItsRules) {
  const std::string number = "must be a number from 0 to 1e9";
  EXPECT_EQ(SaidOf(R"("value": 2)", R"("value": -2)"),
            "t.json: figures.mac_pj.value = -2: " + number);
  EXPECT_EQ(SaidOf(R"("value": 2)", R"("value": "2")"),
            "t.json: figures.mac_pj.value = \"2\": must be a number");
  EXPECT_EQ(SaidOf(R"("source": "measured")", R"("source": "")"),
            "t.json: figures.mac_pj.source = \"\": must say something");
  EXPECT_EQ(SaidOf(R"(, "source": "measured")", ""), "t.json: figures.mac_pj.source: is missing");
  EXPECT_EQ(SaidOf(R"("add_pj": {"scaled": "half", "from": "45nm"},)", ""),
            "t.json: figures.add_pj: is missing");
  EXPECT_EQ(SaidOf(R"("scaled": "half")", R"("scaled": "third")"),
            "t.json: figures.add_pj.scaled = \"third\": must be one of the file's rules");
  EXPECT_EQ(SaidOf(R"("from": "45nm")", R"("from": "7nm")"),
            "t.json: figures.add_pj.from = \"7nm\": must be one of 16nm, 28nm, 45nm, fpga_16nm, "
            "fpga_28nm");
  EXPECT_EQ(SaidOf(R"("factor": 0.5)", R"("factor": -0.5)"),
            "t.json: rules.half.factor = -0.5: " + number);
  EXPECT_EQ(SaidOf(R"("factor": 0.5)", R"("factors": 1, "factor": 0.5)"),
            "t.json: rules.half.factors: unknown key; known here: source, factor");
  EXPECT_EQ(SaidOf(R"("dram_pj_per_byte": {)", R"("dram_pj_per_byte": 7, "x": {)"),
            "t.json: dram_pj_per_byte = 7: must be an object");
  EXPECT_EQ(SaidOf(R"("value": 31.2)", R"("value": -1)"),
            "t.json: dram_pj_per_byte.hbm2.value = -1: " + number);
  EXPECT_THAT(SaidOf(R"("about")", R"("abuot")"), HasSubstr("t.json: about: is missing"));
}

TEST(TechnologyFile, HoldsPointsOfMemoriesInOrder) {
  const std::string said =
      "must be two points [BYTES, PJ] at least, sizes ascending, both more "
      "than 0, PJ at most 1e9";
  for (const char* points :
       {"[]", "[[1024, 1]]", "[[4096, 1], [1024, 2]]", "[[1024, 0], [4096, 1]]",
        "[[1024, 1], [4096]]", "[[1024, 1], 4096]", "[[0, 1], [4096, 2]]",
        "[[1024.5, 1], [4096, 2]]", "[[1024, \"1\"], [4096, 2]]"})
    EXPECT_THAT(SaidOf("[[1024, 1], [4096, 2.5]]", points),
                testing::AllOf(testing::StartsWith("t.json: figures.sram_pj.points = "),
                               testing::EndsWith(": " + said)))
        << points;
  EXPECT_EQ(SaidOf(R"({"points": [[1024, 1], [4096, 2.5]], "source": "measured"})",
                   R"({"scaled": "half", "from": "45nm", "points": []})"),
            "t.json: figures.sram_pj.points: unknown key; known here: scaled, from");
}

TEST(TechnologyFile, IsOneOfThoseThereAre) {
  const auto said = [](const std::string& choice) {
    return ErrorOf([&] { FindEnergyModel(choice, FindConfig("default")); });
  };
  EXPECT_EQ(said("28mn"),
            "--energy: 28mn: must be the path of a file or one of 16nm, 28nm, 45nm, "
            "fpga_16nm, fpga_28nm; did you mean 28nm?");
  EXPECT_EQ(said("28nm,ddr9"),
            "--energy: DRAM = ddr9: must be one of ddr3, ddr4, lpddr2, lpddr4; "
            "did you mean ddr3?");
  EXPECT_EQ(said("./nope.json"), "./nope.json: cannot open: No such file or directory");
}

}  // namespace
}  // namespace vta::tools
