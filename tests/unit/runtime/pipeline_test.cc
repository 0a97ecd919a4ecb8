// Samples in flight: outputs as of one after the other, in order; steps that overlap; errors that
// name their sample and leave the others alone.
#include "runtime/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kPatience = seconds(20);  // before a test fails instead of hanging

// Waits until the other side is where it is to be; false when it never is.
bool Await(const std::function<bool()>& there) {
  const auto end = steady_clock::now() + kPatience;
  while (!there()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// What began and ended, in this order.
struct Meeting {
  std::atomic<int64_t> launches = 0, kernels = 0;  // begun
  std::atomic<int64_t> samples = 0;
  std::mutex mutex;
  std::vector<std::string> log;
  void Say(const std::string& what, int64_t sample) {
    const std::scoped_lock lock(mutex);
    log.push_back(StrCat(what, " ", sample));
  }
};

// An accelerator that is not done with sample n + 1 before the kernel of sample n has begun.
class SlowDevice : public driver::FunctionalDevice {
 public:
  explicit SlowDevice(Meeting& meeting) : FunctionalDevice(TinyConfig()), meeting_(meeting) {}
  void Launch(const isa::LaunchRequest& request) override {
    FunctionalDevice::Launch(request);
    meeting_.Say("launch", meeting_.launches);
    ++meeting_.launches;
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    const int64_t sample = meeting_.launches - 1;
    EXPECT_TRUE(Await([&] { return meeting_.kernels >= sample; }));
    meeting_.Say("done", sample);
    return FunctionalDevice::Wait(limit);
  }

 private:
  Meeting& meeting_;
};

// A kernel that does not end before the next sample was launched.
class SlowNegate : public Negate {
 public:
  explicit SlowNegate(Meeting& meeting) : meeting_(meeting) {}
  void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
           int64_t last) const override {
    if (first == 0) {
      meeting_.Say("kernel", meeting_.kernels);
      ++meeting_.kernels;
    }
    const int64_t sample = meeting_.kernels - 1;
    if (sample + 1 < meeting_.samples) {
      EXPECT_TRUE(Await([&] { return meeting_.launches > sample + 1; }));
    }
    Negate::Run(kernel, tensors, workspace, first, last);
    if (last == 3) meeting_.Say("end", sample);
  }

 private:
  Meeting& meeting_;
};

// Fails, or never ends, in one launch.
class Flaky : public driver::FunctionalDevice {
 public:
  enum class How { kThrows, kThrowsInWait, kFaults };
  Flaky(int64_t bad, How how) : FunctionalDevice(TinyConfig()), bad_(bad), how_(how) {}
  void Launch(const isa::LaunchRequest& request) override {
    if (Fails(How::kThrows)) {
      ++launches_;
      throw Error("device flaky", "", "", "is not there");
    }
    FunctionalDevice::Launch(request);
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    isa::LaunchResult result = FunctionalDevice::Wait(limit);
    if (Fails(How::kFaults)) result.outcome = isa::Outcome::kFault;
    const bool throws = Fails(How::kThrowsInWait);
    ++launches_;
    if (throws) throw Error("device flaky", "", "", "is not there");
    return result;
  }

 private:
  bool Fails(How how) const { return how == how_ && launches_ == bad_; }
  int64_t bad_, launches_ = 0;
  How how_;
};

std::vector<Tensors> SomeSamples(int64_t count) {
  std::vector<Tensors> samples;
  for (int64_t i = 0; i < count; ++i)
    samples.push_back({{static_cast<uint8_t>(i), 1, 2, 3, 4, 5, 6, 7}});
  return samples;
}

void ExpectOutputs(std::span<const Flown> flown, int64_t first = 0) {
  for (size_t i = 0; i < flown.size(); ++i) {
    EXPECT_EQ(flown[i].sample, first + static_cast<int64_t>(i));
    EXPECT_THAT(flown[i].outputs, ElementsAre(ElementsAre(static_cast<uint8_t>(-(first + i + 5)),
                                                          250, 249, 248, 247, 246, 245, 244)));
  }
}

std::shared_ptr<const Model> Load(const KernelModule& kernels,
                                  isa::Package package = AddFiveThenNegate()) {
  return std::make_shared<Model>(std::move(package), "p.vta", ModelOptions{.kernels = &kernels});
}

TEST(PipelineTest, OutputsComeInOrderOnAnyMemory) {
  Negate negate;
  driver::FunctionalDevice mapped(TinyConfig());
  Unmapped unmapped(TinyConfig());
  for (driver::Device* device :
       {static_cast<driver::Device*>(&mapped), static_cast<driver::Device*>(&unmapped)})
    for (const int64_t in_flight : {1, 2, 5})
      for (const int64_t threads : {1, 3}) {
        Pipeline pipeline(Load(negate), device, {.in_flight = in_flight, .threads = threads});
        const std::vector<Flown> flown = pipeline.Run(SomeSamples(40));
        ASSERT_EQ(flown.size(), 40u);
        ExpectOutputs(flown);
        for (const Flown& one : flown) {
          EXPECT_EQ(one.profile.steps[0].counters.alu_uops, 1);
          EXPECT_GT(one.end, one.begin);
        }
      }
}

// Launch and kernel meet only where they run at the same time: each waits for the other.
TEST(PipelineTest, KernelsOfASampleRunBesideTheLaunchOfTheNext) {
  Meeting meeting;
  constexpr int64_t kSamples = 6;
  meeting.samples = kSamples;
  SlowDevice device(meeting);
  SlowNegate negate(meeting);
  Pipeline pipeline(Load(negate), &device, {.in_flight = 2, .threads = 1});
  ExpectOutputs(pipeline.Run(SomeSamples(kSamples)));
  const auto at = [&](const std::string& what, int64_t sample) {
    return std::ranges::find(meeting.log, StrCat(what, " ", sample)) - meeting.log.begin();
  };
  for (int64_t s = 0; s + 1 < kSamples; ++s) {
    EXPECT_LT(at("launch", s + 1), at("end", s));
    EXPECT_LT(at("kernel", s), at("done", s + 1));
    EXPECT_LT(at("done", s), at("launch", s + 1));  // one launch at a time
    EXPECT_LT(at("end", s), at("kernel", s + 1));   // and one kernel
  }
}

TEST(PipelineTest, OneInFlightOverlapsNothing) {
  Meeting meeting;  // which nobody waits for
  SlowDevice device(meeting);
  SlowNegate negate(meeting);
  Pipeline pipeline(Load(negate), &device, {.in_flight = 1, .threads = 1});
  pipeline.Run(SomeSamples(2));
  EXPECT_THAT(meeting.log, ElementsAre("launch 0", "done 0", "kernel 0", "end 0", "launch 1",
                                       "done 1", "kernel 1", "end 1"));
}

// Which of those in flight has the launch that fails is for the threads to settle.
TEST(PipelineTest, AnErrorNamesItsSampleAndTheOthersGoOn) {
  using enum Flaky::How;
  for (const auto& [how, message] :
       {std::pair{kThrows, "p.vta: step 0 plus5 (add 2x4): device flaky: is not there"},
        {kThrowsInWait, "p.vta: step 0 plus5 (add 2x4): device flaky: is not there"},
        {kFaults, "p.vta: step 0 plus5 (add 2x4): program 0 did not finish: fault"}}) {
    Negate negate;
    Flaky device(3, how);
    Pipeline pipeline(Load(negate), &device, {.threads = 1});
    for (const Tensors& sample : SomeSamples(8)) pipeline.Submit(sample);
    std::vector<int64_t> failed;
    for (int64_t i = 0; i < 8; ++i) try {
        ExpectOutputs(std::vector{pipeline.Next()}, i);
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), StrCat("sample ", i, ": ", message));
        failed.push_back(i);
      }
    EXPECT_THAT(failed, ElementsAre(testing::AllOf(testing::Ge(2), testing::Le(4))));
    EXPECT_EQ(pipeline.waiting(), 0);
  }
}

