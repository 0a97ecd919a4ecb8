// The engines that --engine names: devices that a package can run on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "driver/device.h"
#include "sim/trace/timeline.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// "functional, ..." for help texts.
std::string EngineNames();

/// Which engine, and what it shows of itself while it runs.
struct EngineOptions {
  std::string name = "functional";
  bool lockstep = false;                      // beside the golden model
  std::string wave;                           // FST file
  std::optional<int64_t> wave_from, wave_to;  // cycles since power-on
  std::string trace;                          // Perfetto file
  sim::Timeline* timeline = nullptr;          // borrowed; what the trace is made of

  /// Declares --engine alone.
  void AddNameTo(CLI::App& app);
  /// And the options for looking into the hardware, which choose the engine rtl.
  void AddTo(CLI::App& app);

  /// Before anything runs: what looks into the hardware wants the engine rtl.
  /// Errors: throws Error naming the option and the rule.
  void Check();
  /// After a run: the wave file is there.
  /// Errors: throws Error where the run ended before --wave-from.
  void CheckWave() const;

 private:
  CLI::Option* name_option_ = nullptr;
};

/// A device whose memory has room for one allocation of `memory_bytes`, or is as large as that
/// device's usually is. Errors: throws Error listing the engines where there is none of that name.
std::unique_ptr<driver::Device> OpenEngine(const EngineOptions& options, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes = {});

}  // namespace vta::tools
