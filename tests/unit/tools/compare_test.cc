#include "tools/vta/bench/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "tests/unit/tools/fake_peer.h"

namespace vta::tools {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(CompareTest, RunsBothInTurnAndChecksOutputsBeforeItMeasures) {
  const FakePeer fake("", Floats({1, 2}));
  Peer peer(fake.options());
  std::vector<size_t> requests_before;  // each of our runs, and where outputs were asked for
  const auto requests = [&] {
    const std::string text = fake.requests();
    return static_cast<size_t>(std::ranges::count(text, '\n'));
  };
  peer.Load("m", {});
  int64_t runs = 0, runs_before_check = 0;
  const OurSide ours{[&] {
                       requests_before.push_back(requests());
                       ++runs;
                     },
                     [&] {
                       runs_before_check = runs;
                       return NamedTensors{{"y", Floats({1, 2})}};
                     }};
  const Comparison result = CompareWithPeer(ours, peer, {.warmups = 2, .runs = 3});
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(runs_before_check, 2);
  // One load, then a run of the peer after each of ours, and its outputs after the second.
  EXPECT_EQ(requests_before, (std::vector<size_t>{1, 2, 4, 5, 6}));
  EXPECT_EQ(result.ours.runs, 3);
  EXPECT_EQ(result.peer.runs, 3);
  EXPECT_EQ(result.peer.median, 2000);
  EXPECT_GT(result.ours.median, 0);
  EXPECT_EQ(result.ratio, 2000 / result.ours.median);
  EXPECT_EQ(result.difference, 0);
}

TEST(CompareTest, LeadsAreRunAndNotMeasured) {
  const FakePeer fake("", Floats({1}));
  Peer peer(fake.options());
  peer.Load("m", {});
  int64_t runs = 0;
  const OurSide ours{[&] { ++runs; }, [] { return NamedTensors{{"y", Floats({1})}}; }};
  const Comparison result = CompareWithPeer(ours, peer, {.warmups = 1, .runs = 2, .leads = 3});
  EXPECT_EQ(runs, 12);
  EXPECT_EQ(result.ours.runs, 2);
  EXPECT_EQ(result.peer.runs, 2);
  EXPECT_THAT(fake.requests(), HasSubstr(R"("count":4)"));
}

TEST(CompareTest, SidesOfSeveralThreadsTakeThreeTurns) {
  const CompareOptions options = ForThreads({.warmups = 1, .runs = 7}, 2);
  EXPECT_EQ(options.turns, 3);
  EXPECT_GT(options.lead_ns, 0);
  EXPECT_EQ(ForThreads({}, 1).turns, 0);
  const FakePeer fake("", Floats({1}));
  Peer peer(fake.options());
  peer.Load("m", {});
  int64_t runs = 0;
  const OurSide ours{[&] {
                       ++runs;
                       usleep(1000);
                     },
                     [] {
                       return NamedTensors{{"y", Floats({1})}};
                     }};
  const Comparison result =
      CompareWithPeer(ours, peer, {.warmups = 1, .runs = 7, .lead_ns = 10'000'000, .turns = 3});
  EXPECT_EQ(result.ours.runs, 9);
  EXPECT_EQ(result.peer.runs, 9);
  EXPECT_GE(runs, 1 + 9 + 3);
  EXPECT_LE(runs, 1 + 9 + 3 * 10);
}

TEST(CompareTest, RefusesOtherOutputs) {
  const FakePeer fake("", Floats({3, 4}));
  Peer peer(fake.options());
  peer.Load("m", {});
  int64_t runs = 0;
  const OurSide ours{[&] { ++runs; }, [] { return NamedTensors{{"y", Floats({3, 5})}}; }};
  EXPECT_THAT([&] { CompareWithPeer(ours, peer, {.warmups = 1, .tolerance = 0.1}); },
              ThrowsMessage<Error>("outputs: difference from the peer's = 0.2: must be at most 0.1 "
                                   "of their root mean square"));
  EXPECT_EQ(runs, 1);  // nothing was measured
  EXPECT_EQ(CompareWithPeer(ours, peer, {.runs = 1, .tolerance = 0.3}).difference, 0.2);
}

TEST(OutputDifferenceTest, IsThatOfTheWorstOutput) {
  const NamedTensors peer = {{"a", Floats({3, 4})}, {"b", Floats({0})}};
  EXPECT_EQ(OutputDifference(peer, peer), 0);
  EXPECT_EQ(OutputDifference({{"a", Floats({3, 9})}, {"b", Floats({0})}}, peer), 1);
  EXPECT_EQ(OutputDifference({{"a", Floats({3, 4})}, {"b", Floats({1})}}, peer), HUGE_VAL);
}

TEST(OutputDifferenceTest, RefusesWhatCannotBeCompared) {
  const NamedTensors peer = {{"a", Floats({3, 4})}};
  EXPECT_THAT([&] { OutputDifference({}, peer); },
              ThrowsMessage<Error>("outputs: a: only the peer has it"));
  EXPECT_THAT(
      [&] {
        OutputDifference({{"b", Floats({1})}}, peer);
      },
      ThrowsMessage<Error>("outputs: b: the peer has no such output"));
  EXPECT_THAT(
      [&] {
        OutputDifference({{"a", Floats({1})}}, peer);
      },
      ThrowsMessage<Error>("outputs: a = float32[1]: must be float32[2] as the peer's"));
  EXPECT_THAT(
      [&] {
        OutputDifference({{"a", Floats({3, NAN})}}, peer);
      },
      ThrowsMessage<Error>(HasSubstr("outputs: a[1] = ")));
}

ComparedNetwork Example() {
  ComparedNetwork network{.network = "net",
                          .type = "uint8",
                          .cpu = "zen4",
                          .macs = 1'000'000,
                          .peak_gops = 200,
                          .peer_peak_gops = 400};
  network.peer = {"Fake", "1.2", {"A"}, {{"QLinearConv", 3}, {"Conv", 1}, {"QLinearAdd", 2}}};
  network.result = {Summarize({20'000}), Summarize({40'000, 50'000}), 2.25, 0.0123};
  network.steps = {0.02, 0.005, {{"conv1", "conv2d", 500'000, 30'000, 0.01, 0.004}}};
  return network;
}
const CpuFacts kCpu{"Some CPU", {"avx2", "fma"}, 4, 2};
const std::vector<CpuPeak> kPeaks = {{"vfmadd ymm", false, 117.04}, {"vpdpbusd zmm", true, 464}};

TEST(ComparisonTextTest, IsHeadAndTable) {
  EXPECT_EQ(OurShareOfPeak(Example()), 0.5);
  EXPECT_EQ(ComparisonText(kCpu, kPeaks, {Example()}),
            R"(Some CPU: 2 cores, 4 threads; avx2, fma
one core: vfmadd ymm 117.0 GFLOP/s, vpdpbusd zmm 464.0 GOP/s
Fake 1.2, A

network  type   ours min  median    p90  peak %  bound %  peer min  median    p90  peak %  ratio  difference  peer's int8 nodes  products
-----------------------------------------------------------------------------------------------------------------------------------------
net      uint8     0.020   0.020  0.020    50.0     25.0     0.040   0.045  0.050    11.1   2.25       0.012             5 of 6    3 of 4
times in ms; our code is for zen4; ratio: the peer's median by ours; difference: of the outputs, root mean square, as a share of the peer's

the dearest steps, each by the quickest of 10 warm runs; bound %: what this CPU's peak and memory need at least, of what it took

network    step   op         ms  of all %  GMAC/s  GB/s  bound %
----------------------------------------------------------------
net uint8  conv1  conv2d  0.010      50.0    50.0   3.0     40.0
)");
}

TEST(ComparisonTextTest, WithoutAPeakHasNoShare) {
  ComparedNetwork network = Example();
  network.peak_gops = 0;
  EXPECT_EQ(OurShareOfPeak(network), 0);
  EXPECT_THAT(ComparisonText(kCpu, {}, {network}), HasSubstr("fma\nFake 1.2, A\n"));
  EXPECT_FALSE(ComparisonJson(kCpu, {}, {network})
                   .Find("networks")
                   ->as_array()
                   ->at(0)
                   .Find("ours")
                   ->Find("share_of_peak"));
}

TEST(ComparisonJsonTest, HoldsTheSame) {
  const Json json = ComparisonJson(kCpu, kPeaks, {Example()});
  EXPECT_EQ(json.Find("cpu")->Dump(-1),
            R"({"name":"Some CPU","flags":["avx2","fma"],"physical_cores":2,"logical_cores":4,)"
            R"("peaks_of_one_core":[{"instruction":"vfmadd ymm","type":"float","gops":117.04},)"
            R"({"instruction":"vpdpbusd zmm","type":"int8","gops":464.0}]})");
  EXPECT_EQ(
      json.Find("networks")->Dump(-1),
      R"([{"network":"net","type":"uint8","our_cpu":"zen4","macs":1000000,)"
      R"("ours":{"min_ms":0.02,"median_ms":0.02,)"
      R"("p90_ms":0.02,"runs":1,"share_of_peak":0.5},"peer":{"min_ms":0.04,"median_ms":0.045,)"
      R"("p90_ms":0.05,"runs":2,"share_of_peak":0.1111111111111111},"ratio":2.25,)"
      R"("difference":0.0123,"steps":{"ms":0.02,"least_ms":0.005,"share_of_bound":0.25,"dearest":[)"
      R"({"name":"conv1","op":"conv2d","macs":500000,"bytes":30000,"ms":0.01,"least_ms":0.004,)"
      R"("gmacs_per_s":50.0,"gb_per_s":3.0}]},"peer_runtime":"Fake","peer_version":"1.2","peer_providers":["A"],)"
      R"("peer_nodes":{"QLinearConv":3,"Conv":1,"QLinearAdd":2},"peer_int8_nodes":5,)"
      R"("peer_float_nodes":1,"peer_int8_products":3,"peer_float_products":1}])");
}

}  // namespace
}  // namespace vta::tools
