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
            "layer  before  after  difference   change  moved most\n"
            "-------------------------------------------------------------\n"
            "new                7          +7      new\n"
            "twice      10     11          +1  +10.0 %  compute busy +1\n"
            "conv    1,000  1,200        +200  +20.0 %  compute token +210\n"
            "twice      20     20           0   +0.0 %\n"
            "gone        5                 -5     gone\n"
            "total   1,035  1,238        +203  +19.6 %\n");
}

// That of a network whose layers are of these ops.
std::string Network(const std::string& model, const std::vector<std::string>& ops, int cycles) {
  std::string layers;
  for (size_t i = 0; i < ops.size(); ++i)
    layers += StrCat(i ? "," : "", R"({"op": ")", ops[i], R"(", "shape": ")", cycles, R"(",)",
                     Layer(StrCat(model, i), cycles, 0).substr(1));
  return StrCat(R"({"schema": "vta-report", "version": 1, )", Report("a", layers).substr(1));
}

TEST(ReportDiff, OtherNetworksMeetByPlaceAndItIsSaid) {
  const TimedReport small = ParseReport(Network("s", {"conv", "pool", "conv"}, 10), "a.json"),
                    large = ParseReport(Network("l", {"conv", "conv", "conv", "dense"}, 15001),
                                        "b.json");
  EXPECT_EQ(
      DiffText(small, large),
      "both: model m\n"
      "both: config a\n"
      "both: engine cycle\n"
      "both: timing hash 0xa\n"
      "layers: by place, the n-th of an op beside the n-th: by name, op and shape not half of "
      "them are the same\n"
      "\n"
      "layer before  layer after  before   after  difference    change  moved most\n"
      "-------------------------------------------------------------------------------------\n"
      "s0            l0               10  15,001     +14,991  x 1500.1  compute busy +14,991\n"
      "s2            l1               10  15,001     +14,991  x 1500.1  compute busy +14,991\n"
      "              l2                   15,001     +15,001       new\n"
      "              l3                   15,001     +15,001       new\n"
      "s1                             10                 -10      gone\n"
      "total         total            30  60,004     +59,974  x 2000.1\n");
  const Json json = Json::Parse(DiffJson(small, large), "diff");
  EXPECT_EQ(*json.Find("layers_by")->as_string(), "place");
  EXPECT_EQ(*json.Find("layers")->as_array()->at(1).Find("was")->as_string(), "s2");
  // Half of the shorter one's layers are enough for names.
  const std::string conv = Layer("conv", 5, 0);
  const TimedReport one = ParseReport(Report("a", conv + "," + Layer("a", 1, 0)), "a.json"),
                    two = ParseReport(Report("a", conv + "," + Layer("b", 1, 0) + "," + conv),
                                      "b.json");
  EXPECT_FALSE(ChangesOf(one, two).by_place);
  EXPECT_EQ(ChangesOf(one, two).layers[3].name, "a");
}

// 1000 % is the last that is written as such; of nothing there are none.
TEST(ReportDiff, ChangesThatPercentSayNothingOfAreFactors) {
  const auto row = [](int before, int after) {
    const std::string text = DiffText(ParseReport(Report("a", Layer("l", before, 0)), "a.json"),
                                      ParseReport(Report("a", Layer("l", after, 0)), "b.json"));
    return text.substr(text.find("total"));
  };
  EXPECT_THAT(row(10, 110), testing::HasSubstr(" +1000.0 %\n"));
  EXPECT_THAT(row(10, 111), testing::HasSubstr(" x 11.1\n"));
  EXPECT_THAT(row(10, 1), testing::HasSubstr(" -90.0 %\n"));
  EXPECT_THAT(row(0, 7), testing::EndsWith(" +7\n"));
}

TEST(ReportDiff, JsonHasTheSame) {
  const Json json =
      Json::Parse(DiffJson(ParseReport(kBefore, "a.json"), ParseReport(kAfter, "b.json")), "diff");
  EXPECT_EQ(json.Find("differ")->Dump(-1), R"(["config","timing_hash"])");
  EXPECT_EQ(*json.Find("schema")->as_string(), "vta-report-diff");
  EXPECT_EQ(*json.Find("layers_by")->as_string(), "name");
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
  EXPECT_EQ(ChangesOf(a, b).layers[0].moved, "compute busy");
  EXPECT_EQ(ChangesOf(a, b).layers[0].moved_cycles, 5);
  EXPECT_EQ(ChangesOf(a, path).layers[0].moved, "");  // not the same kinds
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
  EXPECT_EQ(says(R"({"schema": "vta-report", "version": 2})"),
            "r.json: version = 2: this vta knows vta-report up to version 1; a newer one reads it");
  EXPECT_EQ(says(R"({"schema": "vta-report", "version": "1"})"),
            "r.json: version = \"1\": must be an integer in [1, 9223372036854775807]");
  EXPECT_EQ(says(R"({"schema": "vta-eval", "version": 1})"),
            "r.json: schema = \"vta-eval\": must be vta-report, which vta run --report writes");
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
