// What one core of this CPU does in a second at most: compute, and move bytes at each level of its
// memory. Measured once a machine, and kept in the cache folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/spec/work.h"
#include "isa/support/json.h"

namespace vta::tools {

struct CpuBounds {
  /// Reads and writes of what a level holds: bytes that were copied count twice.
  struct Level {
    std::string name;   // "L1", "L2", "DRAM"
    int64_t bytes = 0;  // that it holds; the last one holds any number
    double gb_per_s = 0;
    bool operator==(const Level&) const = default;
  };

  std::string cpu;                       // its name; another one's are not taken
  double float_gops = 0, code_gops = 0;  // 10^9 multiplications and additions a second
  std::vector<Level> levels;             // the nearest first

  bool operator==(const CpuBounds&) const = default;
};

/// The least time that a kernel which reads and writes so many bytes needs on so many cores, in
/// nanoseconds: the larger of computing and moving. 0 where there is nothing to do.
double LeastNs(const CpuBounds& bounds, const isa::WorkCounts& work, int64_t bytes, int64_t cores);

/// Half a second on the core where the caller stays.
CpuBounds MeasureCpuBounds(const std::string& cpu);

Json ToJson(const CpuBounds& bounds);
/// Errors: as JsonReader.
CpuBounds ReadCpuBounds(const Json& json, const std::string& file);

/// Those that `folder` keeps of this CPU, or else measured now and kept, where that can be written.
CpuBounds BoundsOfThisCpu(const std::string& folder);

}  // namespace vta::tools
