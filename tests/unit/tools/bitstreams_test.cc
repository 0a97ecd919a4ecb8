// What is kept of areas, the least that a config takes, and the manifest of bitstreams.
#include "tools/vta/hw/bitstreams.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tools/area/kept_area.h"
#include "tools/area/predict.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

TEST(KeptAreas, AreLinesOfModules) {
  const std::string line =
      StrCat(R"({"family": "xc7", "yosys": "0.23", "design": "0x1f", "config": )",
             Json::Parse(isa::ConfigToJson(FindConfig("pynq")), "pynq").Dump(-1),
             R"(, "modules": {"vta_alu": {"lut": 28000, "ff": 0, "dsp": 4, "bram": 0}, )",
             R"("vta_ram": {"lut": 401, "ff": 7, "dsp": 0, "bram": 130.5}}})");
  const auto areas = ParseAreas(StrCat("\n", line, "\n"), "a.jsonl");
  ASSERT_EQ(areas.size(), 1u);
  EXPECT_EQ(isa::ConfigToJson(areas[0].config), isa::ConfigToJson(FindConfig("pynq")));
  EXPECT_EQ(areas[0].takes(), (Resources{28401, 7, 4, 130.5}));
  EXPECT_EQ(areas[0].design, "0x1f");
  const auto message = [&](const std::string& was, const std::string& is) {
    std::string wrong = line;
    wrong.replace(wrong.find(was), was.size(), is);
    return ErrorOf([&] { ParseAreas("\n" + wrong, "a.jsonl"); });
  };
  EXPECT_EQ(message("28000", "-1"), "a.jsonl:2: modules.vta_alu.lut = -1: must be a count");
  EXPECT_EQ(message("28000", "\"many\""),
            "a.jsonl:2: modules.vta_alu.lut = \"many\": must be a number");
  EXPECT_EQ(message(", \"bram\": 0}", "}"), "a.jsonl:2: modules.vta_alu.bram: is missing");
  EXPECT_THAT(message("\"ff\": 7", "\"ff\": 0"),
              testing::EndsWith(": must have lookup tables and flip-flops"));
  EXPECT_EQ(message("\"block_in\":16", "\"block_in\":3"),
            "a.jsonl:2: arch.block_in = 3: must be a power of two in [4, 64]");
}

// The bound holds for what Yosys found, and is not far below it: products are counted exactly.
TEST(KeptAreas, AreNotBelowTheLeast) {
  int64_t xilinx = 0;
  for (const KeptArea& area : KeptAreas()) {
    if (area.family == "ecp5") continue;
    ++xilinx;
    const Resources least = LeastResources(area.config);
    EXPECT_EQ(least.dsp, area.takes().dsp) << area.config.name;
    EXPECT_LE(least.bram, area.takes().bram) << area.config.name;
  }
  EXPECT_GE(xilinx, 5);
}

TEST(KeptAreas, StandInThePageOnTheHardware) {
  const std::string page = ReadTextFile(SourcePath("hw/README.md"));
  for (const std::string& name : BoardNames()) {
    const Board board = FindBoard(name);
    const isa::Config config = FindConfig(board.config);
    const auto area = AreaEstimateOf(config, *board.part);
    ASSERT_TRUE(area) << name;
    const Resources &takes = area->resources, &offers = board.part->offers;
    const auto percent = [](double a, double b) { return 100 * a / b; };
    const std::string line = fmt::format(
        "\n| `{}` | {} | {:.1f} ({:.0f} %) | {:.1f} ({:.0f} %) | {} ({:.0f} %) | {} ({:.0f} %) |\n",
        config.name, board.part->name, takes.lut / 1000, percent(takes.lut, offers.lut),
        takes.ff / 1000, percent(takes.ff, offers.ff), takes.dsp, percent(takes.dsp, offers.dsp),
        takes.bram, percent(takes.bram, offers.bram));
    EXPECT_TRUE(page.find(line) != std::string::npos) << "hw/README.md has no row" << line;
  }
}

