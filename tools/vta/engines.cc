#include "tools/vta/engines.h"

#include "driver/functional/functional_device.h"
#include "driver/rtl/rtl_device.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

struct Engine {
  std::string_view name;
  std::unique_ptr<driver::Device> (*open)(const isa::Config&, std::optional<int64_t> memory_bytes);
};

std::unique_ptr<driver::Device> OpenFunctional(const isa::Config& config,
                                               std::optional<int64_t> memory_bytes) {
  driver::FunctionalOptions options;
  if (memory_bytes) options.memory_bytes = driver::FunctionalMemoryFor(*memory_bytes);
  return std::make_unique<driver::FunctionalDevice>(config, options);
}

std::unique_ptr<driver::Device> OpenRtl(const isa::Config& config,
                                        std::optional<int64_t> memory_bytes) {
  return memory_bytes ? std::make_unique<driver::RtlDevice>(
                            config, driver::FunctionalMemoryFor(*memory_bytes))
                      : std::make_unique<driver::RtlDevice>(config);
}

constexpr Engine kEngines[] = {
    {"functional", OpenFunctional},
    {"rtl", OpenRtl},
};

}  // namespace

std::string EngineNames() {
  std::string names;
  for (const Engine& engine : kEngines) names += StrCat(names.empty() ? "" : ", ", engine.name);
  return names;
}

std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes) {
  for (const Engine& engine : kEngines)
    if (engine.name == name) return engine.open(config, memory_bytes);
  throw Error("--engine", "", name, StrCat("must be one of ", EngineNames()));
}

}  // namespace vta::tools
