#include "compiler/tune/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "isa/support/temporary.h"
#include "tests/unit/compiler/tune/fake_space.h"
#include "tests/unit/compiler/tune/wide_space.h"

namespace vta::compiler::tune {
namespace {

TEST(Candidates, AreWhatTheyAreHoweverManyAtOnce) {
  const FakeMeasurer measurer({{50, 0}, {51, 90}, {40, 70}, {61, 70}});
  for (const int64_t jobs : {1, 2, 5, 100}) {
    const FakeSpace space;
    std::vector<Candidate> candidates = CandidatesOf(space, space.Cheapest(8));
    candidates[2].cost = 3000;  // is known
    MeasureAll(space, measurer, jobs, candidates);
    EXPECT_EQ(space.tried(), 7);
    std::vector<std::optional<int64_t>> costs;
    for (const Candidate& candidate : candidates) costs.push_back(candidate.cost);
    EXPECT_THAT(costs, testing::ElementsAre(std::nullopt, 90, 3000, 1000, 1000, 70, 1000, 1000));
    EXPECT_EQ(candidates[0].failure, "trial: outcome = fault: must be finished");
    EXPECT_EQ(Best(candidates), &candidates[5]);
  }
}

TEST(Candidates, NoneHasACost) {
  std::vector<Candidate> candidates(2);
  EXPECT_EQ(Best(candidates), nullptr);
  MeasureAll(FakeSpace(), FakeMeasurer({}), 4, {});
}

TEST(Tuner, WithoutTrialsEstimatesChoose) {
  const FakeMeasurer measurer({{40, 1}});
  for (const Measurer* one :
       {static_cast<const Measurer*>(nullptr), static_cast<const Measurer*>(&measurer)}) {
    FakeSpace space;
    Tuner tuner({.measurer = one});
    EXPECT_EQ(tuner.Choose("a", 0, space).at(0).point, (Point{5, 0}));
    EXPECT_EQ(space.tried(), 0);
  }
}

TEST(Tuner, TheCheapestOfTheFirst) {
  const FakeMeasurer measurer({{41, 80}, {30, 60}});  // the sixth and the seventh by estimates
  const FakeSpace space;
  Tuner few({.measurer = &measurer, .trials = 6, .jobs = 2});
  EXPECT_EQ(few.Choose("a", 0, space).at(0).point, (Point{4, 1}));
  Tuner more({.measurer = &measurer, .trials = 7});
  EXPECT_EQ(more.Choose("a", 0, space).at(0).point, (Point{3, 0}));
}

TEST(Tuner, TheBestAreSeveral) {
  const FakeMeasurer measurer({{41, 80}, {50, 90}, {60, 0}, {61, 85}});
  const FakeSpace space;
  Tuner tuner({.measurer = &measurer, .trials = 6});
  // One fails, the others cost 1000.
  const std::vector<Offer> offers = tuner.Choose("a", 0, space);
  std::vector<Point> points;
  for (const Offer& offer : offers) points.push_back(offer.point);
  EXPECT_EQ(points, (std::vector<Point>{{4, 1}, {6, 1}, {5, 0}, {5, 1}}));
  // What trials kept of these is there, and of others is not.
  for (const Offer& offer : offers)
    EXPECT_EQ(dynamic_cast<const FakeProgram&>(*offer.program).point, offer.point);
  for (const Candidate& candidate : tuner.tasks()[0].candidates)
    EXPECT_EQ(candidate.program != nullptr,
              std::ranges::find(points, candidate.point) != points.end());
  EXPECT_EQ(tuner.measurer(), &measurer);
  EXPECT_EQ(Tuner({.measurer = &measurer}).measurer(), nullptr);
  EXPECT_EQ(Tuner({.measurer = &measurer}).Choose("a", 0, space).size(), 1);
}

/// One point is quick the first time, and slow after that.
class NoisyMeasurer : public FakeMeasurer {
 public:
  using FakeMeasurer::FakeMeasurer;
  bool is_noisy() const override { return true; }
  int64_t Measure(const Trial& trial) const override {
    constexpr int64_t kLucky = 61;
    return trial.arena_bytes == kLucky && lucky_++ == 0 ? 10 : FakeMeasurer::Measure(trial);
  }

