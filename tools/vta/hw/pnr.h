// vta hw pnr: a config's design placed and routed on an ECP5-85F by open tools.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "isa/config.h"

namespace vta::tools {

/// Boards whose bitstream open tools make: those with bitstreams/boards/NAME/board.f.
inline constexpr std::array<const char*, 1> kPnrBoards = {"ecp5_85f"};
/// What these boards have.
inline constexpr double kBoardMhz = 25;
inline constexpr int64_t kBaud = 115200;  // unless something else is asked for

struct PnrOptions {
  int64_t seeds = 3, jobs = 1, speed = 6;
  std::optional<double> freq_mhz;    // the clock aimed at; without it kPnrTargetMhz
  std::string package = "CABGA756";  // of kPnrPackages
  std::string folder;                // where bitstream and logs go
  std::string pins;                  // LPF file that places the pins; empty: anywhere
  std::string board;                 // of kPnrBoards, whose top it is; empty: the core alone
  int64_t baud = kBaud;              // of the board's serial line
  bool strict = false, selftest = false;
};
/// Packages of the part; floors are of the first.
inline constexpr std::array<const char*, 3> kPnrPackages = {"CABGA756", "CABGA554", "CABGA381"};
/// More than any config reaches, so that every path is worked on.
inline constexpr double kPnrTargetMhz = 100;

/// Errors: throws Error where the config is none for the board.
void CheckBoard(const isa::Config& config, const std::string& board);

/// "small_8x8-selftest": what its bitstream is called, without its ending.
std::string BitstreamName(const isa::Config& config, const PnrOptions& options);

/// Places and routes with the seeds from 1 on, prints clock, cells and worst paths, and writes
/// CONFIG.bit of the fastest seed (CONFIG-selftest.bit of the self-test, CONFIG-BOARD.bit of a
/// board), yosys.log and seed-N.log into the folder. Returns the exit status: 1 where it is strict
/// and the frequency asked for is not reached, or the config's floor (hw/synth/floors.txt), which
/// only the core alone is held to.
/// Errors: throws Error when the tools are missing or of another version, when one fails, with the
/// place of its log, and when the design does not fit, saying how much of what; Interrupted.
int PlaceAndRoute(const isa::Config& config, const PnrOptions& options);

}  // namespace vta::tools
