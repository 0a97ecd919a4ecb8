// How long the cells and the nets of an FPGA family take: tables of figures, each with its source.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vta::tools {

enum class DelayKind {
  kArc,         // from an input to an output
  kClockToOut,  // from the clock pin to an output
  kSetup,       // of an input against the clock pin
  kUntimed,     // an input that no path ends at: resets that act without the clock, constants
};

/// One figure. `cells`, `from` and `to` are lists of alternatives, split by blanks; a port without
/// an index stands for all its bits, see HasPin. `when` are parameters, "MREG=0 PREG=1", all of
/// which must hold. Every row that fits counts, the longest wins. The cells "$input" and "$output"
/// are the ports of the design.
struct CellDelay {
  DelayKind kind;
  std::string_view cells, when, from, to;
  double ns;
  std::string_view source;
};

/// A connection that needs no routing; no `from_cells`: from any. `alone`: only where the net has
/// no other sink.
struct DirectNet {
  std::string_view from_cells, from, to_cells, to;
  bool alone;
  double ns;
  std::string_view source;
};

/// What any other connection takes: first_ns and doubling_ns for each doubling of the net's sinks;
/// into_ns more to a sink, and from_ns more from a driver, in a column of its own (block RAM, DSP
/// block).
struct NetDelay {
  double first_ns, doubling_ns, into_ns, from_ns;
  std::string_view into_cells, from_cells;
  std::string_view source;
};

struct DelayTable {
  std::span<const CellDelay> cells;
  std::span<const DirectNet> direct;
  NetDelay net;
};

/// The table of "xc7", "xcup" or "ecp5", of the one speed grade that its part has.
const DelayTable& FindDelays(std::string_view family);

/// Whether a list of ports has this bit: by "S", by "S[2]", or by "DO#", the ports DO0, DO1, ...
bool HasPin(std::string_view list, std::string_view port, size_t bit);

/// Whether `list` has `word` as one of its blank-separated words.
bool HasWord(std::string_view list, std::string_view word);

}  // namespace vta::tools
