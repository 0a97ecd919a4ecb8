// The energy of a run, a model: exact counts of what it did, times what each costs in a technology.
// Left out are wires between blocks, the bus, decoding, pads of the chip, and the host.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/config.h"
#include "isa/launch.h"
#include "isa/support/json.h"
#include "tools/area/area.h"
#include "tools/energy/events.h"
#include "tools/energy/technology.h"

namespace vta::tools {

/// Cycles of launches; `busy` are those in which the compute module works.
struct Clocking {
  int64_t cycles = 0, busy = 0;
  double mhz = 0;
};
Clocking ClockingOf(const isa::Time& time, double mhz);

/// One kind of event. Units: pJ each; a row of static power has cycles.
struct EnergyRow {
  std::string group, name, unit;
  int64_t count = 0;
  double pj = 0;

  double mj() const { return 1e-9 * pj * static_cast<double>(count); }
};

struct Energy {
  std::string technology, dram;
  double ms = 0;  // that the cycles take
  std::vector<EnergyRow> rows;

  double mj() const;
  /// Sums of rows, the largest first. Units: mJ.
  std::vector<std::pair<std::string, double>> Groups() const;
};

/// What events and cycles of a config cost: a row for each kind that a config has, also where
/// nothing of it happened. It is linear in both, so layers sum to their run.
Energy EnergyOf(const EnergyModel& model, const isa::Config& config, const Events& events,
                const Clocking& clocking, const Resources& resources);
/// "energy (a model: 28nm, lpddr4): 3.21 mJ, 45.1 mW; dominated by DRAM 62 %, scratchpads 21 %".
std::string EnergyLine(const Energy& energy);
/// Every key of it stands in docs/report.md.
Json EnergyJson(const Energy& energy);

}  // namespace vta::tools
