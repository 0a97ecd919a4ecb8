// Two implementations of one network side by side, in one pair of processes: ours and a peer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/shared/statistics.h"
#include "tools/vta/bench/dear_steps.h"
#include "tools/vta/bench/peer.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/cpu/peak.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// What is measured against the peer. It must stay where the peer does (OnCores).
struct OurSide {
  std::function<void()> run;
  std::function<NamedTensors()> outputs;  // of the last run
  std::function<void()> prepare = [] {};  // before each run, and not measured
};

/// Float networks differ in the order of their sums; int8 ones by a code here and there, which
/// grows from layer to layer in networks with random weights.
inline constexpr double kFloatTolerance = 1e-3, kInt8Tolerance = 0.25;

struct CompareOptions {
  int64_t warmups = 5, runs = 40;
  // Of both sides' runs together: of short ones there are up to 20 times more.
  int64_t least_ns = 0;
  double tolerance = kFloatTolerance;  // on OutputDifference
  /// Runs before those that are measured, or as many as take so long: meanwhile the other side's
  /// threads, which look for work for a while after theirs, go to sleep, and this side's awake. A
  /// virtual machine may have them on one core at first.
  int64_t leads = 0, lead_ns = 0;
  /// That the sides take; 0: one for each run.
  int64_t turns = 0;
};

/// Declares --threads, of both sides; what it holds is usual.
CLI::Option* AddThreadsTo(CLI::App& app, int64_t* threads);
/// A core for each. Errors: throws UsageError where this process may not run on so many.
std::vector<int64_t> CoresFor(int64_t threads);
/// The options for sides of so many threads: those of several take three turns.
CompareOptions ForThreads(CompareOptions options, int64_t threads);

struct Comparison {
  RunTimes ours, peer;
  double ratio = 0;       // of medians: above 1 where ours is faster
  double difference = 0;  // of the outputs
};

/// The root of the mean square of what an output differs by, as a share of the peer's own: of the
/// output where it is greatest. Errors: throws Error naming an output that only one side has, that
/// has another type or shape there, or a value that is no number.
double OutputDifference(const NamedTensors& ours, const NamedTensors& peer);

/// Runs both in turn, one run each: first those that warm up, then it compares outputs, then those
/// that it measures. Errors: as OutputDifference and Peer; throws Error where the outputs differ by
/// more than the tolerance.
Comparison CompareWithPeer(const OurSide& ours, Peer& peer, const CompareOptions& options);

/// A network that was measured.
struct ComparedNetwork {
  std::string network, type;
  std::string cpu;                           // that our code is made for, as --cpu has it
  int64_t macs = 0;                          // of a run
  double peak_gops = 0, peer_peak_gops = 0;  // of all cores used, for this type; 0: not known
  PeerModel peer;
  Comparison result;
  NetworkSteps steps;  // ours
};

/// What each side reaches of its peak, by the median, in 0..1; 0 where that is not known.
double OurShareOfPeak(const ComparedNetwork& network);
double PeerShareOfPeak(const ComparedNetwork& network);

/// CPU, its flags and peaks, and the peer; then a row for each network, which are at least one, and
/// the dearest steps of each.
std::string ComparisonText(const CpuFacts& cpu, const std::vector<CpuPeak>& peaks,
                           const std::vector<ComparedNetwork>& networks);
Json ComparisonJson(const CpuFacts& cpu, const std::vector<CpuPeak>& peaks,
                    const std::vector<ComparedNetwork>& networks);

}  // namespace vta::tools
