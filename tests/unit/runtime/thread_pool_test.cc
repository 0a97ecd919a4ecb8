// Every task runs once, whoever calls and whichever thread is held up; and nothing is allocated.
#include "runtime/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "isa/support/error.h"
#include "tests/unit/runtime/allocations.h"

namespace vta::runtime {
namespace {

struct Range {
  int64_t first = -1, last = -1;
  bool operator==(const Range&) const = default;
};

// What the calls were, by first task. No worker is in two calls.
std::vector<Range> RangesOf(ThreadPool& pool, int64_t tasks) {
  std::vector<Range> ranges;
  std::mutex mutex;
  std::vector<std::atomic<bool>> inside(static_cast<size_t>(pool.threads()));
  pool.Run(tasks, [&](int64_t worker, int64_t first, int64_t last) {
    if (inside.at(static_cast<size_t>(worker)).exchange(true)) std::abort();
    {
      const std::lock_guard lock(mutex);
      ranges.push_back({first, last});
    }
    inside[static_cast<size_t>(worker)] = false;
  });
  std::ranges::sort(ranges, {}, &Range::first);
  return ranges;
}

// Returns once `count` threads are here.
void Meet(std::atomic<int64_t>& here, int64_t count) {
  for (++here; here < count;) std::this_thread::yield();
}

TEST(ThreadPool, CoversTasksWithRanges) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.threads(), 4);
  using testing::ElementsAre;
  EXPECT_THAT(RangesOf(pool, 0), ElementsAre());
  EXPECT_THAT(RangesOf(pool, 1), ElementsAre(Range{0, 1}));
  EXPECT_THAT(RangesOf(pool, 3), ElementsAre(Range{0, 1}, Range{1, 2}, Range{2, 3}));
  // Parts of 10 and 9 tasks, in ranges of two (an eighth, rounded up).
  EXPECT_THAT(
      RangesOf(pool, 37),
      ElementsAre(Range{0, 2}, Range{2, 4}, Range{4, 6}, Range{6, 8}, Range{8, 10}, Range{10, 12},
                  Range{12, 14}, Range{14, 16}, Range{16, 18}, Range{18, 19}, Range{19, 21},
                  Range{21, 23}, Range{23, 25}, Range{25, 27}, Range{27, 28}, Range{28, 30},
                  Range{30, 32}, Range{32, 34}, Range{34, 36}, Range{36, 37}));
  for (const int64_t tasks : {int64_t{1000}, INT64_MAX - 1, INT64_MAX}) {
    int64_t next = 0;
    for (const Range& range : RangesOf(pool, tasks)) {
      ASSERT_EQ(range.first, next);
      ASSERT_GT(range.last, next);
      next = range.last;
    }
    EXPECT_EQ(next, tasks);
  }
}

TEST(ThreadPool, TheCallerIsWorkerZero) {
  ThreadPool pool(3);
  std::thread::id ids[3];
  std::atomic<int64_t> here = 0;
  pool.Run(3, [&](int64_t worker, int64_t first, int64_t) {
    EXPECT_EQ(worker, first) << "each has its own part while none is late";
    ids[worker] = std::this_thread::get_id();
    Meet(here, 3);
  });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ((std::set<std::thread::id>(ids, ids + 3).size()), 3u);
}

TEST(ThreadPool, OneThreadIsTheCallerAlone) {
  ThreadPool pool(1);
  EXPECT_THAT(RangesOf(pool, 500), testing::ElementsAre(Range{0, 500}));
}

TEST(ThreadPool, AHeldUpThreadHoldsUpItsRangeAlone) {
  ThreadPool pool(2);
  for (const int64_t held : {0, 32}) {  // the first of the caller's part, and of the other's
    std::atomic<int64_t> done = 0;
    std::atomic<int64_t> here = 0;
    pool.Run(64, [&](int64_t, int64_t first, int64_t last) {
      ASSERT_EQ(last - first, 4);
      if (first % 32 == 0 && here < 2) Meet(here, 2);
      if (first == held) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (done < 60 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        EXPECT_EQ(done, 60) << "the other thread does all else";
      }
      done += last - first;
    });
    EXPECT_EQ(done, 64);
  }
}

