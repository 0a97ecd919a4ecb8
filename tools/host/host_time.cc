#include "tools/host/host_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

double MovingMilliseconds(const HostCpu& cpu, int64_t bytes) {
  return static_cast<double>(bytes) / (1e6 * cpu.gb_per_s);
}

double ComputingMilliseconds(const HostCpu& cpu, const isa::WorkCounts& work) {
  double cycles = 0;
  for (size_t kind = 0; kind < work.size(); ++kind)
    cycles += static_cast<double>(work[kind]) / cpu.per_cycle[kind];
  return cycles / (1e3 * static_cast<double>(cpu.mhz));
}

Json& SetTimes(const HostedRun& run, Json& json) {
  return json.Set("host_ms", run.host_ms)
      .Set("alone_ms", run.alone_ms())
      .Set("interval_ms", run.interval_ms());
}

}  // namespace

std::span<const HostCpu> HostsOf(const isa::Config& config) {
  for (const isa::MemoryPreset& preset : isa::kMemoryPresets) {
    if (!(config.memory == preset.At(config.uarch.clock_mhz))) continue;
    const auto* const board = std::ranges::find(kBoardHosts, preset.name, &BoardHost::preset);
    VTA_CHECK(board != std::end(kBoardHosts), preset.name);
    return {std::ranges::find(kHostCpus, board->key, &HostCpu::key), 1};
  }
  return kHostCpus;
}

std::string TextOf(const HostCpu& cpu) { return StrCat(cpu.name, " at ", cpu.mhz, " MHz"); }

double KernelMilliseconds(const HostCpu& cpu, int64_t bytes, const isa::WorkCounts& work) {
  return std::max(MovingMilliseconds(cpu, bytes), ComputingMilliseconds(cpu, work));
}

bool IsBoundByBytes(const HostCpu& cpu, int64_t bytes, const isa::WorkCounts& work) {
  return MovingMilliseconds(cpu, bytes) >= ComputingMilliseconds(cpu, work);
}

int64_t HostBytesOf(const isa::Package& package, const isa::PackageStep& step) {
  int64_t bytes = 0;
  for (const int64_t argument : package.kernels[step.kernel].argument_bytes) bytes += argument;
  return bytes;
}

std::optional<double> HostMilliseconds(const HostCpu& cpu, const isa::Package& package) {
  double ms = 0;
  for (const isa::PackageStep& step : package.steps) {
    if (step.kind == isa::PackageStep::Kind::kProgram) continue;
    if (step.kind == isa::PackageStep::Kind::kCopy || package.IsOnGpu(step) || !step.facts.work)
      return std::nullopt;
    ms += KernelMilliseconds(cpu, HostBytesOf(package, step), *step.facts.work);
  }
  return ms;
}

std::vector<HostedRun> HostedRunsOf(const isa::Config& config, const isa::Package& package,
                                    double accelerator_ms) {
  std::vector<HostedRun> runs;
  for (const HostCpu& cpu : HostsOf(config))
    if (const std::optional<double> ms = HostMilliseconds(cpu, package))
      runs.push_back({cpu, *ms, accelerator_ms});
  return runs;
}

std::string HostedTimeText(const HostedRun& run, double (*time)(const HostedRun&)) {
  // As wide whatever they are: a line has nine of them.
  const auto text = [](double ms) {
    return fmt::format("{:.{}f}", ms, ms < 10 ? 3 : ms < 100 ? 2 : 1);
  };
  return fmt::format("{} ({}, {})", text(time(run)), text(time(run.At(kDoubleRate))),
                     text(time(run.At(kHalfRate))));
}

std::string HostedLines(const std::vector<HostedRun>& runs, const std::string& of) {
  if (runs.empty()) return "";
  std::string text = fmt::format(
      "ms on the host, by a model (at double, at half its rates), beside {:.3f} on the "
      "accelerator{}{}:\n",
      runs[0].accelerator_ms, of.empty() ? "" : ", of ", of);
  for (const HostedRun& run : runs)
    text += fmt::format("  {}: {}; one run {}, each of two in flight {}\n", TextOf(run.cpu),
                        HostedTimeText(run, [](const HostedRun& at) { return at.host_ms; }),
                        HostedTimeText(run, [](const HostedRun& at) { return at.alone_ms(); }),
                        HostedTimeText(run, [](const HostedRun& at) { return at.interval_ms(); }));
  return text;
}

Json HostedJson(const HostedRun& run) {
  Json json = Json()
                  .Set("cpu", std::string(run.cpu.key))
                  .Set("name", TextOf(run.cpu))
                  .Set("is_model", true);
  SetTimes(run, json);
  for (const auto& [key, rate] : {std::pair{"at_half", kHalfRate}, {"at_double", kDoubleRate}}) {
    Json times;
    json.Set(key, SetTimes(run.At(rate), times));
  }
  return json;
}

Json::Array HostedJson(const std::vector<HostedRun>& runs) {
  Json::Array list;
  for (const HostedRun& run : runs) list.push_back(HostedJson(run));
  return list;
}

}  // namespace vta::tools
