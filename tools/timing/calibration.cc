#include "tools/timing/calibration.h"

#include <algorithm>
#include <cmath>

namespace vta::tools {
namespace {

// The third was routed from a netlist of Yosys 0.70 and estimated from one of 0.23, of the same
// RTL; which seed is not known. These three are of the RTL before its pipeline, the others of
// the one with it.
constexpr CalibrationPoint kPoints[] = {
    {"tests/rtl/configs/tiny_4x4.json", "711b4c0", "yosys 0.70, nextpnr 0.11.1", 1, 27.2, 26.5},
    {"small_8x8", "711b4c0", "yosys 0.23, nextpnr 0.11.1", 1, 26.9, 29.0},
    {"small_8x8", "711b4c0", "yosys 0.70, nextpnr 0.11.1", 1, 26.9, 31.2},
    {"small_8x8", "a8eab98", "yosys 0.70, nextpnr 0.11.1", 3, 13.3, 13.04},
    {"small_8x8", "2f306fe", "yosys 0.70, nextpnr 0.11.1", 3, 13.3, 11.94},
};

}  // namespace

std::span<const CalibrationPoint> CalibrationPoints() { return kPoints; }

double TimingError(std::span<const CalibrationPoint> points) {
  double error = 0;
  for (const CalibrationPoint& point : points)
    error = std::max(error, std::abs(point.routed_ns / point.estimated_ns - 1));
  return error;
}

}  // namespace vta::tools
