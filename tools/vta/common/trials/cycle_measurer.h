// Costs of programs by the cycle model: those of the RTL, without noise, and without data.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/tune/measurer.h"
#include "isa/config.h"

namespace vta::tools {

/// Units: cycles, from the launch to its end.
class CycleMeasurer : public compiler::tune::Measurer {
 public:
  /// Errors: throws Error where the model does not know a parameter of the config.
  explicit CycleMeasurer(isa::Config config);
  ~CycleMeasurer() override;

  std::string Name() const override { return "cycle"; }
  uint64_t Hash() const override { return isa::TimingHash(config_); }
  int64_t Measure(const compiler::tune::Trial& trial) const override;

 private:
  struct Bench;  // a model and its memory, of one trial at a time
  std::unique_ptr<Bench> Take() const;

  const isa::Config config_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Bench>> idle_;
};

}  // namespace vta::tools
