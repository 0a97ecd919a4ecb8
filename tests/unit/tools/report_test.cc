// The report of a run whose engine has time, from counters made by hand.
#include "tools/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "isa/support/json.h"
#include "tools/report/table.h"
#include "tools/report/why.h"
#include "tools/shared/inferences.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

// A convolution of 2000 cycles at 50 MHz with 64 MACs a cycle, and a kernel on the CPU.
RunReport ReportOf(const std::string& name) {
  RunReport report{"m", "c", "rtl"};
  report.timing_hash = 0xabc;
  report.clock_mhz = 50;
  report.macs_per_cycle = 64;
  LayerReport conv{name, {"conv2d_i8", "16x8x8 k3x3 s1 -> 32x8x8", 32000}};
  conv.where = "vta";
  conv.counters.instructions[0] = 7;
  conv.counters.time =
      isa::Time{2000, {20, 1900, 60}, {{{500, 1000, 200}, {1900, 0, 100}, {0, 2000, 0}}}};
  LayerReport pack{"pack", {"pack", "", 0}};
  pack.where = "cpu";
  pack.facts.why = "puts an activation into an accelerator's blocks";
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
  const std::string table = ReportTable(ReportOf("conv"));
  EXPECT_THAT(table, HasSubstr("2,000     0.040  25000    25.0  25/50/10   95/0/5  0/100/0\n"));
  EXPECT_THAT(table, HasSubstr("4,000     0.080  12500    25.0  25/50/10   95/0/5  0/100/0\n"));
  EXPECT_THAT(table, HasSubstr("4,000 cycles on the accelerator: 0.080 ms, 12500.0 inferences/s at "
                               "50 MHz; timing hash 0x0000000000000abc\n"));
}

TEST(ReportTable, SaysWhyLayersAreOnTheCpu) {
  RunReport report = ReportOf("conv");
  report.layers.push_back(
      {"again", {"pack", "", 0, "puts an activation into an accelerator's blocks"}});
  report.layers.push_back({"soft", {"softmax", "", 0, "is\nreal"}});
  for (size_t i : {3, 4}) report.layers[i].where = "cpu";
  for (const bool wide : {false, true}) {
    const std::string table = ReportTable(report, wide);
    EXPECT_THAT(table, testing::ContainsRegex("pack +pack +.*cpu a"));
    EXPECT_THAT(table, testing::ContainsRegex("again +pack +.*cpu a"));
    EXPECT_THAT(table, testing::ContainsRegex("soft +softmax +.*cpu b"));
    EXPECT_THAT(table, HasSubstr("\ncpu a: puts an activation into an accelerator's blocks\n"
                                 "cpu b: is\\x0areal\n"));
  }
  const Json json = ReportJson(report);
  const Json::Array& layers = *json.Find("layers")->as_array();
  EXPECT_EQ(layers[0].Find("why"), nullptr);
  EXPECT_EQ(*layers[4].Find("why")->as_string(), "is\nreal");
}

RunReport Bounded() {
  RunReport report = ReportOf("conv");
  report.layers[0].facts.bounds = {500, 1980, ""};
  report.layers[1].facts.bounds = {1000, 1500, "block diagonals"};
  for (const size_t i : {0, 1}) {
    isa::Causes& causes = report.layers[i].counters.causes.emplace();
    const int compute = isa::UnitOf(isa::Module::kCompute);
    causes.path[compute][static_cast<size_t>(isa::Cause::kBusy)] = 1700;
    causes.path[compute][static_cast<size_t>(isa::Cause::kToken)] = 240;
    causes.path[compute][static_cast<size_t>(isa::Cause::kPipeline)] = 60;
  }
  return report;
}

TEST(ReportTable, HoldsLayersAgainstTheirBounds) {
  const std::string table = ReportTable(Bounded());
  EXPECT_THAT(table, testing::ContainsRegex("conv .* 99\\.0    "));
  EXPECT_THAT(table, testing::ContainsRegex("conv .* 75\\.0 a  "));
  EXPECT_THAT(table, testing::ContainsRegex("total .* 87\\.0    "));
  EXPECT_THAT(
      table,
      HasSubstr("\nbound %: of the cycles those that passes and bytes need, 3,480 in all; the "
                "ideal line of MACs and bytes: 1,500\n"
                "bound a: well above the ideal line, for block diagonals\n"));
  const std::string wide = ReportTable(Bounded(), true);
  EXPECT_THAT(wide, HasSubstr("  bound  ideal  lost to"));
  EXPECT_THAT(wide, HasSubstr("1,500  1,000  block diagonals; 12 % compute token"));
  EXPECT_THAT(ReportTable(ReportOf("conv")), Not(HasSubstr("bound")));
}

