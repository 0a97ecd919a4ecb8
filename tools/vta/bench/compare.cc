#include "tools/vta/bench/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

double DifferenceOf(const std::string& name, const compiler::Tensor& ours,
                    const compiler::Tensor& peer) {
  if (ours.type() != peer.type())
    throw Error("outputs", name, ToText(ours.type()),
                StrCat("must be ", ToText(peer.type()), " as the peer's"));
  double error = 0, power = 0;
  for (int64_t i = 0; i < ours.elements(); ++i) {
    const double mine = ours.At(i), theirs = peer.At(i);
    if (!std::isfinite(mine) || !std::isfinite(theirs))
      throw Error("outputs", StrCat(name, "[", i, "]"), StrCat(mine),
                  StrCat("and the peer's ", theirs, " must be numbers"));
    error += (mine - theirs) * (mine - theirs);
    power += theirs * theirs;
  }
  if (error == 0) return 0;
  return power == 0 ? HUGE_VAL : std::sqrt(error / power);
}

double ShareReached(int64_t macs, const RunTimes& times, double peak_gops) {
  return peak_gops == 0 ? 0 : 2.0 * static_cast<double>(macs) / times.median / peak_gops;
}

}  // namespace

double OutputDifference(const NamedTensors& ours, const NamedTensors& peer) {
  double worst = 0;
  for (const auto& [name, tensor] : ours) {
    const auto at = peer.find(name);
    if (at == peer.end()) throw Error("outputs", name, "", "the peer has no such output");
    worst = std::max(worst, DifferenceOf(name, tensor, at->second));
  }
  for (const auto& [name, tensor] : peer)
    if (!ours.contains(name)) throw Error("outputs", name, "", "only the peer has it");
  return worst;
}

CLI::Option* AddThreadsTo(CLI::App& app, int64_t* threads) {
  return app.add_option("--threads", *threads, "of either side, each on a processor of its own")
      ->check(IntegerFrom(1, 1024))
      ->capture_default_str();
}

std::vector<int64_t> CoresFor(int64_t threads) {
  std::vector<int64_t> allowed = AllowedCores();
  if (threads > std::ssize(allowed))
    throw UsageError("--threads", "", std::to_string(threads),
                     StrCat("this process may run on ", Counted(allowed.size(), "processor")));
  allowed.resize(static_cast<size_t>(threads));
  return allowed;
}

CompareOptions ForThreads(CompareOptions options, int64_t threads) {
  if (threads == 1) return options;
  options.lead_ns = 300'000'000;
  options.turns = 3;
  return options;
}

Comparison CompareWithPeer(const OurSide& ours, Peer& peer, const CompareOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<int64_t> our_times, peer_times;
  int64_t our_leads = options.leads, peer_leads = options.leads;
  const auto run_both = [&](int64_t turns, int64_t together) {
    our_times.clear();
    peer_times.clear();
    for (int64_t turn = 0; turn < turns; ++turn) {
      for (int64_t lead = 0; lead < our_leads; ++lead) ours.prepare(), ours.run();
      for (int64_t run = 0; run < together; ++run) {
        ours.prepare();
        const auto begin = Clock::now();
        ours.run();
        const std::chrono::nanoseconds time = Clock::now() - begin;
        our_times.push_back(std::max<int64_t>(1, time.count()));
      }
      const std::vector<int64_t> times = peer.Run(peer_leads + together);
      peer_times.insert(peer_times.end(), times.end() - together, times.end());
      peer.Rest();
    }
  };
  run_both(std::max<int64_t>(1, options.warmups), 1);
  Comparison result;
  result.difference = OutputDifference(ours.outputs(), peer.Outputs());
  if (result.difference > options.tolerance)
    throw Error("outputs", "difference from the peer's", StrCat(result.difference),
                StrCat("must be at most ", options.tolerance, " of their root mean square"));
  constexpr int64_t kMostTimes = 20;
  const int64_t our_one = *std::ranges::min_element(our_times),
                peer_one = *std::ranges::min_element(peer_times), one = our_one + peer_one;
  const int64_t runs = std::max<int64_t>(1, options.runs);
  const int64_t all =
      std::clamp(options.least_ns / (one * (options.leads + 1)), runs, runs * kMostTimes);
  const auto leads = [&](int64_t of_one) {
    return std::clamp(options.lead_ns / of_one, options.leads, Peer::kMostRuns / 2);
  };
  our_leads = leads(our_one), peer_leads = leads(peer_one);
  const int64_t turns = options.turns > 0 ? std::min(options.turns, all) : all;
  run_both(turns, (all + turns - 1) / turns);
  result.ours = Summarize(our_times);
  result.peer = Summarize(peer_times);
  result.ratio = Speedup(result.ours, result.peer);
  return result;
}

double OurShareOfPeak(const ComparedNetwork& network) {
  return ShareReached(network.macs, network.result.ours, network.peak_gops);
}
double PeerShareOfPeak(const ComparedNetwork& network) {
  return ShareReached(network.macs, network.result.peer, network.peer_peak_gops);
}

}  // namespace vta::tools
