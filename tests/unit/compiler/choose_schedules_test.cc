// Choosing schedules beside each other, on a target whose launches cost what a table says.
#include "compiler/choose_schedules.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "isa/support/error.h"
#include "tests/unit/compiler/tune/fake_space.h"

namespace vta::compiler {
namespace {

using Digits = std::vector<int64_t>;

/// A program is the digit of its point; 7 where there is one way.
struct Draft : Joinable {
  explicit Draft(int64_t d) : digit(d) {}
  int64_t digit;
};

class FakeTarget : public CodeTarget {
 public:
  explicit FakeTarget(bool joins) : joins_(joins) {}
  std::string Name() const override { return "fake"; }
  bool CanTake(const Graph&, std::span<const NodeId>, std::string*) const override { return true; }
  StepCode Compile(const Graph&, const Step&, const StepAddresses&,
                   const tune::Decision&) const override {
    return ProgramCode{};
  }
  std::unique_ptr<tune::Space> SpaceOf(const Graph&, const Step& step) const override {
    if (step.target == "one way") return nullptr;
    return std::make_unique<tune::FakeSpace>();
  }
  std::shared_ptr<const Joinable> Draft(const Graph&, const Step&, const tune::Space*,
                                        const tune::Point* point, const Joinable* made,
                                        const StepAddresses&) const override {
    if (!joins_) return nullptr;
    if (made)
      return std::make_shared<compiler::Draft>(dynamic_cast<const compiler::Draft&>(*made).digit);
    ++made_;
    return std::make_shared<compiler::Draft>(point ? (*point)[0] : 7);
  }
  std::optional<JoinedCode> Join(std::span<const Joinable* const> programs, int64_t,
                                 bool is_trial) const override {
    EXPECT_TRUE(is_trial);
    JoinedCode code;
    for (const Joinable* program : programs)
      code.end_bytes = 10 * code.end_bytes + dynamic_cast<const compiler::Draft&>(*program).digit;
    return code;
  }

  /// Drafts of nothing that was there.
  int64_t made() const { return made_; }

 private:
  const bool joins_;
  mutable std::atomic<int64_t> made_ = 0;
};

/// Gives all steps the same points.
class FakeChooser : public tune::Chooser {
 public:
  FakeChooser(const std::vector<tune::Point>& points, const tune::Measurer* measurer)
      : measurer_(measurer) {
    for (const tune::Point& point : points) offers_.push_back({point});
  }
  explicit FakeChooser(std::vector<tune::Offer> offers, const tune::Measurer* measurer)
      : offers_(std::move(offers)), measurer_(measurer) {}
  std::vector<tune::Offer> Choose(const std::string& step, int64_t, const tune::Space&) override {
    asked_ += step;
    return offers_;
  }
  const tune::Measurer* measurer() const override { return measurer_; }
  int64_t jobs() const override { return 2; }
  const std::string& asked() const { return asked_; }

 private:
  std::vector<tune::Offer> offers_;
  const tune::Measurer* const measurer_;
  std::string asked_;
};

/// The digits of the steps' points, 0 for those with one way; each is named by its target.
Digits Choose(const std::vector<std::pair<const CodeTarget*, bool>>& steps, FakeChooser* chooser) {
  const Graph graph("g", isa::Rounding::kSingle);
  const Step some{{}, "some"}, one{{}, "one way"};
  std::vector<StepToChoose> to_choose;
  for (const auto& [target, chooses] : steps)
    to_choose.push_back({.step = chooses ? some : one,
                         .target = *target,
                         .chooser = chooser,
                         .name = std::string(1, chooses ? 's' : 'o')});
  Digits digits;
  for (const auto& point : ChooseSchedules(graph, to_choose, {}))
    digits.push_back(point ? (*point)[0] : 0);
  return digits;
}

TEST(ChooseSchedules, WithoutMeasurerTheFirst) {
  const FakeTarget target(true);
  FakeChooser chooser({{4, 0}, {5, 0}}, nullptr);
  EXPECT_EQ(Choose({{&target, true}, {&target, false}, {&target, true}}, &chooser),
            (Digits{4, 0, 4}));
  EXPECT_EQ(chooser.asked(), "ss");
  EXPECT_EQ(Choose({{&target, true}}, nullptr), Digits{0});
}

TEST(ChooseSchedules, BesideEachOther) {
  const FakeTarget target(true);
  // What is not here costs 1000.
  const tune::FakeMeasurer measurer({{54, 900}, {44, 700}, {45, 650}});
  FakeChooser chooser({{4, 0}, {5, 0}}, &measurer);
  //  44 or 54: 44. Then 444 or 454: equal, the first. Then 44 or 45: 45.
  EXPECT_EQ(Choose({{&target, true}, {&target, true}, {&target, true}}, &chooser),
            (Digits{4, 4, 5}));
  // A step with one way is a neighbour: 47 or 57, then 74 or 75.
  const tune::FakeMeasurer other({{57, 10}, {75, 10}});
  FakeChooser second({{4, 0}, {5, 0}}, &other);
  EXPECT_EQ(Choose({{&target, true}, {&target, false}, {&target, true}}, &second),
            (Digits{5, 0, 5}));
}

TEST(ChooseSchedules, MakesADraftOfAPointOnce) {
  const FakeTarget target(true);
  const tune::FakeMeasurer measurer({{44, 700}, {54, 700}, {45, 650}});
  // Three steps with the same workload and two points each, and one with one way.
  FakeChooser chooser({{4, 0}, {5, 0}}, &measurer);
  Choose({{&target, true}, {&target, true}, {&target, false}, {&target, true}}, &chooser);
  EXPECT_EQ(target.made(), 3);
  // What a trial kept of a point is its draft.
  const FakeTarget other(true);
  FakeChooser kept({{{4, 0}, std::make_shared<Draft>(4)}, {{5, 0}, nullptr}}, &measurer);
  EXPECT_EQ(Choose({{&other, true}, {&other, true}}, &kept), (Digits{4, 5}));
  EXPECT_EQ(other.made(), 1);
}

TEST(ChooseSchedules, LaunchesEndWhereTargetsChange) {
  const FakeTarget target(true), apart(false);
  const tune::FakeMeasurer measurer({{5, 1}, {54, 1}, {45, 1}});
  FakeChooser chooser({{4, 0}, {5, 0}}, &measurer);
  // One alone is as the chooser says, and so are those that no launch joins.
  EXPECT_EQ(Choose({{&target, true}, {&apart, true}, {&apart, true}, {&target, true}}, &chooser),
            (Digits{4, 4, 4, 4}));
  EXPECT_EQ(Choose({{&target, true}, {&target, true}, {&apart, true}, {&target, true}}, &chooser),
            (Digits{5, 4, 4, 4}));
}

TEST(ChooseSchedules, WhatFailsIsNotTaken) {
  const FakeTarget target(true);
  const tune::FakeMeasurer measurer({{44, 0}, {54, 2000}});
  FakeChooser chooser({{4, 0}, {5, 0}}, &measurer);
  // First 5 before a 4, then 5 behind it; and then what is before that is equal.
  EXPECT_EQ(Choose({{&target, true}, {&target, true}}, &chooser), (Digits{4, 5}));
}

}  // namespace
}  // namespace vta::compiler
