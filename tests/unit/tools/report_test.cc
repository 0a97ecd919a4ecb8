// The report of a run whose engine has time, from counters made by hand.
#include "tools/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "isa/support/json.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

// A convolution of 2000 cycles at 50 MHz with 64 MACs a cycle, and a kernel on the host.
RunReport Report(const std::string& name) {
  RunReport report{"m", "c", "rtl"};
  report.timing_hash = 0xabc;
  report.clock_mhz = 50;
  report.macs_per_cycle = 64;
  LayerReport conv{name, {"conv2d_i8", "16x8x8 k3x3 s1 -> 32x8x8", 32000}};
  conv.where = "vta";
  conv.instructions = 7;
  conv.time = isa::Time{2000, {20, 1900, 60}, {{{500, 1000, 200}, {1900, 0, 100}, {0, 2000, 0}}}};
  LayerReport pack{"pack", {"pack", "", 0}};
  pack.where = "host";
  report.layers = {conv, conv, pack};
  return report;
}

int64_t Width(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  size_t widest = 0;
  while (std::getline(lines, line)) widest = std::max(widest, line.size());
  return static_cast<int64_t>(widest);
}

TEST(ReportTable, SaysWhereTheTimeWent) {
  const std::string table = ReportTable(Report("conv"));
  EXPECT_THAT(table, HasSubstr("2,000     0.040  25000.0    25.0  25/50/10   95/0/5  0/100/0\n"));
  EXPECT_THAT(table, HasSubstr("4,000     0.080  12500.0    25.0  25/50/10   95/0/5  0/100/0\n"));
  EXPECT_THAT(table, HasSubstr("4,000 cycles on the accelerator: 0.080 ms, 12500.0 inferences/s at "
                               "50 MHz; timing hash 0x0000000000000abc\n"));
}

TEST(ReportTable, FitsATerminalUnlessItIsToBeWide) {
  const RunReport report = Report(std::string(80, 'n'));
  EXPECT_LE(Width(ReportTable(report)), kTableColumns);
  EXPECT_THAT(ReportTable(report), Not(HasSubstr("useful %")));
  EXPECT_GT(Width(ReportTable(report, true)), kTableColumns);
  EXPECT_THAT(ReportTable(report, true), HasSubstr("useful %"));
}

TEST(ReportJson, CarriesTheCountersOfEachModule) {
  const Json json = Json::Parse(ReportJson(Report("conv")), "report");
  const auto at = [](const Json& value, std::initializer_list<const char*> path) {
    const Json* found = &value;
    for (const char* key : path) found = found->Find(key);
    return *found;
  };
  EXPECT_EQ(*at(json, {"timing_hash"}).as_string(), "0x0000000000000abc");
  const Json& layer = json.Find("layers")->as_array()->front();
  EXPECT_EQ(*at(layer, {"cycles"}).as_int(), 2000);
  EXPECT_DOUBLE_EQ(*at(layer, {"ms"}).as_double(), 0.04);
  EXPECT_DOUBLE_EQ(*at(layer, {"fps"}).as_double(), 25000);
  EXPECT_DOUBLE_EQ(*at(layer, {"peak"}).as_double(), 0.25);
  EXPECT_EQ(*at(layer, {"modules", "fetch", "wait_token"}).as_int(), 1900);
  EXPECT_EQ(*at(json, {"total", "modules", "fetch", "wait_memory"}).as_int(), 120);
  EXPECT_EQ(*at(layer, {"modules", "load", "wait_token"}).as_int(), 1000);
  EXPECT_EQ(*at(json, {"total", "modules", "compute", "wait_memory"}).as_int(), 200);
  EXPECT_EQ(at(json, {"host"}).Find("cycles"), nullptr);
}

}  // namespace
}  // namespace vta::tools
