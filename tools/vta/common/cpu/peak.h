// What one core of this CPU can compute in a second at most, measured: registers alone, no memory.
#pragma once

#include <string>
#include <vector>

namespace vta::tools {

/// One way to multiply and add that this CPU has.
struct CpuPeak {
  std::string instruction;  // "vpdpbusd zmm"
  bool is_int8 = false;     // otherwise fp32
  double gops = 0;          // 10^9 multiplications and additions a second
  std::string features;     // that it needs, as in isa::CpuRow
};

/// Measures each way, the best of many short runs, on the core where the caller stays; a few
/// hundredths of a second each. Empty on CPUs whose ways it does not know. AMX is none of them.
std::vector<CpuPeak> MeasureCpuPeaks();

/// Those that code with these features may use.
std::vector<CpuPeak> PeaksWith(const std::vector<CpuPeak>& peaks,
                               const std::vector<std::string>& features);

/// The fastest way, or 0.
double BestGops(const std::vector<CpuPeak>& peaks, bool is_int8);

}  // namespace vta::tools
