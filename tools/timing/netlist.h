// A netlist of library cells: the one module of a flattened design, as Yosys' write_json gives it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/json.h"

namespace vta::tools {

/// A net is a number from 0 on, a constant is kConstant.
using Net = int;
inline constexpr Net kConstant = -1;

struct NetlistPort {
  std::string name;
  bool output = false;
  std::vector<Net> nets;  // by bit
};

struct NetlistCell {
  std::string name, type;
  std::map<std::string, std::string, std::less<>> parameters;
  std::vector<NetlistPort> ports;
};

struct Netlist {
  std::vector<NetlistCell> cells;
  std::vector<NetlistPort> ports;  // of the module; an input port drives its nets
  std::vector<std::string> names;  // of each net, see RtlName; "" where the source names none
};

/// The module that is marked as the top.
/// Errors: throws Error naming file and place: no such module, a port without direction, what is no
/// netlist.
Netlist ReadNetlist(const Json& json, const std::string& file);

/// What Yosys makes of an RTL name, undone: "u_a.\u_b.$auto$x" is "u_a.u_b"; indices of vectors,
/// generate loops and pieces of a memory become [*]: "g_lane[3].mem.0.1" is "g_lane[*].mem".
std::string RtlName(std::string_view name);

}  // namespace vta::tools
