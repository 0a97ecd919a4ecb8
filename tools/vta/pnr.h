// vta hw pnr: a config's design placed and routed on an ECP5-85F by open tools.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "isa/config.h"

namespace vta::tools {

struct PnrOptions {
  int64_t seeds = 3, jobs = 1, speed = 6;
  std::optional<double> freq_mhz;    // the clock aimed at; without it kPnrTargetMhz
  std::string package = "CABGA756";  // of kPnrPackages
  std::string folder;                // where bitstream and logs go
  std::string pins;                  // LPF file that places the pins; empty: anywhere
  bool strict = false, selftest = false;
};
/// Packages of the part; floors are of the first.
inline constexpr std::array<const char*, 3> kPnrPackages = {"CABGA756", "CABGA554", "CABGA381"};
/// More than any config reaches, so that every path is worked on.
inline constexpr double kPnrTargetMhz = 100;

/// Places and routes with the seeds from 1 on, prints clock, cells and worst paths, and writes
/// CONFIG.bit of the fastest seed (CONFIG-selftest.bit of the self-test), yosys.log and seed-N.log
/// into the folder. Returns the exit status: 1 where it is strict and the frequency asked for is
/// not reached, or the config's floor (hw/synth/floors.txt), which the self-test is not held to.
/// Errors: throws Error when the tools are missing or of another version, when one fails, with the
/// place of its log, and when the design does not fit, saying how much of what; Interrupted.
int PlaceAndRoute(const isa::Config& config, const PnrOptions& options);

}  // namespace vta::tools