TEST(ThreadPool, AllAreDoneWhenRunReturns) {
  ThreadPool pool(5);
  std::vector<int64_t> sums(1000);  // plain memory: what is written must be seen, without a race
  for (int64_t round = 1; round <= 3000; ++round) {
    pool.Run(round % 13, [&](int64_t, int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) sums[static_cast<size_t>(i)] += round;
    });
    for (int64_t i = 0; i < round % 13; ++i) sums[static_cast<size_t>(i)] -= round;
  }
  for (const int64_t sum : sums) ASSERT_EQ(sum, 0);
}

TEST(ThreadPool, WakesThreadsThatSleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int64_t> done = 0;
    std::atomic<int64_t> here = 0;
    pool.Run(3, [&](int64_t worker, int64_t, int64_t) {
      Meet(here, 3);
      if (worker == 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++done;
    });
    ASSERT_EQ(done, 3);
  }
}

TEST(ThreadPool, AllocatesNothingWhileRunning) {
  ThreadPool pool(4);
  std::atomic<int64_t> done = 0;
  const auto count = [&](int64_t, int64_t first, int64_t last) { done += last - first; };
  pool.Run(4, count);
  const int64_t before = test::Allocations();
  for (int64_t round = 0; round < 500; ++round) {
    if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.Run(round % 9, count);
  }
  EXPECT_EQ(test::Allocations(), before);
  ::operator delete(::operator new(1));
  EXPECT_EQ(test::Allocations(), before + 1) << "they are counted";
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(3);
  std::atomic<int> together = 0;
  std::vector<std::thread> sessions;
  std::vector<int64_t> totals(4);
  std::atomic<int> inside[4] = {};
  for (size_t s = 0; s < totals.size(); ++s)
    sessions.emplace_back([&, s] {
      for (int round = 0; round < 300; ++round) {
        std::atomic<int64_t> tasks = 0;
        pool.Run(7, [&](int64_t, int64_t first, int64_t last) {
          ++inside[s];
          for (size_t other = 0; other < totals.size(); ++other)
            if (other != s && inside[other] != 0) ++together;
          tasks += last - first;
          --inside[s];
        });
        totals[s] += tasks;
      }
    });
  for (std::thread& session : sessions) session.join();
  EXPECT_EQ(together, 0);
  EXPECT_THAT(totals, testing::Each(2100));
}

TEST(ThreadPool, GivesBackWhatACallThrows) {
  ThreadPool pool(3);
  for (const int64_t thrower : {0, 2}) {
    std::atomic<int64_t> others = 0;
    EXPECT_THROW(pool.Run(3,
                          [&](int64_t, int64_t task, int64_t) {
                            if (task == thrower) throw std::runtime_error("broken");
                            ++others;
                          }),
                 std::runtime_error);
    EXPECT_EQ(others, 2);
    EXPECT_EQ(RangesOf(pool, 3).size(), 3u);
  }
}

TEST(ThreadPool, EndsWithoutHavingRun) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(3);
}

TEST(ThreadPool, RefusesOtherNumbersOfThreads) {
  for (const auto& [threads, text] :
       {std::pair<int64_t, const char*>{0, "0"}, {-1, "-1"}, {1025, "1025"}}) {
    try {
      ThreadPool pool(threads);
      ADD_FAILURE() << threads;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), StrCat("threads = ", text, ": must be 1 to 1024"));
    }
  }
}

TEST(AvailableCpus, AreThoseOfTheAffinity) {
  const int64_t all = AvailableCpus();
  EXPECT_GE(all, 1);
  std::thread([] {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
      if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(AvailableCpus(), 1);
  }).join();
  EXPECT_EQ(AvailableCpus(), all);
}

}  // namespace
}  // namespace vta::runtime
