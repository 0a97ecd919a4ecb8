// Two reports beside each other.
#include "tools/report/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

// A layer whose critical path has that many cycles of two causes.
std::string Layer(const std::string& name, int busy, int token) {
  const std::string none = R"({"busy": 0, "token": 0})";
  return StrCat(R"({"name": ")", name, R"(", "cycles": )", busy + token, R"(, "path": {"fetch": )",
                none, R"(, "load": )", none, R"(, "compute": {"busy": )", busy, R"(, "token": )",
                token, R"(}, "store": )", none, "}}");
}

std::string Report(const std::string& config, const std::string& layers) {
  return StrCat(R"({"model": "m", "config": ")", config,
                R"(", "engine": "cycle", "timing_hash": "0x)", config, R"(", "layers": [)", layers,
                "]}");
}

const std::string kBefore = Report(
    "a", Layer("conv", 900, 100) + "," + Layer("twice", 10, 0) + "," + Layer("twice", 20, 0) + "," +
             Layer("gone", 5, 0) + R"(, {"name": "pack", "where": "cpu"})");
const std::string kAfter = Report("b", Layer("new", 7, 0) + "," + Layer("twice", 11, 0) + "," +
                                           Layer("conv", 890, 310) + "," + Layer("twice", 20, 0));

TEST(ReportDiff, LayersMeetByNameAndTheCauseThatMovedMostIsNamed) {
  const std::string text = DiffText(ParseReport(kBefore, "a.json"), ParseReport(kAfter, "b.json"));
  EXPECT_EQ(text,
            "differ: config a and b\n"
            "differ: timing hash 0xa and 0xb\n"
            "both: model m\n"
            "both: engine cycle\n"
            "\n"
            "layer  before  after  difference      %  moved most\n"
            "-----------------------------------------------------------\n"
            "new                7          +7\n"
            "twice      10     11          +1  +10.0  compute busy +1\n"
            "conv    1,000  1,200        +200  +20.0  compute token +210\n"
            "twice      20     20           0   +0.0\n"
            "gone        5                 -5\n"
            "total   1,035  1,238        +203  +19.6\n");
}

TEST(ReportDiff, JsonHasTheSame) {
  const Json json =
      Json::Parse(DiffJson(ParseReport(kBefore, "a.json"), ParseReport(kAfter, "b.json")), "diff");
  EXPECT_EQ(json.Find("differ")->Dump(-1), R"(["config","timing_hash"])");
  EXPECT_EQ(*json.Find("before")->Find("timing_hash")->as_string(), "0xa");
  const Json::Array& layers = *json.Find("layers")->as_array();
  EXPECT_EQ(layers[2].Dump(-1),
            R"({"name":"conv","before":1000,"after":1200,"difference":200,"percent":20.0,)"
            R"("moved":{"cause":"compute token","difference":210}})");
  EXPECT_EQ(layers[4].Dump(-1), R"({"name":"gone","before":5,"difference":-5})");
  EXPECT_EQ(*json.Find("total")->Find("difference")->as_int(), 203);
}

TEST(ReportDiff, WithoutCausesOnBothSidesWaitsAreCompared) {
  const auto modules = [](int busy) {
    const std::string idle = R"({"busy": 0})";
    return StrCat(R"({"name": "conv", "cycles": 9, "modules": {"fetch": )", idle, R"(, "load": )",
                  idle, R"(, "compute": {"busy": )", busy, R"(}, "store": )", idle, "}}");
  };
  const TimedReport a = ParseReport(Report("a", modules(3)), "a.json"),
                    b = ParseReport(Report("a", modules(8)), "b.json"),
                    path = ParseReport(Report("a", Layer("conv", 9, 0)), "c.json");
  EXPECT_EQ(ChangesOf(a, b)[0].moved, "compute busy");
  EXPECT_EQ(ChangesOf(a, b)[0].moved_cycles, 5);
  EXPECT_EQ(ChangesOf(a, path)[0].moved, "");  // not the same kinds
}

TEST(ReportDiff, WhatIsNoReportIsSaid) {
  const auto says = [](const std::string& text) {
    try {
      ParseReport(text, "r.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(says("{"), "r.json:1:1: '{': not valid JSON here");
  EXPECT_EQ(says("[]"), "r.json: the document = []: must be an object");
  EXPECT_EQ(says("{}"), "r.json: model: is missing");
  EXPECT_EQ(says(R"({"model": "m", "config": "c", "engine": "functional"})"),
            "r.json: engine = functional: counts no cycles: there is nothing to compare");
  EXPECT_EQ(says(Report("a", R"({"name": "x", "cycles": -1})")),
            "r.json: layers[0].cycles = -1: must be an integer in [0, 8796093022207]");
  EXPECT_EQ(says(Report("a", R"({"name": "x", "cycles": 1})")),
            "r.json: layers[0].modules: is missing");
  EXPECT_EQ(says(Report("a", R"({"name": "x", "cycles": 1, "path": {"fetch": 3}})")),
            "r.json: layers[0].path.fetch = 3: must be an object");
  EXPECT_EQ(says(Report("a", R"({"name": "x", "cycles": 1, "path": {"fetch": {"busy": "2"}}})")),
            "r.json: layers[0].path.fetch.busy = \"2\": must be an integer in [0, 8796093022207]");
}

}  // namespace
}  // namespace vta::tools
