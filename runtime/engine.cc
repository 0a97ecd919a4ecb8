#include "runtime/engine.h"

#include "driver/boards.h"
#include "driver/functional/functional_device.h"
#include "isa/support/error.h"

namespace vta::runtime {

std::string EngineList() {
  std::string list = kFunctionalEngine;
  for (const std::string& usage : driver::BoardUsages()) list += ", " + usage;
  return list;
}

void CheckEngine(const std::string& name) {
  if (name == kFunctionalEngine) return;
  if (!driver::IsBoard(name))
    throw Error("--engine", "", name, StrCat("must be one of ", EngineList()));
  driver::CheckBoardName(name);
}

std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Package& package,
                                           int64_t sessions) {
  if (!package.config) return nullptr;
  return OpenEngine(name, *package.config, driver::MemoryFor(package, sessions));
}

std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Config& config,
                                           int64_t memory_bytes) {
  if (name != kFunctionalEngine) return driver::OpenBoard(name, config);
  return std::make_unique<driver::FunctionalDevice>(
      config, driver::FunctionalOptions{.memory_bytes = memory_bytes, .machine = {}});
}

}  // namespace vta::runtime
