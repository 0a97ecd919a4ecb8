// The paths of a netlist: from what the clock lets out, through the cells, to what it takes in.
#pragma once

#include <string>
#include <vector>

#include "tools/timing/delays.h"
#include "tools/timing/netlist.h"

namespace vta::tools {

/// A register, a memory or a block with registers: all bits that have one RTL name, as one.
struct Register {
  std::string instance, name;  // "u_read.g_client[*].u_buffer", "reserved_q"
};

/// A step of a path: over a net, then through a cell or into a register.
struct TimingEdge {
  int to;  // node; or register, for the last step
  float routing_ns, logic_ns;
  bool level;  // counts as a level of logic
};

struct TimingStart {
  int reg, node;
  float ns;  // clock to out
};

/// Nodes are numbered so that every edge goes up.
struct TimingGraph {
  std::vector<Register> registers;
  std::vector<TimingStart> starts;                  // sorted by register
  std::vector<std::vector<TimingEdge>> edges;       // of a node, to nodes
  std::vector<std::vector<TimingEdge>> last_edges;  // of a node, to registers
  std::vector<Net> nets;                            // of a node; kConstant inside a cell
};

/// Errors: throws Error naming the cell: one that the table does not know, an input that is used
/// and has no figure; a net with two drivers; two clocks; a combinational loop, with its nets.
TimingGraph BuildTimingGraph(const Netlist& netlist, const DelayTable& delays);

}  // namespace vta::tools
