// Static timing from the delays that place and route writes (SDF): every end of a path, not only
// the worst.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// From the clock edge at one register, memory or multiplier to the next edge at another.
/// Units:  nanoseconds; the cells' own delays, set-up time included, and those of the wires.
struct RoutedPath {
  std::string from, to;  // cells
  double logic_ns = 0, routing_ns = 0;
  int64_t levels = 0;  // cells on the way that wires lead to; a carry chain is one
  double total_ns() const { return logic_ns + routing_ns; }
};

/// The longest path to each input that has a set-up time and a register before it; the longest
/// first. A pin is a clock where a set-up time names it so; one clock is taken for granted.
/// Errors: throws Error naming the line that is no SDF as nextpnr writes it.
std::vector<RoutedPath> RoutedPaths(std::string_view sdf, const std::string& file);

/// The RTL's name of a register or memory from its cell's ("a.count_q[3]\TRELLIS_FF" is
/// "a.count_q"): what stands before Yosys' own additions and the bit.
std::string RegisterOf(const std::string& cell);

/// Paths that start at one register and end at one other: their worst, and how many there are.
struct RegisterPair {
  std::string from, to;
  RoutedPath worst;
  int64_t ends = 0;
};
/// Of paths that are sorted, in their order.
std::vector<RegisterPair> ByRegister(const std::vector<RoutedPath>& paths);

}  // namespace vta::tools
