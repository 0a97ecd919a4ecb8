// What a ledger holds to the RTL: a config of it, launch after launch without power-on.
#pragma once

#include <memory>
#include <string>

#include "sim/rtl/build.h"
#include "tests/rtl/ledger_programs.h"
#include "tests/rtl/ledger_table.h"

namespace vta::test {

class LedgerSides {
 public:
  virtual ~LedgerSides() = default;
  /// The first difference in words, or "". What ran is added to the row.
  virtual std::string Compare(const LedgerLaunch& launch, LedgerRow& row) = 0;
};

/// The cycle model: to the cycle, without values. A program that rereads is not for it. The memory
/// stands behind the bus of the config's own hardware.
std::unique_ptr<LedgerSides> CycleSides(const isa::Config& config, const isa::Memory& memory,
                                        const sim::ModelOptions& model);
/// Of the sources of the cycle model.
std::string CycleSourcesHash();

/// The kernels of hw/hls and the golden model: how a launch ends, what it counts besides cycles,
/// the whole memory; of programs that race not the memory.
std::unique_ptr<LedgerSides> HlsSides(const isa::Config& config, const sim::ModelOptions& model);
/// Of the sources of both.
std::string HlsSourcesHash();

isa::Config With(isa::Config config, const isa::Memory& memory);
/// A hash of what files hold.
std::string HashOf(const std::vector<std::string>& files);

}  // namespace vta::test
