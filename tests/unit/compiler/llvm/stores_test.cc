// Blocks that store several values: what they give by hand, and native code against the
// interpreter.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/loop/random_schedule.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::llvm {
namespace {

constexpr double kStoresTolerance = 1e-5;

/// The largest of each row and where it first is, the row's sum and its sum of squares.
constexpr char kRows[] = R"(
func rows(x: float32[3, 5], best: float32[3], index: int64[3], sum: float32[3],
          squares: float32[3]) {
  for n in 3 { for k in 5 { block row(vn: 3 = n, reduce vk: 5 = k) {
    init best[vn] = -inff
    init index[vn] = -1
    init sum[vn] = 0f
    init squares[vn] = 0f
    best[vn] = max(best[vn], x[vn, vk])
    index[vn] = select(best[vn] < x[vn, vk], vk, index[vn])
    sum[vn] = sum[vn] + x[vn, vk]
    squares[vn] = squares[vn] + x[vn, vk] * x[vn, vk]
  } } }
})";

constexpr char kArgMax[] = R"(
func argmax(x: float32[13, 35], best: float32[13], index: int64[13]) {
  for n in 13 { for k in 35 { block best(vn: 13 = n, reduce vk: 35 = k) {
    init index[vn] = -1
    init best[vn] = -inff
    best[vn] = max(best[vn], x[vn, vk])
    index[vn] = select(best[vn] < x[vn, vk], vk, index[vn])
  } } }
})";

constexpr char kMoments[] = R"(
func moments(x: float32[13, 35], mean: float32[13], power: float32[13]) {
  alloc sum: float32[13]
  alloc squares: float32[13]
  for n in 13 { for k in 35 { block sum(vn: 13 = n, reduce vk: 35 = k) {
    init sum[vn] = 0f
    init squares[vn] = 0f
    sum[vn] = sum[vn] + x[vn, vk]
    squares[vn] = squares[vn] + x[vn, vk] * x[vn, vk]
  } } }
  for n in 13 { block mean(vn: 13 = n) where n < 12 {
    mean[vn] = sum[vn] / 35f
    power[vn] = squares[vn] / 35f
  } }
})";

// Values and an index that are overwritten by what they make.
constexpr char kExchange[] = R"(
func exchange(a: int32[37], b: int32[37], c: int32[37], at: int32[37]) {
  for i in 37 { block b(v: 37 = i) where i < 35 {
    a[v] = b[v]
    b[v] = a[v]
  } }
  for i in 37 { block at(v: 37 = i) {
    at[v] = 0i32
    c[int64(at[v]) % 37] = a[v] + 1i32
  } }
  for i in 37 { block fibonacci(reduce v: 37 = i) {
    a[0] = a[0] + at[0]
    at[0] = a[0]
  } }
})";

struct ScheduledStores {
  const char *function, *steps;
};

/// Tails behind branches and masks, lanes, copies, tasks, registers.
constexpr ScheduledStores kScheduledStores[] = {
    {kRows, "vectorize row n"},
    {kArgMax, ""},
    {kArgMax, "vectorize best n"},
    {kArgMax, "reorder best k n\nvectorize best n\ndecompose_reduction best k"},
    {kArgMax, "split best n 4\nreorder best no k ni\nvectorize best ni\nparallel best no"},
    {kArgMax,
     "split best n 8\nreorder best no k ni\nvectorize best ni\ndecompose_reduction best k"},
    {kArgMax, "split best k 4\nunroll best ki\nparallel best n\ndecompose_reduction best ko"},
    {kMoments, ""},
    {kMoments, "vectorize sum n\nvectorize mean n"},
    {kMoments,
     "set_scope sum local\nset_scope squares local\nreorder sum k n\nunroll sum n\n"
     "decompose_reduction sum k\nunroll sum_init n\nunroll mean n"},
    {kMoments,
     "split sum n 5\nreorder sum no k ni\nvectorize sum ni\ndecompose_reduction sum k\n"
     "vectorize sum_init ni\nset_scope sum local\nset_stride squares 3\nsplit mean n 4\n"
     "vectorize mean ni"},
    {kExchange, ""},
    {kExchange, "vectorize b i"},
    {kExchange, "split b i 8\nvectorize b ii\nunroll b io"},
};

