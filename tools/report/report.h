// The report of a run: what each layer computed, moved and took, as a table and as JSON.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "driver/device.h"
#include "isa/package.h"
#include "isa/support/json.h"
#include "runtime/schedule.h"
#include "runtime/session.h"
#include "runtime/timer.h"
#include "tools/energy/energy.h"
#include "tools/host/host_time.h"
#include "tools/report/layout_changes.h"
#include "tools/timing/estimates.h"

namespace vta::tools {

/// The quickest of some warm runs, and the least that the machine needs. Units: milliseconds.
struct Slowness {
  double ms = 0, least_ms = 0;
};

struct LayerReport {
  std::string name;
  isa::LayerFacts facts;
  /// "vta", the accelerator, or "cpu", or a GPU's target; facts.why says why no program does it. Of
  /// a copy "to" or "from" a GPU's.
  std::string where;
  double wall_ms = 0;
  int64_t kernel_bytes = 0;  // of the tensors that a kernel takes and makes; that are copied
  isa::Counters counters;    // of the accelerator; its macs have the padding of channels in them
  int64_t launch = -1;       // in which it ran, of the run's; or none
  int64_t step = -1;         // the package's, or the first of several; of a sum none
  int64_t layers = 1;        // more where a device does not tell those of a launch apart; of a sum
  bool shares_launch = false;  // with other layers: fetch's cycles are then of none
  bool is_copy = false;
  std::optional<double> energy_mj;  // of a program, by a model
  std::optional<Slowness> slow;     // of a kernel of this CPU that is far from what it could take
  std::vector<double> host_ms;      // of a kernel, by a model of each of the report's hosts

  const std::optional<isa::Time>& time() const { return counters.time; }
  int64_t dram_bytes() const;
  int64_t instructions() const;
  int64_t uops() const { return counters.gemm_uops + counters.alu_uops; }
};

/// What samples in flight come to, and by whose time.
struct FlightReport {
  runtime::Throughput throughput;
  runtime::StepClock clock;
  int64_t runs = 0;  // that were measured; 0 where it is modelled
};

/// What it took to have a package on a GPU, and its first run there, copies included.
struct LoadReport {
  std::string gpu;
  double load_ms = 0;
  bool is_from_cache = false;  // the code of its kernels
  double first_ms = 0;
};

/// One run of a package: `batch` inferences.
struct RunReport {
  std::string model, config, engine;  // the last two are empty where there is no accelerator
  uint64_t arch_hash = 0;
  std::optional<uint64_t> timing_hash;   // of an engine that has time
  std::optional<uint64_t> package_hash;  // isa::PackageHash, where somebody asked for it
  double clock_mhz = 0;                  // the device's, where it says it, else the config's
  int64_t macs_per_cycle = 0;
  std::optional<ClockEstimate> estimate;  // of the config's
  int64_t batch = 1;
  std::optional<isa::Assumption> assumed;
  std::optional<isa::Inexactness> inexact;
  bool is_float = false;     // nothing is quantised: no accelerator computes any of it
  bool is_simulated = true;  // wall time is that of a simulation, not of an accelerator
  double wall_ms = 0, copy_ms = 0;
  std::string gpu;  // the target of the layers on one; empty where none is
  std::optional<LoadReport> load;
  runtime::MemoryUse memory;
  LayoutChanges layout_changes;
  std::vector<LayerReport> layers;  // those of a launch that its device does not tell apart are one
  int64_t launches = 0;
  std::optional<int64_t> between_launches;  // cycles that a timeline has besides the layers'
  std::optional<FlightReport> modelled;     // of an engine that has time
  std::optional<FlightReport> measured;     // where somebody asked for it
  std::optional<runtime::Timing> timing;    // the same; of one run
  std::vector<HostedRun> hosts;             // of a simulated engine that has time
  int64_t host_bytes_bound = 0;             // HostBytesBound, where there is an accelerator
  int64_t host_steps_bound = 0;             // HostStepsBound, the same
  std::optional<Energy> energy;             // the accelerator's and its DRAM's, where AddEnergy was

  bool has_accelerator() const { return !config.empty(); }
};

/// `device` is null for a package without programs.
RunReport MakeReport(const isa::Package& package, const runtime::RunProfile& profile,
                     const runtime::MemoryUse& memory, const driver::DeviceId* device,
                     const std::optional<ClockEstimate>& estimate,
                     int64_t in_flight = runtime::kUsuallyInFlight);
double Milliseconds(std::chrono::nanoseconds time);
/// What a layer's cycles are at the config's clock.
double ClockMilliseconds(const RunReport& report, int64_t cycles);
double FramesPerSecond(const RunReport& report, int64_t cycles);
/// The share of the multipliers' peak that a layer's own MACs reach; it must have time.
double PeakShare(const RunReport& report, const LayerReport& layer);
/// The machine bound over the cycles, 0 to 1, of a layer that has both. Where the run was quicker
/// it is 1 of a layer that shares a launch, whose bytes moved in the time of another, and else
/// absent: a board's memory may move more than the config says.
std::optional<double> BoundShare(const LayerReport& layer);
/// Why the machine bound is well above the ideal line, and what most of the cycles above the bound
/// went into where they are more than kFarFromBound of it; empty where neither is so.
std::string LostTo(const LayerReport& layer);

/// How far from its machine bound the compiler may leave a layer: so much of the bound, or, of a
/// layer of less than kShortLayer, what that is of kShortLayer.
inline constexpr double kFarFromBound = 0.04;
inline constexpr int64_t kShortLayer = 40'000;
inline constexpr auto kShortFarCycles = static_cast<int64_t>(kFarFromBound * kShortLayer);
bool IsFarFromBound(int64_t cycles, int64_t bound);

/// What a run of the package took by the model, and each layer: nothing without time.
void AddEnergy(const isa::Package& package, const EnergyModel& model, RunReport& report);

/// The sums of those layers that `counts` says.
LayerReport Total(const RunReport& report, const std::string& name,
                  bool (*counts)(const LayerReport&));
bool OnVta(const LayerReport& layer);
bool OnCpu(const LayerReport& layer);
bool OnGpu(const LayerReport& layer);
bool IsCopy(const LayerReport& layer);
bool Anywhere(const LayerReport& layer);

/// Of the clock of a package's config, where the device has time and that clock.
/// Errors: as EstimateOf.
std::optional<ClockEstimate> EstimateFor(const isa::Package& package,
                                         const driver::DeviceId* device);

/// A line for each layer and sums for accelerator, CPU and both; why layers are on the CPU; the
/// accelerator's share; the memory that it took. Where the engine has time: cycles, what they are
/// at the config's clock, the share of the multipliers' peak that the layer's own MACs reach, the
/// share of the cycles that the machine needs, with why that is well above the ideal line where it
/// is, and what the modules waited for; a line where the hardware was not found to reach that
/// clock. The narrow table fits the terminal or, where there is none, kTableColumns, as far as
/// shortening names can do that; the wide one has every column.
std::string ReportTable(const RunReport& report, bool wide = false);
inline constexpr int64_t kTableColumns = 120;

/// Every key of it stands in docs/report.md.
Json ReportJson(const RunReport& report);
Json InexactJson(const isa::Inexactness& inexact);

}  // namespace vta::tools
