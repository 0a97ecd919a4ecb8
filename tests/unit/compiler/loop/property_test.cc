// Random schedules: whatever the primitives accept computes the same integers as plain C++ loops,
// prints and parses to the same text, and replays from its trace to the same text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "tests/unit/compiler/loop/random_schedule.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::loop {
namespace {

TEST(StepMemos, OneOfEachFunction) {
  StepMemos memos;
  const auto first = memos.Of("first");
  EXPECT_EQ(memos.Of("first"), first);
  EXPECT_NE(memos.Of("second"), first);
  for (int i = 0; i < 1000; ++i) memos.Of(std::to_string(i));  // more than it keeps
  EXPECT_EQ(memos.Of("999"), memos.Of("999"));
}

class Property : public testing::TestWithParam<int> {};

TEST_P(Property, RandomSchedulesComputeTheSame) {
  Workload w = Workloads()[GetParam()];
  // VTA_LOOP_TRACES=100000 for a long search.
  const char* wish = std::getenv("VTA_LOOP_TRACES");
  const bool rare = w.name == "joined" || w.name == "bordered";  // few of them write in place
  const int traces = wish ? std::atoi(wish) : rare ? 300 : 60;
  std::map<std::string, int> accepted;
  StepMemos memos;
  for (int seed = 0; seed < traces; ++seed) {
    const Schedule schedule = RandomSchedule(w.function, seed * 5 + GetParam());
    for (const Step& step : schedule.trace()) ++accepted[step.primitive];
    const Function& f = schedule.function();
    std::vector<int32_t> got(w.want.size(), -1);
    ASSERT_NO_THROW(RunOn(f, w.a, w.b, got)) << schedule.TraceText() << Print(f);
    ASSERT_EQ(got, w.want) << w.name << " seed " << seed << "\n"
                           << schedule.TraceText() << Print(f);
    ASSERT_EQ(Print(Parse(Print(f))), Print(f));
    ASSERT_NO_THROW(Verify(Parse(Print(f))));
    Schedule again(w.function);
    again.Replay(schedule.TraceText());
    ASSERT_EQ(Print(again.function()), Print(f));
    // Steps that schedules before had at their beginning are not applied again.
    Schedule remembering(w.function, {}, Verified::kNever, memos.Of(w.name));
    remembering.Replay(schedule.TraceText());
    ASSERT_EQ(Print(remembering.function()), Print(f));
  }
  if (wish)
    for (const auto& [primitive, count] : accepted)
      std::printf("%s %s %d\n", w.name.c_str(), primitive.c_str(), count);
  // Each primitive that can apply to the workload did.
  std::set<std::string> must = {"split",       "split_parts",      "fuse",           "reorder",
                                "tile",        "unroll",           "annotate",       "cache_read",
                                "cache_write", "compute_at",       "virtual_thread", "vectorize",
                                "set_stride",  "transform_layout", "storage_align"};
  if (w.name == "conv" || w.name == "depthwise") must.insert("pad");
  const bool sums = w.name != "chain" && w.name != "bordered";
  if (sums) must.insert({"decompose_reduction", "parallel"});
  if (w.name == "matmul" || w.name == "chain") must.insert("reverse_compute_at");
  if (w.name == "chain") must.insert("double_buffer");
  if (w.name == "joined" || w.name == "conv") must.insert("rfactor");
  if (!sums) must.insert({"inplace", "compute_inline"});
  if (w.name == "joined") must.insert("inplace");
  for (const std::string& primitive : must) EXPECT_GT(accepted[primitive], 0) << primitive;
}

INSTANTIATE_TEST_SUITE_P(Workloads, Property, testing::Range(0, 9));

}  // namespace
}  // namespace vta::compiler::loop
