// A timeline as a viewer's JSON.
#include <gtest/gtest.h>

#include "isa/codec.h"
#include "isa/support/json.h"
#include "sim/trace/perfetto.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

TEST(Perfetto, NamesTracksLaunchesInstructionsAndWaits) {
  const isa::Layout layout(SmallConfig());
  Timeline timeline;
  timeline.launches = {{10, 90}, {100, 190}};
  timeline.instructions.push_back(
      {{20, 25}, isa::Module::kStore, 3, 0x1030, isa::Encode(layout, StoreOf(1, 2, 3))});
  for (const Slice& slice : {Slice{10, 30}, Slice{24, 40}, Slice{30, 50}})
    timeline.instructions.push_back(
        {slice, isa::Module::kCompute, 4, 0x1040, isa::Encode(layout, Finish())});
  timeline.stalls.push_back(
      {{14, 20}, isa::Module::kStore, Stall::kToken, isa::Queue::kComputeToStore});
  timeline.bus = {{11, 0, 0}, {267, 512, 128}};
  const std::string names[] = {"a \"quoted\" layer"};
  const Json json =
      Json::Parse(PerfettoJson(timeline, layout, NamedLaunches(timeline, names)).json, "trace");

  std::vector<std::string> tracks(32);
  std::vector<const Json*> slices, counters;
  for (const Json& event : *json.Find("traceEvents")->as_array()) {
    const std::string& kind = *event.Find("ph")->as_string();
    if (kind == "X") slices.push_back(&event);
    if (kind == "C") counters.push_back(&event);
    if (*event.Find("name")->as_string() == "thread_name")
      tracks[static_cast<size_t>(*event.Find("tid")->as_int())] =
          *event.Find("args")->Find("name")->as_string();
  }
  const auto text = [&](size_t slice) {
    const Json& event = *slices.at(slice);
    return StrCat(tracks[static_cast<size_t>(*event.Find("tid")->as_int())], ": ",
                  *event.Find("name")->as_string(), " at ", *event.Find("ts")->as_int(), " for ",
                  *event.Find("dur")->as_int());
  };
  ASSERT_EQ(slices.size(), 7u);
  EXPECT_EQ(text(0), "launches: a \"quoted\" layer at 10 for 80");
  EXPECT_EQ(text(1), "compute: finish at 10 for 20");
  EXPECT_EQ(text(2), "store waits for: token of compute->store at 14 for 6");
  EXPECT_EQ(text(3), "store: store.out at 20 for 5");
  EXPECT_EQ(text(4), "compute, beside: finish at 24 for 16");
  EXPECT_EQ(text(5), "compute: finish at 30 for 20");
  EXPECT_EQ(text(6), "launches: a \"quoted\" layer at 100 for 90");
  EXPECT_EQ(*slices[3]->Find("args")->Find("address")->as_string(), "0x1030");
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(*counters[0]->Find("args")->Find("read")->as_int(), 2);
  EXPECT_EQ(*counters[0]->Find("args")->Find("written")->as_double(), 0.5);
}

// A LOAD whose token a GEMM pops, and why compute waits for it.
Timeline WithToken(const isa::Layout& layout) {
  isa::Instruction load = LoadOf(isa::MemoryType::kInp, 0, 0, 1),
                   gemm = Loop(isa::Opcode::kGemm, 0, 1);
  load.push_next = gemm.pop_prev = 1;
  Timeline timeline;
  timeline.launches = {{0, 60}};
  timeline.instructions.push_back({{5, 20}, isa::Module::kLoad, 0, 0, isa::Encode(layout, load)});
  timeline.instructions.push_back(
      {{23, 40}, isa::Module::kCompute, 1, 16, isa::Encode(layout, gemm)});
  timeline.causes = {{{0, 9}, isa::kFetchUnit, isa::Cause::kSpace},
                     {{4, 23}, 2, isa::Cause::kToken, isa::Queue::kLoadToCompute, 1, 0}};
  timeline.stalls.push_back({{4, 22}, isa::Module::kCompute, Stall::kToken});
  return timeline;
}

TEST(Perfetto, TokensAreArrowsAndCausesStandForStalls) {
  const isa::Layout layout(SmallConfig());
  const Timeline timeline = WithToken(layout);
  const PerfettoTrace trace = PerfettoJson(timeline, layout, NamedLaunches(timeline, {}));
  EXPECT_EQ(trace.cut_cycle, std::nullopt);
  const Json json = Json::Parse(trace.json, "trace");
  std::vector<std::string> tracks(32), seen;
  for (const Json& event : *json.Find("traceEvents")->as_array()) {
    const std::string& kind = *event.Find("ph")->as_string();
    const auto track = static_cast<size_t>(*event.Find("tid")->as_int());
    const std::string& name = *event.Find("name")->as_string();
    if (name == "thread_name") tracks[track] = *event.Find("args")->Find("name")->as_string();
    if (kind == "M") continue;
    seen.push_back(
        StrCat(kind, " ", tracks[track], ": ", name, " at ", *event.Find("ts")->as_int()));
    if (kind == "s" || kind == "f") {
      EXPECT_EQ(*event.Find("id")->as_int(), 0);
    }
    if (kind == "f") {
      EXPECT_EQ(*event.Find("bp")->as_string(), "e");
    }
    if (name == "token load->compute") {
      EXPECT_EQ(*event.Find("args")->Find("instruction")->as_int(), 1);
      EXPECT_EQ(*event.Find("args")->Find("waits_for")->as_int(), 0);
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"X launches: launch 0 at 0", "X fetch, why: space at 0",
                                            "X compute, why: token load->compute at 4",
                                            "X load: load.inp at 5", "X compute: gemm at 23",
                                            "s load: load->compute at 19",
                                            "f compute: load->compute at 23"}));
}

TEST(Perfetto, ATraceThatIsTooLargeIsCutAndSaysSo) {
  const isa::Layout layout(SmallConfig());
  const Timeline timeline = WithToken(layout);
  const std::string whole = PerfettoJson(timeline, layout, {}).json;
  const auto most = static_cast<int64_t>(whole.find("load.inp"));
  const PerfettoTrace trace = PerfettoJson(timeline, layout, {}, "", most);
  EXPECT_EQ(trace.cut_cycle, 23);
  const Json json = Json::Parse(trace.json, "trace");
  const std::string note = StrCat("the trace is cut at cycle 23: it may have ", most, " bytes");
  EXPECT_EQ(*json.Find("otherData")->Find("cut")->as_string(), note);
  const Json& last = json.Find("traceEvents")->as_array()->back();
  EXPECT_EQ(*last.Find("name")->as_string(), note);
  EXPECT_EQ(*last.Find("ts")->as_int(), 23);
  EXPECT_EQ(trace.json.find("gemm"), std::string::npos);
  EXPECT_EQ(Json::Parse(whole, "trace").Find("otherData")->Find("cut"), nullptr);
}

}  // namespace
}  // namespace vta::sim