loop::Function Apply(const ScheduledStores& s) {
  loop::Schedule schedule(loop::Parse(s.function));
  schedule.Replay(s.steps);
  return schedule.function();
}

void ExpectNoDifference(const std::vector<Trial>& trials) {
  for (const Machine& machine : RunnableMachines()) {
    const std::vector<std::string> differences = Differences(trials, machine);
    for (size_t i = 0; i < trials.size(); ++i)
      EXPECT_EQ(differences[i], "") << machine.tune_cpu << ", " << machine.vector_bits << " bits\n"
                                    << Print(trials[i].function);
  }
}

TEST(SeveralStores, GiveWhatIsFoundByHand) {
  std::vector<float> x = {1, 3, 3, 2, -1, -5, -2, -9, -2, -7, 4, 4, 4, 4, 4};
  const auto expect = [&](const std::function<void(std::span<const std::span<std::byte>>)>& run) {
    std::vector<float> best(3), sum(3), squares(3);
    std::vector<int64_t> index(3);
    const std::span<std::byte> args[] = {loop::Bytes(x), loop::Bytes(best), loop::Bytes(index),
                                         loop::Bytes(sum), loop::Bytes(squares)};
    run(args);
    EXPECT_EQ(best, (std::vector<float>{3, -2, 4}));
    EXPECT_EQ(index, (std::vector<int64_t>{1, 1, 0}));
    EXPECT_EQ(sum, (std::vector<float>{8, -25, 20}));
    EXPECT_EQ(squares, (std::vector<float>{24, 163, 80}));
  };
  for (const char* steps : {"", "vectorize row n", "reorder row k n\nunroll row n",
                            "split row n 2\nparallel row no\ndecompose_reduction row k"}) {
    SCOPED_TRACE(steps);
    const loop::Function function = Apply({kRows, steps});
    expect([&](auto args) { loop::Interpreter(function).Run(args); });
    for (const Machine& machine : RunnableMachines()) {
      const NativeModule module({function}, machine);
      expect([&](auto args) { module.Run(0, args); });
    }
  }
}

TEST(SeveralStores, ScheduledFunctionsComputeTheSame) {
  std::vector<Trial> trials;
  for (const ScheduledStores& s : kScheduledStores) {
    const loop::Function function = Apply(s);
    trials.push_back({function, RandomArguments(function, 3), kStoresTolerance});
  }
  ExpectNoDifference(trials);
}

TEST(SeveralStores, RandomSchedulesComputeTheSame) {
  std::vector<Trial> trials;
  // VTA_LOOP_TRACES=1000 for a long search.
  const char* wish = std::getenv("VTA_LOOP_TRACES");
  const uint32_t traces = wish ? std::atoi(wish) : 5;
  for (const char* text : {kArgMax, kMoments})
    for (uint32_t seed = 0; seed < traces; ++seed) {
      const loop::Function function = RandomSchedule(loop::Parse(text), seed).function();
      if (!IsKernel(function)) continue;
      trials.push_back({function, RandomArguments(function, seed), kStoresTolerance});
    }
  EXPECT_GT(trials.size(), 2 * traces * 9 / 10);
  ExpectNoDifference(trials);
}

TEST(SeveralStores, LinkWithoutImportsElsewhere) {
  std::vector<lower::Kernel> kernels;
  for (const ScheduledStores& s : kScheduledStores) {
    loop::Function function = Apply(s);
    function.name = StrCat("k", kernels.size());
    kernels.push_back(lower::PlanKernel(function));
  }
  for (const Machine& machine : OtherMachines())
    EXPECT_NO_THROW(BuildModule(kernels, machine)) << machine.triple << " " << machine.tune_cpu;
}

}  // namespace
}  // namespace vta::compiler::llvm
