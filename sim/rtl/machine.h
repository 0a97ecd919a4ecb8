// The RTL as a machine: takes launches like the golden model, and counts cycles.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "isa/launch.h"
#include "isa/spec/registers.h"
#include "sim/rtl/build.h"
#include "sim/rtl/bus.h"
#include "sim/rtl/host_port.h"
#include "sim/rtl/model.h"
#include "sim/rtl/observer.h"
#include "sim/rtl/tracer.h"
#include "sim/trace/trace.h"

namespace vta::sim {

struct RtlOptions {
  TraceSink* trace = nullptr;    // borrowed
  Timeline* timeline = nullptr;  // borrowed; launches that end are added to it
  /// Sees the ports in each cycle of a launch, once the outputs have settled.
  std::function<void(const VtaPorts&)> on_cycle;
  /// The bus address of a launch's memory: the host's addresses are places in it. A multiple of
  /// 4096.
  uint64_t memory_base = 0;
  /// The DRAM behind the bus, where it is another one than the config's: the hardware is the same.
  std::optional<isa::Memory> memory;
  /// Where a launch's cycles since power-on are kept, now and then, for others to see. Borrowed.
  std::atomic<int64_t>* cycles_seen = nullptr;
  /// Random handshakes instead of the timing model.
  std::optional<uint64_t> random_seed;
  /// A second master contends for the memory while a launch runs: sim::Traffic of this seed.
  std::optional<uint64_t> traffic_seed;
  /// A launch that takes longer, in cycles or wall time, is stopped, and the machine starts anew.
  int64_t cycle_limit = std::numeric_limits<int64_t>::max();
  std::chrono::nanoseconds time_limit = std::chrono::nanoseconds::max();
  std::string wave_path;                                                   // FST; empty: none
  int64_t wave_begin = 0, wave_end = std::numeric_limits<int64_t>::max();  // cycles since power-on
};

class RtlMachine {
 public:
  /// Builds the model first if it has to.
  /// Errors: as BuildModel.
  explicit RtlMachine(const isa::Config& config, const RtlOptions& options = {},
                      const ModelOptions& model_options = {});

  const isa::Layout& layout() const { return layout_; }
  RtlOptions& options() { return options_; }

  /// Runs a launch to its end. Scratchpads keep what it leaves. Addresses outside `dram` are bus
  /// errors.
  /// Errors: throws Error when an address breaks an alignment rule, and when an assertion fails.
  isa::LaunchResult Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram);
  /// Errors: throws Error when an address of the request breaks an alignment rule.
  void CheckLaunch(const isa::LaunchRequest& launch) const;
  /// Writes a launch into the registers and starts it; Step() runs it, untraced.
  void WriteLaunch(const isa::LaunchRequest& launch);
  /// All memories and queues as after power-on.
  void PowerOn();

  /// Errors: throws Error when the port answers anything but OKAY.
  uint32_t ReadRegister(isa::Register first, int64_t word = 0);
  void WriteRegister(isa::Register first, uint32_t value, int64_t word = 0);
  int64_t ReadCounter(isa::HardwareCounter first, int64_t offset = 0);
  /// One clock cycle.
  void Step();
  bool interrupt() const { return *model_->ports().interrupt_o; }
  Bus& bus() { return *bus_; }
  HostPort& host() { return *host_; }
  int64_t cycle() const { return model_->cycle(); }

 private:
  bool Stops(int64_t cycles, std::chrono::steady_clock::time_point begin) const;
  isa::LaunchResult ReadResult(std::span<const isa::Word> program);

  isa::Layout layout_;
  RtlOptions options_;
  std::string model_path_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<HostPort> host_;
  std::unique_ptr<Tracer> tracer_;
  std::unique_ptr<Observer> observer_;
  bool tracing_ = false, observing_ = false;
};

}  // namespace vta::sim
