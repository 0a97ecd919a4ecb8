// Schedules of samples in flight against those made by hand.
#include "runtime/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;

TimedStep Device(int64_t ns) { return {Worker::kDevice, nanoseconds(ns)}; }
TimedStep Host(int64_t ns) { return {Worker::kHost, nanoseconds(ns)}; }
SampleTime From(int64_t begin, int64_t end) { return {nanoseconds(begin), nanoseconds(end)}; }

TEST(ScheduleTest, OneInFlightIsOneAfterTheOther) {
  const TimedStep steps[] = {Device(3), Host(2)};
  EXPECT_THAT(ScheduleSamples(steps, 3, 1), ElementsAre(From(0, 5), From(5, 10), From(10, 15)));
}

// device 000111222    host ...00.11.22
TEST(ScheduleTest, TwoInFlightKeepTheDeviceBusy) {
  const TimedStep steps[] = {Device(3), Host(2)};
  EXPECT_THAT(ScheduleSamples(steps, 3, 2), ElementsAre(From(0, 5), From(0, 8), From(5, 11)));
}

// device 0011...22    host ..000001111122222
TEST(ScheduleTest, OrTheHost) {
  const TimedStep steps[] = {Device(2), Host(5)};
  EXPECT_THAT(ScheduleSamples(steps, 3, 2), ElementsAre(From(0, 7), From(0, 12), From(7, 17)));
}

// host 01.0.1.2...2    device .00110011.22.22: sample 0 finds the device taken from 4 to 5, for
// what has begun is not put aside.
TEST(ScheduleTest, StepsInTurnMeetOnBothSides) {
  const TimedStep steps[] = {Host(1), Device(2), Host(1), Device(2)};
  EXPECT_THAT(ScheduleSamples(steps, 3, 2), ElementsAre(From(0, 7), From(0, 9), From(7, 14)));
}

TEST(ScheduleTest, TheEarlierSampleGoesFirst) {
  const TimedStep steps[] = {Device(1), Device(1)};
  EXPECT_THAT(ScheduleSamples(steps, 3, 3), ElementsAre(From(0, 2), From(0, 4), From(0, 6)));
}

TEST(ScheduleTest, EndsWithoutStepsOrTime) {
  EXPECT_THAT(ScheduleSamples({}, 2, 2), ElementsAre(From(0, 0), From(0, 0)));
  const TimedStep steps[] = {Device(0), Host(0), Device(4)};
  EXPECT_THAT(ScheduleSamples(steps, 2, 2), ElementsAre(From(0, 4), From(0, 8)));
  EXPECT_THAT(ScheduleSamples(steps, 0, 2), ElementsAre());
  const Throughput none = SteadyThroughput({}, 2);
  EXPECT_EQ(none.per_second(), 0);
}

TEST(ThroughputTest, IsThatOfTheWorkerWithMoreToDo) {
  const TimedStep steps[] = {Device(3), Host(2)};
  Throughput t = SteadyThroughput(steps, 2);
  EXPECT_EQ(t.alone, nanoseconds(5));
  EXPECT_EQ(t.period, nanoseconds(3));
  EXPECT_EQ(t.latency, nanoseconds(6));  // begins with the end of the last but one
  EXPECT_DOUBLE_EQ(t.device_busy, 1);
  EXPECT_DOUBLE_EQ(t.host_busy, 2.0 / 3);
  EXPECT_DOUBLE_EQ(t.per_second(), 1e9 / 3);
  t = SteadyThroughput(steps, 1);
  EXPECT_EQ(t.period, nanoseconds(5));
  EXPECT_EQ(t.latency, nanoseconds(5));
  EXPECT_DOUBLE_EQ(t.device_busy, 0.6);
}

TEST(ThroughputTest, NoWorkerIsBusyForMoreThanAllOfTheTime) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<TimedStep> steps;
    for (uint32_t left = 2 + random() % 8; left > 0; --left) {
      const auto time = static_cast<int64_t>(random() % (random() % 4 == 0 ? 100000 : 1000));
      steps.push_back(random() % 2 == 0 ? Host(time) : Device(time));
    }
    const Throughput t = SteadyThroughput(steps, 1 + random() % 4);
    EXPECT_LE(std::max(t.device_busy, t.host_busy), 1);
    EXPECT_LE(t.period, t.alone);
  }
}

}  // namespace
}  // namespace vta::runtime
