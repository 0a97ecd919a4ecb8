// vta_fifo, vta_queue and vta_tokens against what they are.
#include <gtest/gtest.h>

#include <deque>

#include "isa/support/error.h"
#include "tests/rtl/bench/bench_test.h"

namespace vta::test {
namespace {

class QueuesTest : public BenchTest {
 protected:
  // Random pushes, pops and clears, never where there is no room or nothing to pop. A word pushed
  // behind others can be popped `latency` cycles later at the earliest, one behind nothing in the
  // next cycle. It is full with `least` words at least, and with `most` at the latest.
  void RunQueue(const std::string& name, size_t least, size_t most, int64_t latency) {
    struct Entry {
      uint32_t value;
      int64_t from;
    };
    std::deque<Entry> model;
    int64_t full = 0;
    bench_->Reset();
    for (int64_t cycle = 0; cycle < 6000; ++cycle) {
      const bool busy = cycle / 50 % 2;  // long stretches fill and drain it
      bench_->Settle();
      const bool valid = !model.empty() && model.front().from <= cycle;
      ASSERT_EQ(bench_->Get(name + "_valid_o"), valid) << cycle;
      if (valid) {
        ASSERT_EQ(bench_->Get(name + "_data_o"), model.front().value) << cycle;
      }
      if (bench_->Get(name + "_full_o")) {
        ++full;
        ASSERT_GE(model.size(), least);
      } else {
        ASSERT_LT(model.size(), most);
      }
      const bool push = !bench_->Get(name + "_full_o") && !OneIn(busy ? 8 : 3);
      const bool pop = valid && OneIn(busy ? 4 : 2);
      const bool clear = OneIn(400);
      const uint32_t value = static_cast<uint32_t>(random_());
      bench_->Set(name + "_push_i", push);
      bench_->Set(name + "_pop_i", pop);
      bench_->Set(name + "_clear_i", clear);
      bench_->Set(name + "_data_i", value);
      bench_->Clock();
      if (pop) {
        model.pop_front();
        // The next word comes to the head in the cycle of the pop.
        if (!model.empty()) model.front().from = std::max(model.front().from, cycle + 1);
      }
      if (push) model.push_back({value, cycle + (model.empty() ? 1 : latency)});
      if (clear) model.clear();
    }
    EXPECT_GT(full, 100);
  }
};

TEST_P(QueuesTest, QueueInRegisters) { RunQueue("queue", 4, 4, 1); }

TEST_P(QueuesTest, QueueInABlockMemory) { RunQueue("fifo", 8, 10, 3); }

TEST_P(QueuesTest, TokensCountUpToTheCapacity) {
  const auto capacity = static_cast<uint64_t>(GetParam().arch.token_capacity);
  uint64_t count = 0;
  int64_t full = 0;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    bench_->Settle();
    ASSERT_EQ(bench_->Get("tokens_some_o"), count > 0);
    ASSERT_EQ(bench_->Get("tokens_space_o"), count < capacity);
    full += count == capacity;
    const bool push = count < capacity && OneIn(2), pop = count > 0 && OneIn(2), clear = OneIn(200);
    bench_->Set("tokens_push_i", push);
    bench_->Set("tokens_pop_i", pop);
    bench_->Set("tokens_clear_i", clear);
    bench_->Clock();
    count = clear ? 0 : count + push - pop;
  }
  EXPECT_GT(full, 100);
}

// What the modules' assertions refuse.
TEST_P(QueuesTest, AssertionsMeetMisuse) {
  for (const std::string name : {"tokens", "queue", "fifo"}) {
    bench_->Reset();
    bench_->Set(name + "_pop_i", 1);
    EXPECT_THROW(bench_->Clock(), Error) << name << " popped while empty";
    bench_->Set(name + "_pop_i", 0);
    bench_->Reset();
    bench_->Set(name + "_push_i", 1);
    EXPECT_THROW(for (int i = 0; i < 12; ++i) bench_->Clock(), Error)
        << name << " pushed while full";
    bench_->Set(name + "_push_i", 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, QueuesTest, testing::ValuesIn(BenchConfigs()), ConfigName);

}  // namespace
}  // namespace vta::test
