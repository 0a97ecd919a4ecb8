// A launch of the cycle model in steps, and with a memory of somebody else behind it, is the launch
// in one go.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "sim/memory/dram.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

using sim::cycle::Answer;
using sim::cycle::Core;
using sim::cycle::kNever;
using sim::cycle::Offer;

constexpr int kPrograms = 90;
constexpr const char* kConfigs[] = {
    "isa/configs/default.json",           "tests/rtl/configs/extended_8x8.json",
    "tests/rtl/configs/tiny_4x4.json",    "tests/rtl/configs/banks_8x8.json",
    "tests/rtl/configs/one_burst.json",   "tests/rtl/configs/one_beat.json",
    "tests/rtl/configs/latency_0.json",   "tests/rtl/configs/bus_512.json",
    "tests/rtl/configs/latency_500.json", "tests/rtl/configs/queues_2.json"};

struct Ended {
  isa::LaunchResult result;
  std::vector<std::array<int64_t, 4>> slices;  // module, index, begin, end
  bool operator==(const Ended&) const = default;
};

Ended EndOf(isa::LaunchResult result, const sim::Timeline& timeline) {
  Ended ended{std::move(result)};
  for (const sim::InstructionSlice& slice : timeline.instructions)
    ended.slices.push_back(
        {static_cast<int64_t>(slice.module), slice.index, slice.begin, slice.end});
  return ended;
}

// Our memory, as somebody else would write it, who says everything as late as he can.
class Memory {
 public:
  Memory(const isa::Config& config, size_t bytes)
      : timing_(config.memory, config.uarch.bus_bits / 8),
        beat_bytes_(config.uarch.bus_bits / 8),
        bytes_(bytes) {}

  void Offered(const Offer& offer) { (offer.write ? aw_ : ar_) = offer; }

  /// What it does in a cycle.
  void Cycle(int64_t cycle, Core& core) {
    std::erase_if(ends_, [&](int64_t end) { return end < cycle; });
    const auto held = static_cast<int64_t>(ends_.size() + owed_);
    const int64_t free = timing_.outstanding() - held;
    const bool read = ar_ && free > 0, write = aw_ && free > (ar_ ? 1 : 0);
    if (read) {
      const sim::BurstTiming timing = timing_.Read(cycle, ar_->address, ar_->beats);
      core.Give({Answer::Kind::kTaken, *ar_, cycle});
      ends_.push_back(timing.last);
      Later(timing.first, {Answer::Kind::kBegins, *ar_, timing.first, Refused(*ar_)});
      ar_.reset();
    }
    if (write) {
      const sim::BurstTiming timing = timing_.Write(cycle, aw_->address, aw_->beats);
      core.Give({Answer::Kind::kTaken, *aw_, cycle});
      ++owed_;
      Later(timing.first, {Answer::Kind::kBegins, *aw_, timing.first});
      aw_.reset();
    }
    for (auto it = later_.begin(); it != later_.end() && it->first <= cycle;
         it = later_.erase(it)) {
      const Answer& answer = it->second;
      const int64_t last = core.Give(answer);
      if (answer.kind == Answer::Kind::kAnswered) --owed_, ends_.push_back(cycle);
      if (answer.kind != Answer::Kind::kBegins || !answer.burst.write) continue;
      answered_ = std::max(timing_.Response(last), answered_ + 1);
      Later(answered_, {Answer::Kind::kAnswered, answer.burst, answered_, Refused(answer.burst)});
    }
  }
  int64_t Next(int64_t cycle) const {
    if (ar_ || aw_) return cycle + 1;
    return later_.empty() ? kNever : later_.begin()->first;
  }

 private:
  bool Refused(const Offer& burst) const {
    return sim::IsRefused(bytes_, burst.address, burst.beats * beat_bytes_);
  }
  void Later(int64_t cycle, const Answer& answer) { later_.emplace(cycle, answer); }

  sim::DramTiming timing_;
  int64_t beat_bytes_;
  size_t bytes_;
  std::optional<Offer> ar_, aw_;
  std::multimap<int64_t, Answer> later_;
  std::vector<int64_t> ends_;
  size_t owed_ = 0;
  int64_t answered_ = sim::cycle::kLongAgo;
};

class StepsTest : public testing::TestWithParam<const char*> {
 protected:
  StepsTest() : config_(isa::LoadConfig(SourcePath(GetParam()))) {}

  Ended AtOnce(const Image& image) {
    sim::Timeline timeline;
    const isa::LaunchResult result = whole_.Run(image.launch, image.dram, {.timeline = &timeline});
    return EndOf(result, timeline);
  }
  Ended InSteps(const Image& image, uint64_t seed) {
    std::mt19937_64 random(seed);
    sim::Timeline timeline;
    steps_.Begin(image.launch, image.dram, Core::Behind::kOwnMemory, {.timeline = &timeline});
    for (int64_t at = 0; steps_.RunTo(at) == kNever;) at += 1 + static_cast<int64_t>(random() % 50);
    const isa::LaunchResult result = steps_.End();
    return EndOf(result, timeline);
  }
  Ended OnForeignMemory(const Image& image) {
    sim::Timeline timeline;
    Memory memory(config_, image.dram.size());
    foreign_.Begin(image.launch, image.dram, Core::Behind::kForeignMemory, {.timeline = &timeline});
    for (int64_t at = 0; foreign_.RunTo(at) == kNever;) {
      while (const std::optional<Offer> offer = foreign_.TakeOffer()) memory.Offered(*offer);
      memory.Cycle(at, foreign_);
      at = std::min(foreign_.Next() + 1, memory.Next(at));
    }
    const isa::LaunchResult result = foreign_.End();
    return EndOf(result, timeline);
  }

  isa::Config config_;
  Core whole_{config_}, steps_{config_}, foreign_{config_};
};

TEST_P(StepsTest, AreTheLaunch) {
  int ends[5] = {};
  for (int i = 0; i < kPrograms; ++i) {
    const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
    const Image image = ImageOf(RandomRtlProgram(config_, kind, static_cast<uint64_t>(i)));
    SCOPED_TRACE(StrCat("a program of kind ", ProgramKindName(kind), ", seed ", i));
    const Ended want = AtOnce(image);
    ++ends[static_cast<int>(want.result.outcome)];
    ASSERT_EQ(InSteps(image, static_cast<uint64_t>(i)), want);
    ASSERT_EQ(OnForeignMemory(image), want);
  }
  // It ends in every way.
  for (isa::Outcome outcome :
       {isa::Outcome::kFinished, isa::Outcome::kFault, isa::Outcome::kDeadlock})
    EXPECT_GT(ends[static_cast<int>(outcome)], 0) << isa::OutcomeName(outcome);
}

INSTANTIATE_TEST_SUITE_P(Configs, StepsTest, testing::ValuesIn(kConfigs));

}  // namespace
}  // namespace vta::test
