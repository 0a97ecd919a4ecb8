#include "runtime/engine.h"

#include "driver/boards.h"
#include "driver/functional/functional_device.h"

namespace vta::runtime {

std::string EngineList() {
  std::string list = kFunctionalEngine;
  for (const std::string& usage : driver::BoardUsages()) list += ", " + usage;
  return list;
}

bool IsEngine(const std::string& name) {
  return name == kFunctionalEngine || driver::IsBoard(name);
}

std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Package& package) {
  if (!package.config) return nullptr;
  if (name != kFunctionalEngine) return driver::OpenBoard(name, *package.config);
  return std::make_unique<driver::FunctionalDevice>(
      *package.config,
      driver::FunctionalOptions{.memory_bytes = driver::MemoryFor(package), .machine = {}});
}

}  // namespace vta::runtime
