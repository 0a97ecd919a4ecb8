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
  const Json json = Json::Parse(PerfettoJson(timeline, layout, names), "trace");

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
  EXPECT_EQ(text(1), "launches: a \"quoted\" layer at 100 for 90");
  EXPECT_EQ(text(2), "store: store.out at 20 for 5");
  EXPECT_EQ(text(3), "compute: finish at 10 for 20");
  EXPECT_EQ(text(4), "compute, beside: finish at 24 for 16");
  EXPECT_EQ(text(5), "compute: finish at 30 for 20");
  EXPECT_EQ(text(6), "store waits for: token of compute->store at 14 for 6");
  EXPECT_EQ(*slices[2]->Find("args")->Find("address")->as_string(), "0x1030");
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(*counters[0]->Find("args")->Find("read")->as_int(), 2);
  EXPECT_EQ(*counters[0]->Find("args")->Find("written")->as_double(), 0.5);
}

}  // namespace
}  // namespace vta::sim