 private:
  mutable std::atomic<int64_t> lucky_ = 0;
};

TEST(Tuner, NoisyCostsAreConfirmed) {
  const Temporary folder(NewTemporaryFolder("tuner-test"));
  const FakeSpace space;
  const auto chosen = [&](const NoisyMeasurer& measurer, const std::string& log) {
    LogWriter writer(log);
    Tuner tuner({.measurer = &measurer, .trials = 8, .target = "t", .writer = &writer});
    tuner.Choose("a", 0, space);
    const Task& task = tuner.tasks()[0];
    EXPECT_EQ(task.tried, 8);
    return task.candidates[task.chosen].point;
  };
  const std::string log = folder.path() + "/log", other = folder.path() + "/other";
  EXPECT_EQ(chosen(NoisyMeasurer({{41, 80}, {50, 90}}), log), (Point{4, 1}));
  // What the estimate takes stays where nothing is quicker by more than chance.
  EXPECT_EQ(chosen(NoisyMeasurer({{41, 998}}), other), (Point{5, 0}));
  // The log has each trial, and each of the best once more; only these tell a compile what to take.
  const LogLines lines = ReadLog(log);
  ASSERT_EQ(lines.entries.size(), 12);
  EXPECT_EQ(std::ranges::count(lines.entries, 5, &LogEntry::times), 4);
  EXPECT_EQ(std::ranges::count(lines.entries, 10, &LogEntry::cost), 1);
  Tuner without({.target = "t", .log = lines.entries});
  EXPECT_EQ(without.Choose("a", 0, space).at(0).point, (Point{4, 1}));
}

/// Says how often it was asked to learn, and from what the last time.
class CountingModel : public CostModel {
 public:
  void Fit(std::span<const Examples* const> workloads) override {
    ++fits;
    examples.clear();
    for (const Examples* one : workloads) examples.push_back(one->size());
  }
  std::vector<double> Score(std::span<const loop::Features* const> candidates) const override {
    return std::vector<double>(candidates.size());
  }
  int64_t fits = 0;
  std::vector<size_t> examples;
};

TEST(Tuner, WhereNothingCanBeLearnedEstimatesPropose) {
  struct Measured : FakeMeasurer {
    using FakeMeasurer::FakeMeasurer;
    bool is_noisy() const override { return true; }
  };
  const Measured measurer({{0, 80}});  // one of the last by estimates, of a space without features
  const FakeSpace space;
  CountingModel model;
  Tuner tuner({.measurer = &measurer, .trials = 100, .model = &model});
  EXPECT_EQ(tuner.Choose("a", 0, space).at(0).point, (Point{0, 0}));
  EXPECT_EQ(model.fits, 0);
}

TEST(Tuner, WhatIsTriedElsewhereIsAskedForByRounds) {
  const NoisyMeasurer measurer({});
  const FakeSpace space;
  std::vector<size_t> asked;
  Tuner tuner({.measurer = &measurer,
               .trials = 8,
               .tries = [&](const Space&, std::span<Candidate> candidates) {
                 asked.push_back(candidates.size());
                 for (Candidate& one : candidates) {
                   EXPECT_FALSE(one.cost);
                   one.cost = one.point == Point{4, 1} ? 80 : 1000;
                 }
               }});
  EXPECT_EQ(tuner.Choose("a", 0, space).at(0).point, (Point{4, 1}));
  EXPECT_THAT(asked, testing::ElementsAre(8, 4, 4, 4, 4, 4));
  EXPECT_EQ(space.tried(), 0);
  EXPECT_EQ(tuner.measurer(), nullptr);  // nor can it tell what is best in a launch
}

/// Costs of a WideSpace.
class WideMeasurer : public Measurer {
 public:
  WideMeasurer(const WideSpace& space, bool is_noisy) : space_(space), is_noisy_(is_noisy) {}
  std::string Name() const override { return "wide"; }
  uint64_t Hash() const override { return 1; }
  bool is_noisy() const override { return is_noisy_; }
  int64_t Measure(const Trial& trial) const override {
    return space_.CostOf(WideSpace::PointOf(trial));
  }

