// The clocks that `vta hw timing` found for shipped configs, kept in hw/synth/estimates.txt, and
// how the clock that a config names stands to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/support/json.h"
#include "tools/area/area.h"

namespace vta::tools {

/// One row.
struct KeptEstimate {
  std::string config, part;
  double mhz = 0;             // that the longest path allows; the error is not taken off
  std::string yosys, design;  // its version; DesignHash, in hexadecimal
};
/// From rows "CONFIG PART MHZ YOSYS DESIGN"; '#' begins a comment.
/// Errors: throws Error naming the line that is no such row, or a config's second.
std::vector<KeptEstimate> ParseEstimates(std::string_view text, const std::string& file);

/// The text with this row where its config has one, otherwise at the end.
std::string WithEstimate(const std::string& text, const KeptEstimate& row);

/// What an estimate follows from: the RTL and the config's package without their comments, how they
/// are synthesised, the part's delays. Clock and memory of the config are left out.
/// Errors: throws Error when a file of `sources` cannot be read.
uint64_t DesignHash(const isa::Config& config, const Part& part, const std::string& sources);

/// What a config was found to reach, beside the clock that it names.
struct ClockEstimate {
  const Part* part;
  int64_t clock_mhz;
  double mhz;             // by the longest path
  double with_error_mhz;  // with the error against it (TimingError)
  std::optional<double>
      routed_mhz;   // the config's floor of place and route, where it is this part's
  bool is_current;  // of the RTL as it is

  bool IsExceeded() const;
};
/// By the row of the shipped config that is the same hardware: all of arch, and uarch but for the
/// clock. Nothing where there is none.
/// Errors: those of the files hw/synth/estimates.txt and floors.txt.
std::optional<ClockEstimate> EstimateOf(const isa::Config& config);

/// What is kept of shipped configs. Errors: those of hw/synth/estimates.txt.
struct ShippedEstimate {
  isa::Config config;
  const Part* part;
  double mhz;  // as KeptEstimate
};
std::vector<ShippedEstimate> ShippedEstimates();

/// One line: a warning where the clock is above the estimate; a note where the estimate is of an
/// older RTL; otherwise empty.
std::string ClockNote(const ClockEstimate& estimate);
Json ClockJson(const ClockEstimate& estimate);

/// Keeps what was found for a shipped config.
/// Errors: throws Error when the file cannot be written.
void KeepEstimate(const isa::Config& config, const Part& part, double mhz,
                  const std::string& yosys);
/// The shipped config that is the same hardware, of several the one of its name.
std::optional<std::string> ShippedNameOf(const isa::Config& config);

}  // namespace vta::tools
