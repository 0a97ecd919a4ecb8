// vta bench explore: what a variant costs to cost, beside a loop of vta run; and what breeding
// variants finds, beside chance.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/explore/front.h"
#include "tools/explore/space.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/self.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

// 72 variants, all of which hold networks of pictures.
constexpr char kSwept[] = R"({
  "name": "swept", "isa": "1.0",
  "arch": {"block_in": {"pow2": [8, 32]}, "block_out": {"pow2": [8, 32]},
           "inp_depth": {"list": [1024, 2048]}, "wgt_depth": {"list": [512, 1024]},
           "requant": true, "requant_multiplier_bits": 16, "pad_value": true, "overwrite": true},
  "uarch": {"acc_banks": {"list": [1, 2]}, "multiplier": "packed"}
})";
// 48,000 of them.
constexpr char kSearched[] = R"({
  "name": "searched", "isa": "1.0",
  "arch": {"block_in": {"pow2": [4, 64]}, "block_out": {"pow2": [4, 64]},
           "uop_depth": {"pow2": [512, 4096]}, "inp_depth": {"pow2": [256, 4096]},
           "wgt_depth": {"pow2": [256, 2048]}, "acc_depth": {"pow2": [256, 2048]},
           "requant": true, "requant_multiplier_bits": 16, "pad_value": true, "overwrite": true},
  "uarch": {"acc_banks": {"list": [1, 2]}, "bus_bits": {"list": [64, 128, 256]},
            "multiplier": "packed"},
  "memory": {"bytes_per_cycle": {"expr": "uarch.bus_bits / 8"}},
  "constraints": {"part": "xc7z020"}
})";
constexpr uint64_t kSeeds[] = {1, 2, 3};

struct BenchExploreOptions {
  std::string network = "resnet18", small = "resnet_tiny";
  int64_t loop = 8, points = 160;
  TuneOptions jobs;
  bool json = false;
};

struct Swept {
  int64_t points = 0, in_loop = 0;
  Taken explore, loop;

  double PerPoint(double explored_s, double loop_s) const {
    return loop_s / static_cast<double>(in_loop) / (explored_s / static_cast<double>(points));
  }
};

using Costs = std::vector<std::vector<double>>;  // by point and objective

/// The front of all of them.
Costs FrontOf(const Costs& costs) {
  Costs front;
  for (const size_t row : ParetoFront(costs)) front.push_back(costs[row]);
  return front;
}

/// What each lot of costs has of the volume that their common front has, up to its worst value of
/// each objective. Units: shares.
std::vector<double> SharesOfVolume(const std::vector<Costs>& lots) {
  Costs all;
  for (const Costs& lot : lots) all.insert(all.end(), lot.begin(), lot.end());
  all = FrontOf(all);
  std::vector<double> worst = all.at(0);
  for (const auto& row : all)
    for (size_t i = 0; i < row.size(); ++i) worst[i] = std::max(worst[i], row[i]);
  for (double& value : worst) value += std::log(1.1);  // what is worst has a volume, too
  std::vector<double> shares;
  for (const Costs& lot : lots)
    shares.push_back(Hypervolume(FrontOf(lot), worst) / Hypervolume(all, worst));
  return shares;
}

class ExploreBench {
 public:
  explicit ExploreBench(const BenchExploreOptions& options) : options_(options) {
    WriteFileAtomically(At("swept.json"), kSwept);
    WriteFileAtomically(At("searched.json"), kSearched);
    RunSelf({"model", options_.network, "-o", At("model.onnx"), "--quiet"});
  }

  /// Errors: throws Error where a run takes other cycles than its point.
  Swept Sweep() {
    const Json summary = Explored({At("model.onnx"), "--space", At("swept.json"), "--no-pruning",
                                   "--objective", "latency,area"},
                                  "swept", &swept_.explore);
    const Space space = Space::Parse(kSwept, "swept");
    const Json::Array& points = *summary.Find("points")->as_array();
    swept_.points = std::ssize(points);
    swept_.in_loop = std::min(options_.loop, swept_.points);
    for (int64_t i = 0; i < swept_.in_loop; ++i) {
      const Json& point = points[static_cast<size_t>(i * swept_.points / swept_.in_loop)];
      const isa::Config config = space.ConfigOf(space.PointAt(*point.Find("point")->as_int()));
      WriteFileAtomically(At("config.json"), isa::ConfigToJson(config));
      const Taken taken =
          RunSelf({"run", At("model.onnx"), "-c", At("config.json"), "--effort", "0", "--engine",
                   "cycle", "--report", At("report.json"), "--quiet"});
      swept_.loop.wall_s += taken.wall_s, swept_.loop.cpu_s += taken.cpu_s;
      RequireEqual(config.name, *point.Find("networks")->as_array());
    }
    return swept_;
  }

  /// What `--search BY` costs, in logarithms of latency, area and energy.
  Costs CostsOf(const std::string& by, uint64_t seed) {
    Taken ignored;
    const Json summary = Explored(
        {options_.small, "--space", At("searched.json"), "--search", by, "--seed", StrCat(seed),
         "--points", StrCat(options_.points), "--no-pruning", "--objective", "latency,area,energy"},
        StrCat(by, seed), &ignored);
    Costs costs;
    for (const Json& point : *summary.Find("points")->as_array()) {
      std::vector<double>& row = costs.emplace_back();
      for (const char* objective : {"latency_ms", "area", "energy_mj"})
        row.push_back(std::log(*point.Find(objective)->as_double()));
    }
    return costs;
  }