 private:
  const WideSpace& space_;
  const bool is_noisy_;
};

TEST(Tuner, WhereCostsAreNoisyAModelProposes) {
  const Temporary folder(NewTemporaryFolder("tuner-test"));
  const std::string log = folder.path() + "/log";
  const WideSpace space(28), other(56);
  CountingModel model;
  const auto search = [&](const WideSpace& searched, bool is_noisy, int64_t trials) {
    const WideMeasurer measurer(searched, is_noisy);
    model.fits = 0;
    LogWriter writer(log);
    Tuner tuner({.measurer = &measurer,
                 .trials = trials,
                 .target = "t",
                 .compiler = "c",
                 .log = ReadLog(log).entries,
                 .writer = &writer,
                 .model = &model});
    tuner.Choose("a", 0, searched);
    return tuner.tasks()[0];
  };
  const Task exact = search(space, false, 40);
  EXPECT_EQ(model.fits, 0);
  std::filesystem::remove(log);
  const Task task = search(space, true, 40);
  EXPECT_EQ(task.tried, 40);
  EXPECT_EQ(task.end, Task::End::kTrials);
  ASSERT_EQ(task.candidates.size(), 40);
  EXPECT_EQ(model.fits, 2);
  EXPECT_THAT(model.examples, testing::ElementsAre(32));
  // Half of the first batch is that of the estimates.
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(task.candidates[i].point, exact.candidates[i].point);
  for (size_t i = 8; i < 17; ++i) EXPECT_NE(task.candidates[i].point, exact.candidates[i].point);
  for (const LogEntry& entry : ReadLog(log).entries)
    EXPECT_EQ(entry.features, space.FeaturesOf(ParsePoint(space.Choices(), entry.point)));
  // It goes on where it stopped.
  EXPECT_EQ(search(space, true, 40).tried, 0);
  EXPECT_EQ(search(space, true, 50).tried, 10);
  // The log warms a search of another workload: 50 trials, and 4 or 5 that were confirmed, at times
  // of both searches.
  EXPECT_EQ(search(other, true, 17).tried, 17);
  EXPECT_EQ(model.fits, 1);
  ASSERT_EQ(model.examples.size(), 2);
  EXPECT_GE(model.examples[0], 54);
  EXPECT_EQ(model.examples[1], 16);
}

TEST(Tuner, ExportsWhatTheLogDoesNotHave) {
  const Temporary folder(NewTemporaryFolder("tuner-test"));
  const std::string log = folder.path() + "/log";
  const WideSpace space(28);
  const WideMeasurer measurer(space, true);
  CountingModel model;
  std::vector<Point> exported;
  const auto round = [&](int64_t trials) {
    LogWriter writer(log);
    model.fits = 0;
    std::vector<Point> fresh;
    Tuner tuner(
        {.measurer = &measurer,
         .trials = trials,
         .target = "t",
         .compiler = "c",
         .log = ReadLog(log).entries,
         .writer = &writer,
         .model = &model,
         .exports = [&](const Space& of, const Task& task, std::span<const Candidate> untried) {
           EXPECT_EQ(&of, &space);
           EXPECT_EQ(TriedOf(task), std::ssize(exported));
           EXPECT_EQ(untried.size(), trials);
           std::vector<LogEntry> results;
           for (const Candidate& one : untried) {
             EXPECT_EQ(one.features, space.FeaturesOf(one.point));
             fresh.push_back(one.point);
             results.push_back({task.key, "wide", measurer.Hash(), "c", task.step,
                                Print(space.Choices(), one.point), one.estimate,
                                measurer.Measure(space.Try(one.point)), "", 1, one.features});
           }
           writer.Append(results);
         }});
    tuner.Choose("a", 0, space);
    return fresh;
  };
  // Nothing is known: what has the lowest estimates, as many as are wanted.
  exported = round(24);
  EXPECT_EQ(model.fits, 0);
  EXPECT_EQ(exported, space.Cheapest(24));
  for (const int64_t trials : {8, 40}) {
    const std::vector<Point> more = round(trials);
    EXPECT_EQ(model.fits, 1);
    EXPECT_THAT(model.examples, testing::ElementsAre(exported.size()));
    for (const Point& point : more) EXPECT_THAT(exported, testing::Not(testing::Contains(point)));
    exported.insert(exported.end(), more.begin(), more.end());
  }
}

TEST(Tuner, TasksBeforeWarmTheModel) {
  const WideSpace space(28), other(56);
  const WideMeasurer measurer(space, true);
  CountingModel model;
  Tuner tuner({.measurer = &measurer, .trials = 20, .model = &model});
  tuner.Choose("a", 0, space);
  EXPECT_THAT(model.examples, testing::ElementsAre(16));
  tuner.Choose("b", 0, other);
  EXPECT_THAT(model.examples, testing::UnorderedElementsAre(20, 16));
}

TEST(Tuner, StepsThatCompileAlikeAreOneTask) {
  const FakeMeasurer measurer({{41, 80}});
  FakeSpace space, other("other");
  Tuner tuner({.measurer = &measurer, .trials = 8});
  EXPECT_EQ(tuner.Choose("a", 5, space).at(0).point, (Point{4, 1}));
  EXPECT_EQ(tuner.Choose("b", 6, other).at(0).point, (Point{4, 1}));
  EXPECT_EQ(tuner.Choose("c", 5, space).at(0).point, (Point{4, 1}));
  EXPECT_EQ(space.tried(), 8);
  ASSERT_EQ(tuner.tasks().size(), 2);
  const Task& task = tuner.tasks()[0];
  EXPECT_EQ(task.step, "a");
  EXPECT_EQ(task.macs, 5);
  EXPECT_EQ(task.steps, 2);
  EXPECT_EQ(task.size, 20);
  EXPECT_EQ(task.bound, 50);
  EXPECT_EQ(task.end, Task::End::kTrials);
}

TEST(Tuner, Ends) {
  const auto end_of = [](const FakeMeasurer& measurer, int64_t trials, bool stops) {
    const FakeSpace space;
    Tuner tuner({.measurer = &measurer, .trials = trials, .stops = [=] { return stops; }});
    tuner.Choose("a", 0, space);
    return std::pair(tuner.tasks()[0].end, space.tried());
  };
  EXPECT_EQ(end_of(FakeMeasurer({}), 18, false), std::pair(Task::End::kTrials, int64_t{18}));
  EXPECT_EQ(end_of(FakeMeasurer({}), 19, false), std::pair(Task::End::kExhausted, int64_t{18}));
  EXPECT_EQ(end_of(FakeMeasurer({{50, 50}}), 18, false),
            std::pair(Task::End::kBound, Tuner::kBatch));
  EXPECT_EQ(end_of(FakeMeasurer({{50, 51}}), 18, false),
            std::pair(Task::End::kTrials, int64_t{18}));
  EXPECT_EQ(end_of(FakeMeasurer({}), 18, true), std::pair(Task::End::kStopped, Tuner::kBatch));
}

class TunerLog : public testing::Test {
 protected:
  std::string Path() const { return folder_.path() + "/log.jsonl"; }
  /// The points that it takes, and how many it tries for that.
  std::pair<Point, int64_t> Search(const FakeMeasurer& measurer, int64_t trials,
                                   const std::string& compiler, bool writes = true) {
    const FakeSpace space;
    std::optional<LogWriter> writer;
    if (writes) writer.emplace(Path());
    const LogLines lines = ReadLog(Path());
    EXPECT_THAT(lines.left_out, testing::IsEmpty());
    Tuner tuner({.measurer = &measurer,
                 .trials = trials,
                 .target = "vta",
                 .arch = 3,
                 .compiler = compiler,
                 .log = lines.entries,
                 .writer = writer ? &*writer : nullptr});
    const Point point = tuner.Choose("a", 0, space).at(0).point;
    return {point, space.tried()};
  }

