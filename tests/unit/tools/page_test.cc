// The data that a report's page draws. Its pictures are tested in a browser
// (tests/cli/page_test.py).
#include "tools/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "tools/report/page_timeline.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;

isa::Config TestConfig() {
  isa::Config config;
  config.version = isa::Version::k100;
  return config;
}

Json DataOf(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const size_t at = page.find(begin) + begin.size();
  return Json::Parse(page.substr(at, page.find("</script>", at) - at), "data");
}

const Json& At(const Json& json, std::initializer_list<const char*> path) {
  const Json* found = &json;
  for (const char* key : path) {
    found = found->as_array() ? &found->as_array()->at(std::stoul(key)) : found->Find(key);
    VTA_CHECK(found, key);
  }
  return *found;
}

RunReport Report(const std::string& name) {
  RunReport report{"m", "c", "cycle", 1, 0xabc};
  report.clock_mhz = 50, report.macs_per_cycle = 64;
  LayerReport conv{name, {"conv2d_i8", "shape", 32000}}, pack{"pack", {"pack", "", 0, "because"}};
  conv.where = "vta", pack.where = "cpu";
  conv.counters.time = isa::Time{2000, {20, 1900, 60}, {{{500, 1000, 200}, {1900, 0, 100}, {}}}};
  report.layers = {conv, pack, conv};
  report.layers[0].launch = 0, report.layers[2].launch = 1, report.launches = 2;
  return report;
}

sim::Timeline TwoRuns() {
  sim::Timeline timeline;
  for (int64_t launch = 0; launch < 4; ++launch) {
    timeline.launches.push_back({2000 * launch, 2000 * launch + 2000});
    sim::InstructionSlice slice;
    slice.begin = 2000 * launch + 10, slice.end = slice.begin + 100 + launch;
    slice.address = 0x1000;
    slice.module = isa::Module::kCompute;
    isa::Instruction finish;
    finish.opcode = static_cast<int64_t>(isa::Opcode::kFinish);
    slice.word = isa::Encode(isa::Layout(TestConfig()), finish);
    timeline.instructions.push_back(slice);
    timeline.stalls.push_back({{slice.begin - 6, slice.begin}, slice.module, sim::Stall::kMemory});
  }
  return timeline;
}

TEST(ReportPage, NothingEndsTheScriptEarly) {
  const isa::Layout layout(TestConfig());
  const std::string name = "</script><img src=x onerror=alert(1)><!--";
  const std::string page = ReportPage(Report(name), layout, {});
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(*At(DataOf(page), {"layers", "0", "name"}).as_string(), name);
}

TEST(ReportPage, CausesAndPathOrWhatModulesCount) {
  const isa::Layout layout(TestConfig());
  RunReport report = Report("conv");
  const Json counted = DataOf(ReportPage(report, layout, {}));
  EXPECT_EQ(At(counted, {"layers", "0", "spent", "0"}).Dump(-1),
            "[20,0,0,1900,0,0,0,0,0,0,0,20,60]");
  EXPECT_EQ(At(counted, {"layers", "0", "spent", "1"}).Dump(-1),
            "[500,0,0,1000,0,0,0,0,0,0,0,300,200]");
  EXPECT_EQ(At(counted, {"layers", "0"}).Find("path"), nullptr);
  EXPECT_EQ(At(counted, {"layers", "1"}).Find("spent"), nullptr);
  isa::Causes causes;
  causes.spent[2][static_cast<size_t>(isa::Cause::kRowMiss)] = 2000;
  causes.path[1][static_cast<size_t>(isa::Cause::kBusy)] = 1500;
  for (LayerReport& layer : report.layers)
    if (OnVta(layer)) layer.counters.causes = causes;
  const Json known = DataOf(ReportPage(report, layout, {}));
  EXPECT_EQ(At(known, {"kinds", "7"}).Dump(-1), "\"row_miss\"");
  EXPECT_EQ(At(known, {"layers", "0", "spent", "2"}).Dump(-1), "[0,0,0,0,0,0,0,2000,0,0,0,0,0]");
  EXPECT_EQ(At(known, {"total", "path", "1"}).Dump(-1), "[3000,0,0,0,0,0,0,0,0,0,0,0,0]");
  EXPECT_EQ(*At(known, {"facts", "timing_hash"}).as_string(), "0x0000000000000abc");
}

