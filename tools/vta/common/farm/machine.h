// The machines of a farm on which workers measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "compiler/tune/measurer.h"
#include "isa/support/error.h"
#include "tools/farm/study.h"
#include "tools/vta/common/farm/search.h"

namespace vta::tools {

/// Of a search, what it needs of a machine.
struct MachineWanted {
  std::string build, target;
  std::optional<uint64_t> arch;  // of the code that it is to run; any, where that is made for it
  std::string name;              // or "": the only one, or of several of one model
  std::string last;              // that one, where it is there, else the first
};

/// Waits for it as long as the options say. Errors: as farm::Link; throws Error listing what is
/// there where there are several models and no name, or it does not come.
farm::Machine PickMachine(const FarmOptions& options, const MachineWanted& wanted);

/// What a worker measures on: it says what it is, and measures nothing here.
class FarmMachine : public compiler::tune::Measurer {
 public:
  explicit FarmMachine(farm::Machine machine) : machine_(std::move(machine)) {}

  std::string Name() const override { return machine_.measurer; }
  uint64_t Hash() const override { return machine_.measured_on; }
  std::string Machine() const override { return machine_.name; }
  bool is_noisy() const override { return true; }
  int64_t Measure(const compiler::tune::Trial&) const override {
    VTA_CHECK(false, "a worker measures");
    return 0;
  }

  const farm::Machine& machine() const { return machine_; }

 private:
  const farm::Machine machine_;
};

}  // namespace vta::tools
