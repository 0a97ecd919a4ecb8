// What events cost in a technology: tables of energies, each figure with its source, or the rule by
// which it is scaled. They are files: tools/energy/technologies holds those that are shipped,
// docs/energy.md says what one looks like.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/config.h"

namespace vta::tools {

/// Energy of an access to a memory of so many bytes, 64 bits wide: between its points, and beyond
/// them, a power of the size.
class SramEnergy {
 public:
  static constexpr int64_t kBits = 64;
  using Point = std::pair<int64_t, double>;  // bytes, pJ
  SramEnergy() = default;
  /// Two points at least, in ascending order.
  explicit SramEnergy(std::vector<Point> points) : points_(std::move(points)) {}

  /// Units: pJ, of 64 bits.
  double At(int64_t bytes) const;
  /// Of a row of a scratchpad, which lies in memories side by side, 64 bits wide each or as narrow
  /// as the row is. Units: pJ.
  double OfRow(int64_t rows, int64_t row_bits) const;
  SramEnergy Scaled(double factor) const;

 private:
  std::vector<Point> points_;
};

/// Units: in the names; of registers per bit, of static power per item.
struct Technology {
  std::string name, about;
  double mac_pj = 0;             // 8 x 8 bits, added to 32
  double add_pj = 0;             // 32 bits: add, min, max
  double shift_pj = 0;           // 32 bits
  double multiply_pj = 0;        // 32 x 32 bits
  double register_write_pj = 0;  // of a bit that takes a new value
  double register_clock_pj = 0;  // of a bit in each cycle
  SramEnergy sram_pj;
  double static_mac_nw = 0, static_flip_flop_nw = 0, static_lut_nw = 0, static_sram_byte_nw = 0;
  std::map<std::string, double> dram_pj;  // of a byte, by type
};

/// What a run is costed with.
struct EnergyModel {
  Technology technology;
  std::string dram;  // one of its types

  double dram_pj() const { return technology.dram_pj.at(dram); }
};

/// Names of the shipped ones.
std::vector<std::string> ShippedTechnologies();

/// A shipped technology, by its name, or one of a file, which may scale figures of shipped ones.
/// Errors: throws UsageError where there is neither; Error naming file, key, value and rule where
/// the file is no such table.
Technology LoadTechnology(const std::string& name_or_file);
Technology ParseTechnology(std::string_view text, const std::string& file);

/// TECHNOLOGY[,DRAM]. What is left out is chosen by the config: where its memory is that of a
/// board, the board's fabric and DRAM, else what tools/energy/dram.json says for all others.
/// Errors: as LoadTechnology; UsageError where the technology has no such DRAM.
EnergyModel FindEnergyModel(const std::string& choice, const isa::Config& config);

/// The file of the technology of such a choice; empty where it names none.
/// Errors: throws UsageError where there is none of that name.
std::string EnergyFile(const std::string& choice);

}  // namespace vta::tools