TEST(ReportJson, HasBoundsWhereTheyAreKnown) {
  RunReport report = Bounded();
  Json json = ReportJson(report);
  const Json::Array& layers = *json.Find("layers")->as_array();
  EXPECT_EQ(*layers[0].Find("bound_ideal")->as_int(), 500);
  EXPECT_EQ(*layers[0].Find("bound_machine")->as_int(), 1980);
  EXPECT_EQ(*layers[0].Find("bound")->as_double(), 0.99);
  EXPECT_EQ(layers[0].Find("lost_to"), nullptr);
  EXPECT_EQ(*layers[1].Find("lost_to")->as_string(), "block diagonals; 12 % compute token");
  EXPECT_EQ(layers[2].Find("bound_ideal"), nullptr);  // on the CPU
  for (const char* sum : {"vta", "total"}) {
    EXPECT_EQ(*json.Find(sum)->Find("bound_ideal")->as_int(), 1500);
    EXPECT_EQ(*json.Find(sum)->Find("bound")->as_double(), 0.87);
    EXPECT_EQ(*json.Find(sum)->Find("lost_to")->as_string(), "12 % compute token");
  }
  EXPECT_EQ(json.Find("cpu")->Find("bound_ideal"), nullptr);
  report.layers[1].facts.bounds->machine = 1 << 20;  // a device whose memory is quicker
  EXPECT_EQ(ReportJson(report).Find("layers")->as_array()->at(1).Find("bound"), nullptr);
  report.layers[1].facts.bounds->machine = 1500;
  report.layers[0].facts.bounds.reset();  // of a package that an older tool made
  json = ReportJson(report);
  EXPECT_EQ(json.Find("total")->Find("bound_ideal"), nullptr);
  EXPECT_NE(json.Find("layers")->as_array()->at(1).Find("bound"), nullptr);
}

