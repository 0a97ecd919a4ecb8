// Which parameters the cycle model knows: a config with another one is refused, never estimated.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "isa/config.h"

namespace vta::sim::cycle {

/// The rows of spec/parameters.h whose every value the model has, or that change no cycle.
inline constexpr std::string_view kModelledUarch[] = {
    "bus_bits",          "clock_mhz",       "command_queue_depth", "fetch_buffer_instructions",
    "outstanding_reads", "max_burst_beats", "multiplier",          "alu_read_ports",
    "acc_banks"};
inline constexpr std::string_view kModelledMemory[] = {
    "read_latency_cycles", "write_latency_cycles", "bytes_per_cycle", "outstanding", "banks",
    "row_bytes",           "row_miss_cycles"};

/// The first parameter of a section that is not `modelled` and not at its default, which is the
/// hardware without it.
template <typename Section>
std::optional<isa::Parameter<Section>> FirstUnknown(std::span<const isa::Parameter<Section>> rows,
                                                    std::span<const std::string_view> modelled,
                                                    const Section& section) {
  for (const isa::Parameter<Section>& row : rows)
    if (std::ranges::find(modelled, row.key) == modelled.end() &&
        section.*row.member != Section().*row.member)
      return row;
  return std::nullopt;
}

/// Errors: throws Error naming config, parameter and value.
void RequireModelled(const isa::Config& config);

}  // namespace vta::sim::cycle
