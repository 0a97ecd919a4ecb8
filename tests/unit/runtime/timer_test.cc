// The timer: how many runs it makes, what it makes of their times, and whose time that is.
#include "runtime/timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "driver/functional/functional_device.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::ElementsAre;

// A simulator whose launches take 10, 20, 30, ... cycles.
class Counting : public driver::FunctionalDevice {
 public:
  explicit Counting(bool counts_cycles) : FunctionalDevice(TinyConfig()) {
    if (counts_cycles) id_.timing_hash = 1;
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    isa::LaunchResult result = FunctionalDevice::Wait(limit);
    ++launches;
    if (id_.timing_hash) result.counters.time = isa::Time{.cycles = 10 * launches};
    return result;
  }
  // As a board is: its time is that of its launches.
  void BecomeReal() { id_.is_simulated = false; }
  int64_t launches = 0;
};

// Runs of 1, 2, 3, ... microseconds.
struct Growing {
  nanoseconds operator()() { return microseconds(++runs); }
  int64_t runs = 0;
};

TEST(TimerTest, MeasurementsAreMeansOfTheirRuns) {
  Growing growing;
  const Timing timing = Measure({.number = 2, .repeat = 3}, std::ref(growing));
  // The first run warms up: 2 and 3, 4 and 5, 6 and 7.
  EXPECT_EQ(growing.runs, 7);
  EXPECT_EQ(timing.number, 2);
  EXPECT_THAT(timing.results, ElementsAre(2500, 4500, 6500));
  EXPECT_DOUBLE_EQ(timing.mean(), 4500);
  EXPECT_DOUBLE_EQ(timing.deviation(), 2000);  // sqrt((2000^2 + 0 + 2000^2) / 2)
  const Timing one = Measure({.number = 1, .repeat = 1}, std::ref(growing));
  EXPECT_EQ(one.results.size(), 1u);
  EXPECT_EQ(one.deviation(), 0);
}

TEST(TimerTest, RunsGrowUntilAMeasurementTakesLongEnough) {
  int64_t runs = 0;
  const auto run = [&] {
    ++runs;
    return microseconds(10);
  };
  // 1 run is 10 us; 11 more than a tenth above 100 us.
  Timing timing = Measure({.number = 1, .repeat = 2, .min_time = microseconds(100)}, run);
  EXPECT_EQ(timing.number, 11);
  EXPECT_EQ(runs, 1 + 1 + 11 + 11);
  EXPECT_THAT(timing.results, ElementsAre(10'000, 10'000));
  // Long enough as it is.
  runs = 0;
  timing = Measure({.number = 10, .repeat = 1, .min_time = microseconds(100)}, run);
  EXPECT_EQ(runs, 11);
  // Just too short: at least twice as many.
  timing = Measure({.number = 9, .repeat = 1, .min_time = microseconds(91)}, run);
  EXPECT_EQ(timing.number, 18);
}

TEST(TimerTest, EndsWhereRunsTakeNoTime) {
  int64_t runs = 0;
  const Timing timing = Measure({.number = 1, .repeat = 1, .min_time = milliseconds(1)}, [&] {
    ++runs;
    return nanoseconds(0);
  });
  EXPECT_EQ(timing.number, kMostTimerRuns);
  EXPECT_LT(runs, 4 * kMostTimerRuns);
}

TEST(TimerTest, RefusesWhatMakesNoMeasurement) {
  const auto message_of = [](const TimerOptions& options) {
    return vta::ErrorOf([&] { Measure(options, [] { return nanoseconds(1); }); });
  };
  EXPECT_EQ(message_of({.number = 0}), "timer: number = 0: must be 1 to 1000000");
  EXPECT_EQ(message_of({.repeat = 0}), "timer: repeat = 0: must be 1 to 1000000");
  EXPECT_EQ(message_of({.min_time = nanoseconds(-1)}),
            "timer: min_time = -1: must not be negative");
}

class TimerSessionTest : public testing::Test {
 protected:
  Timing TimeStep(driver::Device& device, int64_t step, const TimerOptions& options) {
    Session session(model_, &device, {.threads = 1});
    return MeasureStep(session, step, options);
  }
  Negate negate_;
  std::shared_ptr<const Model> model_ =
      std::make_shared<Model>(AddFiveThenNegate(), "p.vta", ModelOptions{.kernels = &negate_});
};

TEST_F(TimerSessionTest, OnASimulatorProgramsTakeItsCycles) {
  Counting device(true);
  const Timing timing = TimeStep(device, 0, {.number = 2, .repeat = 2});
  EXPECT_EQ(timing.clock.kind, TimeKind::kModelled);
  EXPECT_EQ(timing.clock.mhz, 100);
  // 20 and 30 cycles of 10 ns, then 40 and 50.
  EXPECT_THAT(timing.results, ElementsAre(250, 450));
  EXPECT_THAT(timing.clock.Text(), testing::StartsWith("cycles at 100 MHz, kernels by the clock"));
}

TEST_F(TimerSessionTest, KernelsTakeWallTimeEverywhere) {
  Counting device(true);
  negate_.sleep = milliseconds(2);
  const Timing timing = TimeStep(device, 1, {.number = 1, .repeat = 1});
  EXPECT_EQ(device.launches, 0);
  EXPECT_GE(timing.mean(), 2e6);
}

TEST_F(TimerSessionTest, SaysWhereTimeIsThatOfABoardOrOfASimulation) {
  Counting device(true);
  device.BecomeReal();
  EXPECT_EQ(TimeStep(device, 0, {}).clock.kind, TimeKind::kWall);
  Counting plain(false);
  const Timing timing = TimeStep(plain, 0, {});
  EXPECT_EQ(timing.clock.kind, TimeKind::kSimulation);
  EXPECT_EQ(timing.clock.Text(), "wall time of the simulation");
  EXPECT_GT(timing.mean(), 0);
}

TEST_F(TimerSessionTest, AWholeInferenceIsItsSteps) {
  Counting device(true);
  negate_.sleep = milliseconds(1);
  Session session(model_, &device, {.threads = 1});
  const std::vector<uint8_t> input(8);
  const std::span<const uint8_t> inputs[] = {input};
  const Timing timing = MeasureInference(session, inputs, {.number = 3, .repeat = 2});
  EXPECT_EQ(device.launches, 7);
  EXPECT_EQ(timing.clock.kind, TimeKind::kModelled);
  EXPECT_GE(timing.results[0], 1e6 + 10 * (20 + 30 + 40) / 3.0);
  // One step alone is no run: there are no outputs to be had by GetOutput.
  std::vector<uint8_t> output(8);
  session.GetOutput(0, output);
  session.RunStep(0);
  EXPECT_EQ(vta::ErrorOf([&] { session.GetOutput(0, output); }),
            "p.vta: output y: no run has made it");
}

}  // namespace
}  // namespace vta::runtime
