// vta bench farm: a search by workers beside the same in one process, and what more workers would
// do.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "compiler/models/models.h"
#include "compiler/tune/log.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/report/table.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/beside.h"
#include "tools/vta/bench/farm_model.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/self.h"

namespace vta::tools {
namespace {

struct FarmBenchOptions {
  std::string network = "resnet18", config = "default";
  int64_t trials = 256, workers = 2;
};

/// Of one append of so many lines that a batch brings.
double AppendSeconds(const std::vector<compiler::tune::LogEntry>& entries,
                     const std::string& file) {
  constexpr size_t kLines = 64;
  constexpr int kTimes = 20;
  compiler::tune::LogWriter writer(file);
  const std::vector<compiler::tune::LogEntry> lines(
      entries.begin(), entries.begin() + std::min<std::ptrdiff_t>(kLines, std::ssize(entries)));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) writer.Append(lines);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kTimes;
}

constexpr int kWaitS = 6;  // for what is seen of who waits

/// What the server took while something was done, and how long that was.
struct Spell {
  double server_s = 0, wall_s = 0;
  double Share() const { return std::max(server_s / wall_s, 0.0); }
  Spell operator-(const Spell& other) const {
    return {server_s - other.server_s, wall_s - other.wall_s};
  }
};

Spell SpellOf(const Beside& server, const std::function<void()>& work) {
  const double before_s = server.ChildSeconds();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {server.ChildSeconds() - before_s, took.count()};
}

/// Batches that workers did, as each says in the end.
int64_t Batches(const std::vector<std::unique_ptr<Beside>>& workers) {
  int64_t all = 0;
  for (const auto& worker : workers) {
    const std::string said = worker->End();
    long long jobs = 0, batches = 0;
    if (std::sscanf(said.c_str(), "%lld jobs in %lld batches", &jobs, &batches) != 2)
      throw Error("vta worker", "", said, "must say how many batches it did");
    all += batches;
  }
  return all;
}

std::string InPercent(double share) { return fmt::format("{:.2f} %", 100 * share); }
std::string InMs(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

int BenchFarm(const FarmBenchOptions& options) {
  const Temporary folder(NewTemporaryFolder("vta-bench-farm"));
  const std::string model = folder.path() + "/model.onnx", here = folder.path() + "/here.jsonl",
                    there = folder.path() + "/there.jsonl";
  compiler::BuildModel(options.network, 1, model);
  const auto tune = [&](const std::string& log, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"tune",  model, "-c",       options.config,
                                      "--log", log,   "--trials", std::to_string(options.trials)};
    words.insert(words.end(), more.begin(), more.end());
    return RunSelf(words);
  };
  const std::string jobs = std::to_string(options.workers);
  const Taken alone = tune(here, {"--jobs", jobs});
  // With nothing left to try.
  const Taken known = tune(here, {"--jobs", jobs});
  const auto entries = compiler::tune::ReadLog(here).entries;
  const auto trials = static_cast<double>(entries.size());
  const Beside server({"farm", "up", "--listen", "127.0.0.1:0"});
  const std::string url = server.line().substr(server.line().find("nats://"));
  FarmTimes times;
  // Two searches for which no worker comes: what they begin with is in both.
  const auto without_workers = [&](int wait_s) {
    return SpellOf(server, [&] {
      try {
        tune(folder.path() + "/none.jsonl", {"--farm", url, "--farm-wait", StrCat(wait_s)});
      } catch (const Error&) {  // that no worker came
      }
    });
  };
  times.search_share = (without_workers(1 + kWaitS) - without_workers(1)).Share();
  // The server is woken less often for each of many who wait than for each of few.
  constexpr int64_t kWaiting = 10;
  const auto waiting_workers = std::max(kWaiting, options.workers);
  std::vector<std::unique_ptr<Beside>> workers;
  for (int64_t i = 0; i < waiting_workers; ++i)
    workers.push_back(
        std::make_unique<Beside>(std::vector<std::string>{"worker", "--nats", url, "--jobs", "1"}));
  const auto wait = [](int wait_s) { std::this_thread::sleep_for(std::chrono::seconds(wait_s)); };
  wait(1);  // they look for their queue
  times.worker_share =
      SpellOf(server, [&] { wait(kWaitS); }).Share() / static_cast<double>(waiting_workers);
  workers.resize(static_cast<size_t>(options.workers));
  const auto search = [&](Taken* taken) {
    return SpellOf(server, [&] { *taken = tune(there, {"--farm", url, "--jobs", jobs}); });
  };
  Taken farmed, again, once_more;
  const Spell work = search(&farmed), nothing = search(&again);
  search(&once_more);
  again.cpu_s = std::min(again.cpu_s, once_more.cpu_s);
  times.job_s = (alone.cpu_s - known.cpu_s) / trials;
  times.tuner_s = std::max(farmed.cpu_s - again.cpu_s, 1e-3) / trials;
  times.append_s = AppendSeconds(entries, folder.path() + "/append.jsonl");
  const auto batches = static_cast<double>(Batches(workers));
  const Spell busy = work - nothing;
  const double waiting =
      times.search_share + times.worker_share * static_cast<double>(options.workers);
  times.server_s = std::max(busy.server_s - waiting * busy.wall_s, 1e-6) / batches;
  fmt::print(
      "{}",
      FormatTable(
          {{"what", "value"},
           {"trials", fmt::format("{:.0f}", trials)},
           {fmt::format("one process, {} at once", jobs), fmt::format("{:.1f} s", alone.wall_s)},
           {"batches", fmt::format("{:.0f}", batches)},
           {fmt::format("{} workers of one each", jobs), fmt::format("{:.1f} s", farmed.wall_s)},
           {"the latter's share of the former's pace",
            fmt::format("{:.2f}", alone.wall_s / farmed.wall_s)},
           {"a trial of a worker", InMs(times.job_s)},
           {"of the search, for a trial", InMs(times.tuner_s)},
           {"of the server, for a batch", InMs(times.server_s)},
           {"of its time, for a search that waits", InPercent(times.search_share)},
           {"of its time, for a worker that waits", InPercent(times.worker_share)},
           {"of the log, for an append", InMs(times.append_s)}},
          {false, true}));
  TableRows rows = {
      {"workers", "trials a second", "efficiency", "search busy", "log busy", "server busy"}};
  for (const int64_t count : {2, 10, 30, 100, 300, 1000}) {
    const FarmForecast forecast = SimulateFarm(times, count, 1);
    const auto share = [](double value) { return fmt::format("{:.2f}", value); };
    rows.push_back({std::to_string(count), fmt::format("{:.0f}", forecast.jobs_per_s),
                    share(forecast.efficiency), share(forecast.tuner), share(forecast.log),
                    share(forecast.server)});
  }
  fmt::print("\nsimulated\n{}", FormatTable(rows, {true, true, true, true, true, true}));
  return 0;
}

}  // namespace

std::function<int()> AddBenchFarm(CLI::App& app) {
  auto options = std::make_shared<FarmBenchOptions>();
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  app.add_option("NAME", options->network, "a network of vta model")
      ->check(OneOf(names))
      ->capture_default_str();
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  app.add_option("--trials", options->trials, "of each task")
      ->check(IntegerFrom(8, 1'000'000))
      ->capture_default_str();
  app.add_option("--workers", options->workers, "and trials at once of the one process")
      ->check(IntegerFrom(1, 1024))
      ->capture_default_str();
  return [options] { return BenchFarm(*options); };
}

}  // namespace vta::tools