TEST(PipelineTest, ARunEndsWithTheFirstErrorAndCanBeRepeated) {
  Negate negate;
  Flaky device(5, Flaky::How::kThrows);
  Pipeline pipeline(Load(negate), &device, {.in_flight = 3, .threads = 1});
  EXPECT_THAT(vta::ErrorOf([&] { pipeline.Run(SomeSamples(100)); }),
              testing::MatchesRegex("sample [3-7]: .*"));
  EXPECT_EQ(pipeline.waiting(), 0);
  const std::vector<Flown> again = pipeline.Run(SomeSamples(10));
  ASSERT_EQ(again.size(), 10u);
  EXPECT_EQ(again[9].outputs[0][0], static_cast<uint8_t>(-14));
}

TEST(PipelineTest, HonoursTheDeadline) {
  Negate negate;
  driver::FunctionalDevice device(TinyConfig());
  Pipeline pipeline(Load(negate), &device);
  pipeline.StopAt(steady_clock::now());
  EXPECT_EQ(vta::ErrorOf([&] { pipeline.Run(SomeSamples(9)); }),
            "sample 0: p.vta: step 0 plus5 (add 2x4): was stopped: the time for the run ended");
  pipeline.StopAt(Session::Deadline::max());
  EXPECT_EQ(pipeline.Run(SomeSamples(9)).size(), 9u);
}