 private:
  Temporary folder_{NewTemporaryFolder("tuner-test")};
};

TEST_F(TunerLog, GoesOnWhereItStopped) {
  const FakeMeasurer measurer({{50, 0}, {41, 80}, {30, 60}});
  EXPECT_EQ(Search(measurer, 6, "a"), std::pair(Point{4, 1}, int64_t{6}));
  EXPECT_EQ(Search(measurer, 6, "a"), std::pair(Point{4, 1}, int64_t{0}));  // the failure neither
  EXPECT_EQ(Search(measurer, 9, "a"), std::pair(Point{3, 0}, int64_t{3}));
  EXPECT_EQ(ReadLog(Path()).entries.size(), 9);
  // Few trials, but what is known is known.
  EXPECT_EQ(Search(measurer, 2, "a"), std::pair(Point{3, 0}, int64_t{0}));
}

TEST_F(TunerLog, AnotherCompilersBestIsTriedAgain) {
  Search(FakeMeasurer({{30, 60}, {61, 70}}), 9, "a");
  // Two of its own and four of the log. Its code takes longer now, but is still the best; then it
  // is not.
  EXPECT_EQ(Search(FakeMeasurer({{30, 500}}), 2, "b", false), std::pair(Point{3, 0}, int64_t{6}));
  EXPECT_EQ(Search(FakeMeasurer({{30, 2000}}), 2, "b", false), std::pair(Point{5, 0}, int64_t{6}));
  EXPECT_EQ(Search(FakeMeasurer({{30, 500}}), 2, "", false), std::pair(Point{3, 0}, int64_t{6}));
}

TEST_F(TunerLog, DecisionsWithoutCodeHideNoOthers) {
  const FakeSpace space;
  const LogKey key{"vta", "fake", 3, SpaceHash(space)};
  const FakeMeasurer measurer({{0, 5}, {10, 3000}});
  Tuner tuner({.measurer = &measurer,
               .trials = 1,
               .target = "vta",
               .arch = 3,
               .compiler = "b",
               .log = {{key, "fake", 7, "a", "s", "digit=9 bit=0", 1, 1},
                       {key, "fake", 7, "a", "s", "digit=1 bit=0", 1, 2},
                       {key, "fake", 7, "a", "s", "digit=0 bit=0", 1, 3}}});
  EXPECT_EQ(tuner.Choose("a", 0, space).at(0).point, (Point{0, 0}));
}

TEST_F(TunerLog, EntriesOfOtherKeysDoNotCount) {
  const FakeSpace space;
  const LogEntry good{
      {"vta", "fake", 3, SpaceHash(space)}, "fake", 7, "a", "s", "digit=0 bit=0", 1, 1};
  const auto taken = [&](LogEntry entry) {
    const FakeMeasurer measurer({{0, 1}});
    Tuner tuner({.measurer = &measurer,
                 .trials = 1,
                 .target = "vta",
                 .arch = 3,
                 .compiler = "a",
                 .log = {entry}});
    return tuner.Choose("a", 0, space).at(0).point == Point{0, 0};
  };
  EXPECT_TRUE(taken(good));
  for (const auto& spoil : std::vector<std::function<void(LogEntry*)>>{
           [](LogEntry* e) { e->key.target = "cpu"; }, [](LogEntry* e) { e->key.workload = "f"; },
           [](LogEntry* e) { e->key.arch = 4; }, [](LogEntry* e) { ++e->key.space; },
           [](LogEntry* e) { e->measurer = "rtl"; }, [](LogEntry* e) { e->measured_on = 8; },
           [](LogEntry* e) { e->machine = "another"; }, [](LogEntry* e) { e->point = "digit=0"; },
           [](LogEntry* e) { e->point = "digit=9 bit=0"; },
           [](LogEntry* e) { e->cost.reset(), e->failure = "stuck"; }}) {
    LogEntry entry = good;
    spoil(&entry);
    EXPECT_FALSE(taken(entry)) << Print(entry);
  }
}

}  // namespace
}  // namespace vta::compiler::tune
