// Where a network's time goes, by pencil, on a machine and a package made up here.
#include "tools/vta/bench/dear_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace vta::tools {
namespace {

/// 100 operations in a nanosecond; 50 and 10 bytes.
CpuBounds SmallMachine() {
  return {"one", 100, 100, {{"L1", 1000, 50}, {"DRAM", std::numeric_limits<int64_t>::max(), 10}}};
}

/// A kernel for each row: products in float, bytes of its arguments, tasks.
isa::Package PackageOfSteps(const std::vector<std::array<int64_t, 3>>& rows) {
  isa::Package package;
  for (const auto& [macs, bytes, tasks] : rows) {
    isa::PackageStep step{.name = "s" + std::to_string(package.steps.size()),
                          .kind = isa::PackageStep::Kind::kKernel,
                          .kernel = std::ssize(package.kernels)};
    step.facts.op = macs > 0 ? "conv2d" : "concat";
    step.facts.macs = macs;
    step.facts.work.emplace().front() = macs;  // kFloatProducts
    package.steps.push_back(step);
    package.kernels.push_back(
        {.name = step.name, .tasks = tasks, .argument_bytes = {bytes / 2, bytes / 2}});
  }
  return package;
}

// On two threads: 50,000 products and 20,000 bytes at the same time, in 2000 ns of a core, but the
// only task is one core's; 400,000 products in 8000 of a core; 2000 bytes in 200; 1000 in 20.
NetworkSteps ExampleSteps() {
  return BesideBounds(
      PackageOfSteps({{50'000, 20'000, 1}, {400'000, 1000, 8}, {0, 2000, 2}, {0, 1000, 2}}),
      {4000, 5000, 100, 900}, SmallMachine(), 2);
}

TEST(DearSteps, AreTheThreeDearestBesideTheirBounds) {
  const NetworkSteps steps = ExampleSteps();
  EXPECT_DOUBLE_EQ(steps.ms, 0.01);
  EXPECT_DOUBLE_EQ(steps.least_ms, 0.002 + 0.004 + 0.0001 + 0.00001);
  EXPECT_DOUBLE_EQ(steps.share_of_bound(), 0.611);
  EXPECT_EQ(PercentOfBound(steps), "61.1");
  EXPECT_EQ(PercentOfBound({}), "");
  EXPECT_EQ(DearestText({{"net", steps}}), R"(
the dearest steps, each by the quickest of 10 warm runs; bound %: what this CPU's peak and memory need at least, of what it took

network  step  op         ms  of all %  GMAC/s  GB/s  bound %
-------------------------------------------------------------
net      s1    conv2d  0.005      50.0    80.0   0.2     80.0
net      s0    conv2d  0.004      40.0    12.5   5.0     50.0
net      s3    concat  0.001       9.0           1.1      1.1
)");
  EXPECT_EQ(DearestText({{"net", {}}}), "");
  NetworkSteps named = steps;
  named.dearest[0].name = "head" + std::string(300, '/') + "tail";
  EXPECT_THAT(DearestText({{"net", named}}),
              testing::ContainsRegex("\nnet +head/+[^ ]*/+tail +conv2d +0.005 "));
  EXPECT_THAT(DearestText({{"net", named}}),
              testing::Not(testing::HasSubstr(std::string(60, '/'))));
}

TEST(DearSteps, AreThoseOfKernels) {
  isa::Package package = PackageOfSteps({{50'000, 20'000, 1}, {50'000, 20'000, 1}});
  package.steps[0].kind = isa::PackageStep::Kind::kCopy;
  package.steps[1].facts.work.reset();  // of an older package: its bytes alone
  const NetworkSteps steps = BesideBounds(package, {4000, 8000}, SmallMachine(), 1);
  ASSERT_EQ(steps.dearest.size(), 1);
  EXPECT_EQ(steps.dearest[0].name, "s1");
  EXPECT_DOUBLE_EQ(steps.share_of_bound(), 0.25);
}

TEST(DearSteps, AreSaidToMachines) {
  NetworkSteps steps = ExampleSteps();
  steps.dearest.resize(1);
  const Json json = ToJson(steps);
  EXPECT_EQ(json.Dump(-1),
            R"({"ms":0.01,"least_ms":0.00611,"share_of_bound":0.611,"dearest":[)"
            R"({"name":"s1","op":"conv2d","macs":400000,"bytes":1000,"ms":0.005,"least_ms":0.004,)"
            R"("gmacs_per_s":80.0,"gb_per_s":0.2}]})");
  EXPECT_EQ(ToJson(ReadNetworkSteps(JsonReader(json, "row"))).Dump(-1), json.Dump(-1));
}

}  // namespace
}  // namespace vta::tools