TEST(KeptAreas, FitTheirBoard) {
  for (const std::string& name : BoardNames()) {
    const Board board = FindBoard(name);
    const auto area = AreaEstimateOf(FindConfig(board.config), *board.part);
    ASSERT_TRUE(area) << name;
    const Resources &takes = area->resources, &offers = board.part->offers;
    EXPECT_LT(takes.lut, 0.7 * offers.lut) << name;
    EXPECT_LT(takes.bram, 0.95 * offers.bram) << name;
  }
}

TEST(Least, CountsByHand) {
  isa::Config config = FindConfig("pynq");
  // Two products a block and two blocks a lane; 256 + 32 + 32 + 128 + 32 KiB in blocks of 4.5 KiB.
  EXPECT_EQ(LeastResources(config).dsp, 128 + 16 * 2);
  EXPECT_EQ(LeastResources(config).bram, 480 / 4.5);
  config.uarch.multiplier = 2;
  EXPECT_EQ(LeastResources(config).dsp, 32);
  config.arch.requant = config.arch.lut = 0;
  EXPECT_EQ(LeastResources(config).dsp, 0);
  config.arch.mul = 1;
  EXPECT_EQ(LeastResources(config).dsp, 64);
}

TEST(Measured, IsOfItsConfigAlone) {
  const isa::Config pynq = FindConfig("pynq");
  const auto text = [&](const std::string& timing, const std::string& more) {
    return StrCat("{\"arch_hash\": \"", Hex(isa::ArchHash(pynq), 16), "\", \"timing_hash\": \"",
                  timing,
                  "\", \"by\": \"Vivado 2022.2\", \"lut\": 21000, \"ff\": 16000, \"dsp\": 160, ",
                  more, "\"slack_ns\": 0.5}");
  };
  const std::string timing = Hex(isa::TimingHash(pynq), 16), bram = "\"bram36\": 128.5, ";
  const auto message = [&](const std::string& measured) {
    return ErrorOf([&] { MeasuredJson(measured, "m.json", pynq, FindPart("xc7z020")); });
  };
  const Json json = MeasuredJson(text(timing, bram), "m.json", pynq, FindPart("xc7z020"));
  EXPECT_EQ(*json.Find("is_measured")->as_bool(), true);
  EXPECT_EQ(*json.Find("by")->as_string(), "Vivado 2022.2");
  EXPECT_EQ(*json.Find("takes")->Find("bram36")->as_double(), 128.5);
  EXPECT_EQ(message(text("0x0000000000000001", bram)),
            StrCat("m.json: timing_hash = 0x0000000000000001: config pynq has ", timing,
                   ": build again"));
  EXPECT_EQ(message(text(timing, "")), "m.json: bram36: is missing");
  EXPECT_THAT(message(text(timing, bram + "\"uram\": 1, ")),
              testing::StartsWith("m.json: uram: unknown key"));
}

constexpr char kRow[] =
    R"({"board": "b", "config": "c", "vendor_part": "p", "arch_hash": "0x00000000000000ab",
        "timing_hash": "0x00000000000000cd", "clock_mhz": 100, "resources": null, "file": "f"})";

std::string MessageOf(const std::string& from, const std::string& to) {
  std::string text = StrCat("{\"bitstreams\": [", kRow, "]}");
  text.replace(text.find(from), from.size(), to);
  return ErrorOf([&] { ParseManifest(text, "m.json"); });
}

TEST(Manifest, IsReadStrictly) {
  EXPECT_EQ(MessageOf("\"b\"", "\"b\""), "no error");
  const auto rows = ParseManifest(ManifestText(), "m.json");
  EXPECT_EQ(rows.size(), BoardNames().size());
  EXPECT_EQ(rows[0].file, "boards/kv260/vta.bit");
  EXPECT_EQ(MessageOf("\"file\": \"f\"", "\"path\": \"f\""),
            "m.json: bitstreams[0].file: is missing");
  EXPECT_EQ(MessageOf("0x00000000000000ab", "0xab"),
            "m.json: bitstreams[0].arch_hash = 0xab: must be 0x and 16 hexadecimal digits");
  EXPECT_THAT(MessageOf("\"file\"", "\"size\": 1, \"file\""),
              testing::StartsWith("m.json: bitstreams[0].size: unknown key"));
}

}  // namespace
}  // namespace vta::tools
