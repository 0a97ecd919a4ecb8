// The convolutions of a network by the way that their latency is hidden: what vta bench hiding
// measures.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/hiding.h"
#include "isa/config.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {

struct HidingWay {
  compiler::targets::Hiding hiding;
  const char *title, *key;
};
inline constexpr HidingWay kHidingWays[] = {
    {compiler::targets::Hiding::kOneSlot, "one slot", "one_slot"},
    {compiler::targets::Hiding::kSlots, "two slots", "two_slots"},
    {compiler::targets::Hiding::kThreads, "two threads", "two_threads"},
    {compiler::targets::Hiding::kAlone, "the compiler's choice", "compiler"}};
/// Places of these.
inline constexpr size_t kOneSlotWay = 0, kThreadsWay = 2, kFreeWay = 3;

/// By the ways, in their order; nothing where no tiling that fits hides latency so.
using HidingCycles = std::array<std::optional<int64_t>, std::size(kHidingWays)>;

struct HidingLayer {
  std::string name, op;
  int64_t macs = 0;
  HidingCycles cycles;

  bool complete() const {
    return std::ranges::all_of(cycles, [](const auto& way) { return way.has_value(); });
  }
};

struct HidingNetwork {
  std::string name;
  std::vector<HidingLayer> layers;
  int64_t counted = 0, macs = 0;  // of the layers that are complete
  HidingCycles cycles;            // and theirs; nothing where none is
};

/// Each layer runs apart, with what is best for it alone. Errors: as PackageOf.
HidingNetwork MeasureHiding(const std::string& network, const isa::Config& config,
                            Progress& progress);

/// Of the array's peak.
double ShareOfPeak(const isa::Config& config, int64_t macs, int64_t cycles);

}  // namespace vta::tools
