// The engines that --engine names: devices that a package can run on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/cycle/cycle_device.h"
#include "driver/device.h"
#include "driver/gpu.h"
#include "driver/remote/held_device.h"
#include "isa/support/temporary.h"
#include "runtime/modules/kernel_runner.h"
#include "sim/trace/perfetto.h"
#include "sim/trace/timeline.h"
#include "tools/vta/common/progress.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// This machine, where CPUs are named.
inline constexpr char kNativeCpu[] = "native";

/// The simulators, and how boards are named.
std::vector<std::string> EngineNames();

/// Declares --credentials, of a client of a server.
CLI::Option* AddCredentialsTo(CLI::App& app, std::string* folder);

/// Which engine, and what it shows of itself while it runs.
struct EngineOptions {
  std::string name = "functional";            // or several, where AddListTo declared it
  bool lockstep = false;                      // beside what says what is right
  bool apart = false;                         // each layer in a launch of its own
  std::string wave;                           // FST file
  std::optional<int64_t> wave_from, wave_to;  // cycles since power-on
  std::string trace;                          // Perfetto file
  int64_t trace_mb = 256;                     // that it may have: viewers keep all of it

  // Of an engine that a server has.
  std::string credentials;  // a folder
  double wait_s = 60;       // for a free one
  int64_t priority = 0;
  /// What sessions have of it, of these options and their copies.
  std::shared_ptr<std::weak_ptr<driver::remote::HeldDevice>> held =
      std::make_shared<std::weak_ptr<driver::remote::HeldDevice>>();

  std::string device;   // that runs kernels of GPUs; empty: the first that is of their kind
  int64_t threads = 0;  // as runtime::SessionOptions

  std::string what_if;  // changes of the cycle model, as tools/vta/run/what_if.h has them

  /// A kernel that faults is an error, not the tool's end.
  runtime::KernelOptions kernels = {.confinement = runtime::Confinement::kGuarded};

  // Where they grow during a run: set by an Observation.
  std::string growing_wave;
  sim::Timeline* timeline = nullptr;       // borrowed
  Progress* progress = nullptr;            // borrowed; is told where the engine is
  std::span<driver::WhatIf> what_if_runs;  // borrowed

  /// Declares --device alone.
  void AddDeviceTo(CLI::App& app);
  /// Declares --measure, the engine whose cycles are what something costs, and what is asked of a
  /// server.
  void AddMeasureTo(CLI::App& app);
  /// Declares --measure of what measures for others: this machine's CPU, a GPU or an engine.
  void AddMachineTo(CLI::App& app);
  /// Whether the command line names the engine.
  bool is_named() const;
  /// Declares --engine, --device, --threads, and what is asked of a server.
  void AddNameTo(CLI::App& app);
  /// Without --threads, but with the options for looking into an engine, which choose one that
  /// they can look into.
  void AddTo(CLI::App& app);
  /// All of these, where --engine may list several.
  void AddListTo(CLI::App& app);

  /// What kind `device` is of; where it is empty, `otherwise`.
  const isa::GpuRow& GpuKind(const isa::GpuRow& otherwise) const;
  /// `device`, or the first of the other kind.
  std::string DeviceOf(const isa::GpuRow& otherwise) const;
  /// Opens it. `code_folder`: where what its driver makes of modules is kept; "" for nowhere.
  /// Errors: throws Error where there is no such.
  std::unique_ptr<driver::Gpu> OpenGpu(const isa::GpuRow& otherwise,
                                       const std::string& code_folder = "") const;
  /// The engines that `name` lists.
  std::vector<std::string> names() const;
  /// It is one that a server has.
  bool IsRemote() const;

  /// For a package without an accelerator. Errors: throws UsageError naming the first option that
  /// was given and chooses an engine or looks into one.
  void RefuseAll() const;

 private:
  friend class Observation;
  void AddLooksTo(CLI::App& app);
  void AddServerTo(CLI::App& app);
  void AddEngineTo(CLI::App& app);
  void AddThreadsTo(CLI::App& app);
  CLI::Option* name_option_ = nullptr;
};

/// The wave and the trace of one run. It is made before the device and goes after it: then the wave
/// is complete, of a failed run too, and takes the place of an older one.
class Observation {
 public:
  /// Errors: throws UsageError naming an option that wants another engine or makes no sense, and
  /// Error where the wave is to be no regular file.
  explicit Observation(EngineOptions& options);
  ~Observation();
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  /// Keeps a timeline for `option`, also where nobody asked for a trace.
  /// Errors: throws UsageError naming the option where there are several engines.
  void Record(const std::string& option);
  /// The timeline of the runs so far is not wanted, unless the trace is to have all of them.
  void NextRun() {
    if (options_.trace.empty()) timeline_ = {};
  }
  const sim::Timeline& timeline() const { return timeline_; }

  /// After a run, when the device has gone: writes the trace, with these launches. Errors: throws
  /// Error where the run ended before --wave-from, or the wave is not whole.
  void Finish(const isa::Config& config, std::span<const sim::NamedSlice> launches) const;

 private:
  EngineOptions& options_;
  sim::Timeline timeline_;
  std::optional<Temporary> wave_, names_;  // what grows, and what is put into it at the end
};

/// The device that a server has, of which sessions of these options have one together.
/// Errors: as driver::remote::Connect and Client::Acquire.
std::shared_ptr<driver::remote::HeldDevice> HoldDevice(const EngineOptions& options);

/// A device whose memory has room for one allocation of `memory_bytes`, or is as large as that
/// device's usually is; a board has what it has. Errors: as driver::OpenBoard.
std::unique_ptr<driver::Device> OpenEngine(const EngineOptions& options, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes = {});

}  // namespace vta::tools
