// What became of each point: lines of a file that grows while a space is explored, and from which
// it goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tune/log.h"
#include "isa/support/json.h"
#include "tools/area/area.h"

namespace vta::tools {

/// One inference of a network on a point.
struct NetworkCost {
  int64_t cycles = 0;
  int64_t ideal_cycles = 0;  // sum of the layers' ideal lines
  int64_t dram_bytes = 0;
  double energy_mj = 0;   // by a model
  double macs_share = 0;  // of the multiplications, those that the accelerator does
  bool operator==(const NetworkCost&) const = default;
};

/// What Yosys and the static timing estimate say of a point's hardware.
struct OnPart {
  Resources takes;
  double mhz = 0, with_error_mhz = 0;  // that it reaches; with the estimate's error against it
  bool operator==(const OnPart&) const = default;
};

struct PointResult {
  enum class End : uint8_t { kCosted, kRefused, kPruned, kFailed };

  int64_t point = 0;  // its index in the space
  End end = End::kCosted;
  std::string why;                    // of all but kCosted
  std::vector<NetworkCost> networks;  // of kCosted
  std::optional<OnPart> on_part;      // where that was asked for
  bool operator==(const PointResult&) const = default;
};
std::string_view Name(PointResult::End end);

Json ToJson(const PointResult& result);
/// Errors: throws Error naming file, place, value and rule.
PointResult ReadPointResult(const Json& json, const std::string& where);

/// What results are of: those of another space, workload or tool are no results of this one.
struct ResultsHead {
  uint64_t space = 0, workload = 0;
  std::string tool;  // its version
  bool operator==(const ResultsHead&) const = default;
};

/// The lines that a folder has. One that was cut is left out: its point is costed again; where the
/// first was, the file is begun anew. Errors: throws Error where they are of something else, naming
/// what differs.
std::vector<PointResult> ReadResults(const std::string& path, const ResultsHead& head);

/// Appends to them; the first line is the head. Errors: as LogWriter.
class ResultsWriter {
 public:
  ResultsWriter(const std::string& path, const ResultsHead& head);
  void Append(const PointResult& result);

 private:
  compiler::tune::LogWriter lines_;
};

}  // namespace vta::tools
