// How far the method is off: its estimates for ECP5 netlists beside what nextpnr-ecp5 routed them
// to.
#pragma once

#include <span>
#include <string_view>

namespace vta::tools {

/// One netlist. The estimate is that of `vta hw timing --part lfe5u-85f --netlist`; the routed
/// period that of nextpnr-ecp5 with the same netlist, speed grade 6, the median of its seeds.
struct CalibrationPoint {
  std::string_view design, commit;
  int seeds;
  double estimated_ns, routed_ns;
};
std::span<const CalibrationPoint> CalibrationPoints();

/// The largest distance of a point's routed period from its estimate, as a part of the estimate.
double TimingError(std::span<const CalibrationPoint> points);

}  // namespace vta::tools
