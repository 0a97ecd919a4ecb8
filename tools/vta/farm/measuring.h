// What a worker measures on: this machine's CPU, a GPU of it, or an engine that counts cycles.
#pragma once

#include <memory>
#include <string>

#include "compiler/tune/measurer.h"
#include "tools/farm/study.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

/// This machine, as names of workers have it: letters, digits, '-' and '_'.
std::string HostName();

/// What `engine` names. `config`: of the programs of an engine; "" for that of its server, or the
/// default. Errors: as what is opened.
farm::Machine MachineOf(const EngineOptions& engine, const std::string& config);

/// Whether no two of this machine may measure at once: not where another one does it.
bool IsHere(const EngineOptions& engine);

/// Of a model that is compiled so, on what `engine` names, or on the cycle model where it names
/// nothing. Errors: as what is opened.
std::unique_ptr<compiler::tune::Measurer> MeasurerOn(const EngineOptions& engine,
                                                     const ModelOptions& model);

/// One of all processes of this machine has it at a time; it goes with the process.
class MachineLock {
 public:
  /// Waits for it. Errors: throws Error where the system refuses.
  MachineLock();
  ~MachineLock();
  MachineLock(const MachineLock&) = delete;
  MachineLock& operator=(const MachineLock&) = delete;

 private:
  int socket_ = -1;
};

}  // namespace vta::tools
