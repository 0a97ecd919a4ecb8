// What a candidate costs, measured by whoever has an engine, a CPU or a board.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/tune/space.h"

namespace vta::compiler::tune {

class Measurer {
 public:
  virtual ~Measurer() = default;
  /// A word for it, in logs and reports: "cycle".
  virtual std::string Name() const = 0;
  /// Of what costs depend on beside the code: logs of others do not count.
  virtual uint64_t Hash() const = 0;
  /// Which machine it is of those that the hash does not tell apart; "" for this one.
  virtual std::string Machine() const { return ""; }
  /// Whether what a trial costs is not the same each time.
  virtual bool is_noisy() const { return false; }
  /// What a trial costs. May be called by several threads at once.
  /// Errors: throws Error where it does not end as code should.
  virtual int64_t Measure(const Trial& trial) const = 0;
};

}  // namespace vta::compiler::tune
