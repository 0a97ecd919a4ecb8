// How long the CPU of a board takes for what the accelerator does not: a model.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/package.h"
#include "isa/support/json.h"
#include "tools/host/cpus.h"

namespace vta::tools {

/// The CPU of the board whose memory the config has; for other configs every one.
std::span<const HostCpu> HostsOf(const isa::Config& config);
/// "Cortex-A9 at 650 MHz"
std::string TextOf(const HostCpu& cpu);

/// What a kernel takes: the longer of moving its bytes and of its operations, one after the other.
/// Units: ms.
double KernelMilliseconds(const HostCpu& cpu, int64_t bytes, const isa::WorkCounts& work);
/// Whether its bytes take longer.
bool IsBoundByBytes(const HostCpu& cpu, int64_t bytes, const isa::WorkCounts& work);

/// The bytes that a kernel reads and writes: its tensors, each once.
int64_t HostBytesOf(const isa::Package& package, const isa::PackageStep& step);

/// A run on the accelerator and a host. Units: ms.
struct HostedRun {
  HostCpu cpu;
  double host_ms = 0, accelerator_ms = 0;

  /// With the host at a share of its rates.
  HostedRun At(double rate) const { return {cpu, host_ms / rate, accelerator_ms}; }
  /// One run, with nothing beside it.
  double alone_ms() const { return host_ms + accelerator_ms; }
  /// From one result to the next with two runs in flight: one's steps on the host beside the
  /// other's on the accelerator.
  double interval_ms() const { return std::max(host_ms, accelerator_ms); }
};

/// Of all kernels of a package, whether it is for an accelerator or not. Nothing where steps are
/// for a GPU, or a kernel is without counts, as an older tool leaves it. Units: ms.
std::optional<double> HostMilliseconds(const HostCpu& cpu, const isa::Package& package);
/// With each of the config's hosts; none where there is no HostMilliseconds.
std::vector<HostedRun> HostedRunsOf(const isa::Config& config, const isa::Package& package,
                                    double accelerator_ms);

/// A line each under a title, which says that this is a model; nothing of none. `of`: what a run
/// is, where it is not one inference.
std::string HostedLines(const std::vector<HostedRun>& runs, const std::string& of = "");
/// A time, and in brackets the same at double and at half the rates.
std::string HostedTimeText(const HostedRun& run, double (*time)(const HostedRun&));
Json HostedJson(const HostedRun& run);
Json::Array HostedJson(const std::vector<HostedRun>& runs);

}  // namespace vta::tools
