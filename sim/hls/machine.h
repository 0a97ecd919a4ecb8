// The kernels of hw/hls as a machine: takes launches like the golden model. What their pragmas ask
// of a synthesis tool gives an estimate of cycles.
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "isa/launch.h"
#include "sim/hls/build.h"

namespace vta::sim {

struct HlsOptions {
  /// Words that the channels of orders and space hold: it makes no difference.
  int64_t channel_depth = 2;
  /// 0: each kernel is called when its last call has ended. Else, as this seed draws, sometimes a
  /// few calls later: it makes a difference to programs that race alone.
  uint64_t schedule = 0;
  /// A launch that takes longer is stopped.
  std::chrono::nanoseconds time_limit = std::chrono::nanoseconds::max();
};

class HlsMachine {
 public:
  /// Compiles the kernels first if it has to. Errors: as BuildHls, and Error when what was compiled
  /// cannot be loaded.
  explicit HlsMachine(const isa::Config& config, const HlsOptions& options = {},
                      const HlsBuild& build = {});
  ~HlsMachine();
  HlsMachine(HlsMachine&&) noexcept;
  HlsMachine& operator=(HlsMachine&&) noexcept;

  const isa::Layout& layout() const { return layout_; }
  HlsOptions& options() { return options_; }

  /// Runs a launch to its end. Scratchpads keep what it leaves. Addresses outside `dram` are bus
  /// errors; its size is one of whole beats.
  /// Errors: throws Error when an address breaks an alignment rule, when a queue held more than the
  /// config says, or a channel is not empty at the end.
  isa::LaunchResult Run(const isa::LaunchRequest& launch, std::span<uint8_t> dram);

 private:
  class Kernels;
  isa::Layout layout_;
  HlsOptions options_;
  std::unique_ptr<Kernels> kernels_;
};

}  // namespace vta::sim