TEST(PipelineTest, RefusesWhatItCannotFly) {
  Negate negate;
  driver::FunctionalDevice device(TinyConfig());
  const auto message_of = [&](int64_t in_flight) {
    return vta::ErrorOf([&] { Pipeline(Load(negate), &device, {.in_flight = in_flight}); });
  };
  EXPECT_EQ(message_of(0), "p.vta: samples in flight = 0: must be 1 to 64");
  EXPECT_EQ(message_of(65), "p.vta: samples in flight = 65: must be 1 to 64");
  Pipeline pipeline(Load(negate), &device);
  EXPECT_EQ(vta::ErrorOf([&] { pipeline.Submit({}); }), "p.vta: inputs = 0: the model has 1");
  EXPECT_EQ(vta::ErrorOf([&] {
              pipeline.Submit({{1, 2}});
            }),
            "p.vta: sample 0, input x = 2 bytes: must be 8 bytes of int8");
  EXPECT_EQ(pipeline.waiting(), 0);
}

TEST(PipelineTest, EverySampleInFlightTakesMemoryOfTheDevice) {
  Negate negate;
  const int64_t one = driver::MemoryFor(AddFiveThenNegate());
  driver::FunctionalDevice small(TinyConfig(), {.memory_bytes = one});
  EXPECT_EQ(vta::ErrorOf([&] { Pipeline(Load(negate), &small); }),
            "sample 2 of 2 in flight: device functional: memory = 96 bytes: the largest free range "
            "has 0");
  Pipeline alone(Load(negate), &small, {.in_flight = 1});
  driver::FunctionalDevice enough(TinyConfig(),
                                  {.memory_bytes = driver::MemoryFor(AddFiveThenNegate(), 2)});
  Pipeline pair(Load(negate), &enough);
  EXPECT_EQ(pair.Run(SomeSamples(4)).size(), 4u);
}

TEST(PipelineTest, MayGoWithSamplesInFlightAndWaiting) {
  for (int i = 0; i < 20; ++i) {
    Negate negate;
    driver::FunctionalDevice device(TinyConfig());
    Pipeline pipeline(Load(negate), &device, {.threads = 1});
    for (const Tensors& sample : SomeSamples(i)) pipeline.Submit(sample);
    if (i > 10) pipeline.Next();
  }
}

TEST(PipelineTest, NeedsNoDeviceWithoutPrograms) {
  Add add;
  Pipeline pipeline(Load(add, AddThree()), nullptr, {.threads = 2});
  const std::vector<Flown> flown = pipeline.Run(SomeSamples(5));
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(flown[i].outputs[0][0], i + 3);
}

TEST(ThroughputTest, ByWallTimeIsFromTheFirstBeginningToTheLastEnd) {
  const auto start = steady_clock::now();
  std::vector<Flown> flown(3);
  flown[0].begin = start, flown[0].end = start + seconds(2);
  flown[1].begin = start, flown[1].end = start + seconds(5);
  flown[2].begin = start + seconds(2), flown[2].end = start + seconds(6);
  const Throughput measured = Measured(flown, 2);
  EXPECT_EQ(measured.period, seconds(2));
  EXPECT_NEAR(measured.latency.count(), 11e9 / 3, 1);
}

TEST(ThroughputTest, ModelledTakesCyclesOfProgramsAndWallTimeOfKernels) {
  RunProfile profile;
  profile.steps.resize(2);
  profile.steps[0].wall = seconds(9);
  profile.steps[0].counters.time = isa::Time{.cycles = 600};
  profile.steps[1].wall = std::chrono::microseconds(2);
  const Throughput modelled = Modelled(AddFiveThenNegate(), profile, {TimeKind::kModelled, 200}, 2);
  EXPECT_EQ(modelled.alone, std::chrono::microseconds(5));
  EXPECT_EQ(modelled.period, std::chrono::microseconds(3));
}

}  // namespace
}  // namespace vta::runtime
