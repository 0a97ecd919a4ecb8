// The checker against the naive proof, which visits every reachable state and unrolls every loop:
// the same verdict on pipelines, on pipelines with a wrong token bit, and on noise.
#include <gtest/gtest.h>

#include <algorithm>

#include "isa/support/error.h"
#include "tests/support/mutate.h"
#include "tests/support/naive_proof.h"
#include "tests/support/noise.h"
#include "tests/support/random_program.h"

namespace vta::test {
namespace {

using isa::FindingKind;

bool Has(const isa::Report& report, FindingKind kind) {
  return std::ranges::any_of(report.findings,
                             [&](const isa::Finding& finding) { return finding.kind == kind; });
}

struct Seen {
  int accepted = 0, deadlocks = 0, races = 0, uninitialised = 0, overwritten = 0, faults = 0;
};

void Compare(const TestProgram& program, const std::string& what, Seen& seen) {
  SCOPED_TRACE(what);
  const isa::Report report = program.Check();
  const std::optional<NaiveVerdict> naive = NaiveProve(program);
  if (!naive) {
    ++seen.faults;
    EXPECT_FALSE(report.ok());
    return;
  }
  const int64_t capacity = program.config.arch.token_capacity;
  ASSERT_EQ(report.ok(), naive->ok(capacity)) << ReportToText(report);
  seen.accepted += report.ok(), seen.deadlocks += naive->deadlock;
  EXPECT_EQ(Has(report, FindingKind::kDeadlock), naive->deadlock);
  if (report.ok()) {  // tokens that wait for room do not deadlock either
    EXPECT_FALSE(NaiveProve(program, capacity)->deadlock);
  }
  if (naive->deadlock) return;
  EXPECT_EQ(report.statistics.occupancy, naive->occupancy);
  EXPECT_EQ(Has(report, FindingKind::kTokenCapacity),
            std::ranges::max(naive->occupancy) > capacity);
  seen.races += !naive->races.empty();
  seen.uninitialised += !naive->uninitialised.empty();
  seen.overwritten += !naive->overwritten_uops.empty();
  for (const isa::Finding& finding : report.findings) {
    const std::pair<int64_t, int64_t> pair = std::minmax(finding.instruction, finding.other);
    const bool shown = finding.kind == FindingKind::kRace ? naive->races.contains(pair)
                       : finding.kind == FindingKind::kUninitialisedRead
                           ? naive->uninitialised.contains(finding.instruction)
                       : finding.kind == FindingKind::kOverwrittenUops
                           ? naive->overwritten_uops.contains(finding.instruction)
                           : finding.kind == FindingKind::kTokenCapacity;
    EXPECT_TRUE(shown) << finding.message;
  }
}

TEST(NaiveTest, AgreesOnPipelinesAndMutants) {
  Seen seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    TestProgram program = RandomProgram(seed, 1 + seed % 3);
    if (program.instructions.size() > 34) continue;  // the naive proof is slow
    program.config.arch.token_capacity = 1 + static_cast<int64_t>(seed % 3);
    std::mt19937_64 rng(seed);
    Compare(program, StrCat("seed ", seed), seen);
    for (int k = 0; k < 3; ++k) {
      std::string description;
      const TestProgram mutant = MutateTokens(program, rng, description);
      Compare(mutant, StrCat("seed ", seed, ": ", description), seen);
    }
  }
  EXPECT_GT(seen.accepted, 200);
  EXPECT_GT(seen.deadlocks, 200);
  EXPECT_GT(seen.races, 100);
}

TEST(NaiveTest, AgreesOnNoise) {
  Seen seen;
  for (uint64_t seed = 0; seed < 6000; ++seed)
    Compare(NoiseProgram(seed), StrCat("seed ", seed), seen);
  EXPECT_GT(seen.accepted, 100);
  EXPECT_GT(seen.deadlocks, 100);
  EXPECT_GT(seen.races, 100);
  EXPECT_GT(seen.uninitialised, 100);
  EXPECT_GT(seen.overwritten, 30);
  EXPECT_GT(seen.faults, 100);
}

}  // namespace
}  // namespace vta::test