 private:
  std::string At(const std::string& name) const { return StrCat(folder_.path(), "/", name); }

  Json Explored(const std::vector<std::string>& words, const std::string& name, Taken* taken) {
    std::vector<std::string> all = {"explore"};
    all.insert(all.end(), words.begin(), words.end());
    for (const std::string& word :
         {std::string("-o"), At(name), std::string("--effort"), std::string("0"),
          std::string("--confirm"), std::string("0"), std::string("--reports"), std::string("0"),
          std::string("--jobs"), StrCat(JobsOf(options_.jobs)), std::string("--quiet")})
      all.push_back(word);
    *taken = RunSelf(all);
    const std::string file = At(name) + "/summary.json";
    return Json::Parse(ReadTextFile(file), file);
  }

  void RequireEqual(const std::string& config, const Json::Array& networks) const {
    const Json report = Json::Parse(ReadTextFile(At("report.json")), "report");
    int64_t cycles = 0;
    for (const Json& layer : *report.Find("layers")->as_array())
      if (*layer.Find("where")->as_string() == "vta") cycles += *layer.Find("cycles")->as_int();
    const int64_t explored = *networks[0].Find("cycles")->as_int();
    if (cycles != explored)
      throw Error(config, "cycles of vta run", StrCat(cycles),
                  StrCat("must be vta explore's ", explored));
  }

  const BenchExploreOptions& options_;
  const Temporary folder_{NewTemporaryFolder("vta-bench-explore")};
  Swept swept_;
};

int BenchExplore(const BenchExploreOptions& options) {
  Progress progress("bench explore");
  ExploreBench bench(options);
  progress.At(options.network);
  const Swept swept = bench.Sweep();
  TableRows cells = {{"seed", "nsga2", "random", "ratio"}};
  Json::Array searches;
  std::vector<Costs> lots;  // by seed, bred and any
  for (const uint64_t seed : kSeeds)
    for (const char* by : {"nsga2", "random"}) {
      progress.At(StrCat("searching by ", by, ", seed ", seed));
      lots.push_back(bench.CostsOf(by, seed));
    }
  const std::vector<double> shares = SharesOfVolume(lots);
  for (size_t i = 0; i < std::size(kSeeds); ++i) {
    const double bred = shares[2 * i], any = shares[2 * i + 1];
    cells.push_back({StrCat(kSeeds[i]), fmt::format("{:.3f}", bred), fmt::format("{:.3f}", any),
                     fmt::format("{:.3f}", bred / any)});
    searches.push_back(
        Json().Set("seed", static_cast<int64_t>(kSeeds[i])).Set("nsga2", bred).Set("random", any));
  }
  progress.Hide();
  const auto per_minute = [](int64_t points, double seconds) {
    return 60 * static_cast<double>(points) / seconds;
  };
  if (options.json) {
    const auto taken = [](const Taken& of, int64_t points) {
      return Json().Set("points", points).Set("wall_s", of.wall_s).Set("cpu_s", of.cpu_s);
    };
    fmt::print("{}\n", HeadOf(kBenchExploreDocument)
                           .Set("network", options.network)
                           .Set("explore", taken(swept.explore, swept.points))
                           .Set("loop", taken(swept.loop, swept.in_loop))
                           .Set("searched", options.small)
                           .Set("searched_points", options.points)
                           .Set("searches", std::move(searches))
                           .Dump());
    return 0;
  }
  fmt::print(
      "{}",
      FormatTable({{options.network, "points", "a minute", "CPU s a point"},
                   {"vta explore", StrCat(swept.points),
                    fmt::format("{:.0f}", per_minute(swept.points, swept.explore.wall_s)),
                    fmt::format("{:.3f}", swept.explore.cpu_s / static_cast<double>(swept.points))},
                   {"a loop of vta run", StrCat(swept.in_loop),
                    fmt::format("{:.0f}", per_minute(swept.in_loop, swept.loop.wall_s)),
                    fmt::format("{:.3f}", swept.loop.cpu_s / static_cast<double>(swept.in_loop))}},
                  {false, true, true, true}));
  fmt::print("{:.1f} times the points a minute, {:.1f} of CPU; cycles equal\n\n",
             swept.PerPoint(swept.explore.wall_s, swept.loop.wall_s),
             swept.PerPoint(swept.explore.cpu_s, swept.loop.cpu_s));
  fmt::print(
      "{}, {} points of {}: share of the volume of all searches' front, in logarithms of latency, "
      "area and energy\n{}",
      options.small, options.points, Space::Parse(kSearched, "searched").size(),
      FormatTable(cells, {true, true, true, true}));
  return 0;
}

}  // namespace

std::function<int()> AddBenchExplore(CLI::App& app) {
  auto options = std::make_shared<BenchExploreOptions>();
  app.add_option("--network", options->network, "of vta model, that is swept")
      ->capture_default_str();
  app.add_option("--loop", options->loop, "points that vta run takes, too")
      ->check(IntegerFrom(1, 72))
      ->capture_default_str();
  app.add_option("--small", options->small, "network of the searches")->capture_default_str();
  app.add_option("--points", options->points, "of each search")
      ->check(IntegerFrom(16, 1'000'000))
      ->capture_default_str();
  app.add_option("--jobs", options->jobs.jobs, "points at once; all processors")
      ->check(IntegerFrom(1, 1024));
  app.add_flag("--json", options->json, "print for machines");
  return [options] { return BenchExplore(*options); };
}

}  // namespace vta::tools