TEST(ReportPage, HasTheTimeOfHosts) {
  const isa::Layout layout(TestConfig());
  RunReport report = Report("conv");
  EXPECT_EQ(DataOf(ReportPage(report, layout, {})).Find("hosts"), nullptr);
  // 2 MB take 2 ms of a Cortex-A9 and 1 ms of an A53; 130,000 functions 1 and 0.135 ms.
  report.layers[1].kernel_bytes = 2'000'000;
  report.layers[1].facts.work = isa::WorkCounts{0, 0, 0, 0, 130'000};
  report.layers[1].host_ms = {2, 1};
  report.hosts = {{kHostCpus[0], 2, 0.08}, {kHostCpus[1], 1, 0.08}};
  Json data = DataOf(ReportPage(report, layout, {}));
  EXPECT_EQ(*At(data, {"hosts", "0", "name"}).as_string(), "Cortex-A9 at 650 MHz");
  EXPECT_EQ(*At(data, {"hosts", "1", "at_half", "host_ms"}).as_double(), 2);
  EXPECT_EQ(At(data, {"layers", "1", "host"}).Dump(-1),
            R"([{"ms":2.0,"by_bytes":true},{"ms":1.0,"by_bytes":true}])");
  EXPECT_EQ(At(data, {"layers", "0"}).Find("host"), nullptr);
  report.layers[1].kernel_bytes = 200'000;
  data = DataOf(ReportPage(report, layout, {}));
  EXPECT_FALSE(*At(data, {"layers", "1", "host", "0", "by_bytes"}).as_bool());
}

TEST(ReportPage, WarnsOfAClockThatWasNotReached) {
  const isa::Layout layout(TestConfig());
  RunReport report = Report("conv");
  EXPECT_EQ(At(DataOf(ReportPage(report, layout, {})), {"facts"}).Find("clock_note"), nullptr);
  report.estimate = ClockEstimate{&FindPart("xc7z020"), 100, 50, 40, {}, true};
  EXPECT_EQ(*At(DataOf(ReportPage(report, layout, {})), {"facts", "clock_note"}).as_string(),
            ClockNote(*report.estimate));
}

TEST(ReportPage, TheTimelineIsThatOfTheLastRun) {
  const Json data = DataOf(ReportPage(Report("conv"), isa::Layout(TestConfig()), TwoRuns()));
  const Json::Array& launches = *At(data, {"timeline", "launches"}).as_array();
  ASSERT_EQ(launches.size(), 2u);
  // Begin 10 (signed: 20), 102 and 103 cycles, index 0, one word, the first. Then a wait of 6 from
  // 4 on: kind 12 with a gap.
  EXPECT_EQ(
      launches[0].Dump(-1),
      R"({"layer":0,"begin":0,"end":2000,"address":"0x1000","instructions":["","FGYAAQA=",""],)"
      R"("flows":"","why":["","","HAYI",""]})");
  EXPECT_EQ(*At(launches[1], {"layer"}).as_int(), 2);
  EXPECT_EQ(*At(launches[1], {"begin"}).as_int(), 2000);
  EXPECT_EQ(*At(launches[1], {"instructions", "1"}).as_string(), "FGcAAQA=");
  EXPECT_EQ(At(data, {"timeline", "words"}).Dump(-1), R"(["finish"])");
}

// One launch, whose second layer's load begins, and pushes, in the time of the first.
TEST(ReportPage, LayersOfALaunchAreOneBehindTheOther) {
  RunReport report = Report("conv");
  std::swap(report.layers[1], report.layers[2]);
  for (LayerReport& layer : std::span(report.layers).first(2))
    layer.launch = 0, layer.shares_launch = true;
  report.launches = 1;
  sim::Timeline timeline;
  timeline.launches = {{100, 4100}};
  const isa::Layout layout(TestConfig());
  isa::Instruction load, gemm;
  load.memory_type = static_cast<int64_t>(isa::MemoryType::kInp), load.push_next = 1;
  gemm.opcode = static_cast<int64_t>(isa::Opcode::kGemm), gemm.pop_prev = 1;
  const auto add = [&](int64_t begin, int64_t end, isa::Module module, int64_t index,
                       const isa::Instruction& insn) {
    timeline.instructions.push_back(
        {{begin, end}, module, index, 0x1000, isa::Encode(layout, insn)});
  };
  add(110, 200, isa::Module::kLoad, 0, load);
  add(300, 400, isa::Module::kLoad, 2, load);  // of the second layer
  add(210, 2100, isa::Module::kCompute, 1, gemm);
  add(2100, 4100, isa::Module::kCompute, 3, gemm);
  const Json data = DataOf(ReportPage(report, layout, timeline));
  const Json::Array& launches = *At(data, {"timeline", "launches"}).as_array();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(*At(launches[0], {"end"}).as_int(), 2000);
  EXPECT_EQ(*At(launches[1], {"begin"}).as_int(), 2000);
  EXPECT_EQ(*At(launches[1], {"end"}).as_int(), 4000);
  EXPECT_EQ(*At(launches[1], {"layer"}).as_int(), 1);
  // Both loads begin in the first layer's time. The token of queue 0 that the second layer's GEMM
  // pops was pushed one place before its own first: -1 (signed: 1), and 0.
  EXPECT_EQ(*At(launches[1], {"instructions", "0"}).as_string(), "");
  EXPECT_EQ(*At(launches[1], {"flows"}).as_string(), "AAEA");
  EXPECT_EQ(*At(data, {"facts", "launches"}).as_int(), 1);
  EXPECT_EQ(CyclesBetweenLaunches(report, timeline), 0);
}

TEST(ReportPage, WhatLiesBetweenLaunchesIsNoneOfTheTotal) {
  sim::Timeline timeline = TwoRuns();
  RunReport report = Report("conv");
  EXPECT_EQ(CyclesBetweenLaunches(report, timeline), 0);
  timeline.launches[3].begin += 30, timeline.launches[3].end += 70;  // of the last run
  EXPECT_EQ(CyclesBetweenLaunches(report, timeline), 30);
  EXPECT_EQ(CyclesBetweenLaunches(report, {}), std::nullopt);
  report.between_launches = 30;
  EXPECT_THAT(ReportTable(report),
              HasSubstr("\n4,000 cycles on the accelerator: 0.080 ms, 12500.0 inferences/s at 50 "
                        "MHz; timing hash 0x0000000000000abc\nthe timeline has 30 more, between "
                        "launches, in which the host reads and writes registers\n"));
  EXPECT_EQ(*At(DataOf(ReportPage(report, isa::Layout(TestConfig()), timeline)),
                {"facts", "between_launches"})
                 .as_int(),
            30);
}

TEST(ReportPage, LaunchesThatMakeItTooLargeLoseTheirInstructions) {
  const isa::Layout layout(TestConfig());
  const std::string whole = ReportPage(Report("conv"), layout, TwoRuns());
  const auto size = static_cast<int64_t>(whole.size());
  const std::string cut = ReportPage(Report("conv"), layout, TwoRuns(), size - 60);
  EXPECT_LE(static_cast<int64_t>(cut.size()), size - 60);
  const Json data = DataOf(cut);
  EXPECT_NE(At(data, {"timeline", "launches", "0"}).Find("instructions"), nullptr);
  EXPECT_EQ(At(data, {"timeline", "launches", "1"}).Find("instructions"), nullptr);
  EXPECT_EQ(*At(data, {"timeline", "launches", "1", "end"}).as_int(), 4000);
  EXPECT_EQ(ReportPage(Report("conv"), layout, TwoRuns(), size + 1000), whole);
}

}  // namespace
}  // namespace vta::tools