TEST(IsFarFromBound, IsMoreThanAShareOfItOrOfAShortLayersCycles) {
  EXPECT_FALSE(IsFarFromBound(104'000, 100'000));
  EXPECT_TRUE(IsFarFromBound(104'001, 100'000));
  EXPECT_FALSE(IsFarFromBound(40'000, 38'462));
  EXPECT_TRUE(IsFarFromBound(40'000, 38'461));
  EXPECT_FALSE(IsFarFromBound(39'999, 38'399));
  EXPECT_TRUE(IsFarFromBound(39'999, 38'398));
  EXPECT_FALSE(IsFarFromBound(1'600, 0));
  EXPECT_TRUE(IsFarFromBound(1'601, 0));
  EXPECT_FALSE(IsFarFromBound(50'000, 60'000));  // its bytes moved under another layer
}

// More passes than the bound's, or more bytes, are what is left where that is most.
TEST(BeyondText, SaysWhatMostOfTheCyclesAboveTheBoundWentInto) {
  const auto at = [](isa::Cause cause) { return static_cast<size_t>(cause); };
  const int load = isa::UnitOf(isa::Module::kLoad), compute = isa::UnitOf(isa::Module::kCompute);
  isa::Causes causes;
  causes.path[compute][at(isa::Cause::kBusy)] = 900;
  causes.path[load][at(isa::Cause::kLatency)] = 100;
  EXPECT_EQ(BeyondText(causes, 700), "20 % more passes");
  EXPECT_EQ(BeyondText(causes, 850), "10 % load latency");
  causes.path[load][at(isa::Cause::kBusy)] = 200;
  EXPECT_EQ(BeyondText(causes, 850), "17 % load busy");
  causes.path[compute][at(isa::Cause::kBusy)] = 0;
  causes.path[load][at(isa::Cause::kBusy)] = 600;
  causes.path[load][at(isa::Cause::kBandwidth)] = 300;
  EXPECT_EQ(BeyondText(causes, 700), "20 % more bytes");
  EXPECT_EQ(BeyondText(causes, 850), "10 % load latency");
  EXPECT_EQ(BeyondText({}, 10), "");
}

// Two kernels on two hosts, beside 0.08 ms on the accelerator.
RunReport Hosted() {
  RunReport report = ReportOf("conv");
  report.layers.push_back(report.layers.back());
  report.layers[2].host_ms = {0.25, 0.125};
  report.layers[3].host_ms = {0.5, 0.25};
  report.hosts = {{kHostCpus[0], 0.75, 0.08}, {kHostCpus[1], 0.375, 0.08}};
  return report;
}

TEST(ReportTable, HasTheTimeOfHostsByAModel) {
  const std::string table = ReportTable(Hosted());
  EXPECT_THAT(table, testing::ContainsRegex("pack .* ~0\\.250\npack .* ~0\\.500\n"));
  EXPECT_THAT(table, testing::ContainsRegex("on cpu .* ~0\\.750\ntotal .* 0\\.080 "));
  EXPECT_THAT(
      table,
      HasSubstr("\nms on the host, by a model (at double, at half its rates), beside 0.080 on the "
                "accelerator:\n"
                "  Cortex-A9 at 650 MHz: 0.750 (0.375, 1.500); one run 0.830 (0.455, 1.580), each "
                "of two in flight 0.750 (0.375, 1.500)\n"
                "  Cortex-A53 at 1200 MHz: 0.375 (0.188, 0.750); one run 0.455 (0.268, 0.830), "
                "each of two in flight 0.375 (0.188, 0.750)\n"
                "  ~: of a layer, by the same model on a Cortex-A9\n"));
  EXPECT_THAT(ReportTable(Hosted(), true), HasSubstr("  ~ms Cortex-A9  ~ms Cortex-A53  "));
  EXPECT_THAT(ReportTable(Hosted(), true), testing::ContainsRegex("pack .* ~0\\.500 +~0\\.250\n"));
  EXPECT_THAT(ReportTable(ReportOf("conv")), Not(HasSubstr("host")));
}

TEST(ReportJson, HasTheTimeOfHosts) {
  const Json json = ReportJson(Hosted());
  const Json::Array& hosts = *json.Find("hosts")->as_array();
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(*hosts[1].Find("cpu")->as_string(), "cortex_a53");
  EXPECT_TRUE(*hosts[1].Find("is_model")->as_bool());
  EXPECT_DOUBLE_EQ(*hosts[1].Find("alone_ms")->as_double(), 0.455);
  const Json& layer = json.Find("layers")->as_array()->at(3);
  EXPECT_EQ(layer.Find("host_ms")->Dump(-1), R"({"cortex_a9":0.5,"cortex_a53":0.25})");
  EXPECT_EQ(json.Find("total")->Find("host_ms")->Dump(-1),
            R"({"cortex_a9":0.75,"cortex_a53":0.375})");
  EXPECT_EQ(json.Find("vta")->Find("host_ms"), nullptr);
  EXPECT_EQ(ReportJson(ReportOf("conv")).Find("hosts"), nullptr);
}

TEST(ReportTable, SaysTheShareOfTheAcceleratorAlways) {
  RunReport report = ReportOf("conv");
  EXPECT_THAT(ReportTable(report), HasSubstr("\nvta: 2 of 3 layers, 100.0 % of the MACs\n"));
  report.layers.erase(report.layers.begin(), report.layers.begin() + 2);
  EXPECT_THAT(ReportTable(report), HasSubstr("\nvta: 0 of 1 layer, 0.0 % of the MACs\n"));
  report.is_float = true;
  EXPECT_THAT(ReportTable(report),
              HasSubstr("vta: 0 of 1 layer, 0.0 % of the MACs; the model is float, not int8: it "
                        "runs on the cpu\n"));
  EXPECT_TRUE(*ReportJson(report).Find("is_float")->as_bool());
}

TEST(ReportTable, SaysWhetherTheWorkIsSimulated) {
  RunReport report = ReportOf("conv");
  report.layers[0].counters.macs = 2'000'000;
  report.layers[0].wall_ms = 1;
  EXPECT_THAT(ReportTable(report), HasSubstr("; simulated at 2.00 GMAC/s"));
  report.is_simulated = false;
  EXPECT_THAT(ReportTable(report), HasSubstr("; run at 2.00 GMAC/s"));
}

TEST(ReportTable, ARunOfABatchIsSeveralInferences) {
  RunReport report = ReportOf("conv");
  report.batch = 4;
  const std::string table = ReportTable(report);
  EXPECT_THAT(table, HasSubstr("; a run is 4 inferences\n"));
  EXPECT_THAT(table, HasSubstr("0.080 ms, 50000.0 inferences/s at 50 MHz"));
  EXPECT_THAT(table, HasSubstr("2,000     0.040  100000 "));
  EXPECT_EQ(*ReportJson(report).Find("batch")->as_int(), 4);
}

TEST(BatchOf, IsTheFirstDimensionThatInputsAndOutputsShare) {
  const auto batch = [](std::vector<isa::PackageTensor> inputs,
                        std::vector<isa::PackageTensor> outputs) {
    isa::Package package;
    for (auto& [list, tensors] :
         {std::pair(&package.inputs, &inputs), {&package.outputs, &outputs}})
      for (isa::PackageTensor& tensor : *tensors) {
        list->push_back(static_cast<int64_t>(package.tensors.size()));
        package.tensors.push_back(std::move(tensor));
      }
    return BatchOf(package);
  };
  const auto tensor = [](std::vector<int64_t> shape) {
    return isa::PackageTensor{"t", isa::ElementType::kInt8, std::move(shape)};
  };
  EXPECT_EQ(batch({tensor({4, 3, 8, 8})}, {tensor({4, 10})}), 4);
  EXPECT_EQ(batch({tensor({4, 3, 8, 8})}, {tensor({4})}), 4);
  EXPECT_EQ(batch({tensor({4, 3}), tensor({4, 5})}, {tensor({4, 10}), tensor({4, 2})}), 4);
  EXPECT_EQ(batch({tensor({4, 3})}, {tensor({10})}), 1);
  EXPECT_EQ(batch({tensor({4, 3}), tensor({1, 5})}, {tensor({4, 10})}), 1);
  EXPECT_EQ(batch({tensor({64})}, {tensor({64})}), 1);
  EXPECT_EQ(batch({tensor({4, 3})}, {tensor({})}), 1);
  EXPECT_EQ(batch({tensor({0, 3})}, {tensor({0, 3})}), 1);
  EXPECT_EQ(batch({}, {}), 1);
}

TEST(Abbreviated, NamesStayApart) {
  const std::string long_name(60, 'n');
  const std::vector<std::string> names = {
      long_name + "a" + long_name, "short",        long_name + "b" + long_name,
      long_name + "a" + long_name, "nnnnn..nnnnn", "nnnn.2.nnnnn"};
  const std::vector<std::string> shown = Abbreviated(names, 12);
  EXPECT_EQ(shown, (std::vector<std::string>{"nnnn.3.nnnnn", "short", "nnnn.4.nnnnn",
                                             "nnnn.3.nnnnn", "nnnnn..nnnnn", "nnnn.2.nnnnn"}));
  EXPECT_EQ(Abbreviated(names, 200), names);
  std::vector<std::string> many;
  for (int i = 0; i < 1500; ++i) many.push_back(long_name + std::to_string(i + 1000) + long_name);
  std::set<std::string> apart;
  for (const std::string& name : Abbreviated(many, 12)) {
    EXPECT_LE(name.size(), 12);
    EXPECT_TRUE(apart.insert(name).second) << name;
  }
}

TEST(ReportTable, LayersWithLongNamesStayApart) {
  RunReport report = ReportOf(std::string(80, 'n') + "_one_" + std::string(80, 'n'));
  report.layers[1].name = std::string(80, 'n') + "_two_" + std::string(80, 'n');
  std::istringstream lines(ReportTable(report));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("n")) names.insert(line.substr(0, line.find(' ')));
  EXPECT_EQ(names.size(), 2);
}

TEST(ReportTable, FitsATerminalUnlessItIsToBeWide) {
  const RunReport report = ReportOf(std::string(80, 'n'));
  EXPECT_LE(Width(ReportTable(report)), kTableColumns);
  EXPECT_THAT(ReportTable(report), Not(HasSubstr("useful %")));
  EXPECT_GT(Width(ReportTable(report, true)), kTableColumns);
  EXPECT_THAT(ReportTable(report, true), HasSubstr("useful %"));
}

TEST(ReportJson, CarriesTheCountersOfEachModule) {
  const Json json = ReportJson(ReportOf("conv"));
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
  EXPECT_EQ(at(json, {"cpu"}).Find("cycles"), nullptr);
}

}  // namespace
}  // namespace vta::tools
