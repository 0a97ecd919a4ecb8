#include "sim/cycle/core/modelled.h"

#include "isa/support/error.h"

namespace vta::sim::cycle {
namespace {

template <typename Section>
void Require(const isa::Config& config, std::string_view name,
             std::span<const isa::Parameter<Section>> rows,
             std::span<const std::string_view> modelled, const Section& section) {
  if (const auto row = FirstUnknown<Section>(rows, modelled, section))
    throw Error(StrCat("config \"", config.name, "\""), StrCat(name, ".", row->key),
                std::to_string(section.*row->member),
                "the cycle model does not know it; the engine rtl counts its cycles");
}

}  // namespace

void RequireModelled(const isa::Config& config) {
  Require<isa::Uarch>(config, "uarch", isa::kUarchParameters, kModelledUarch, config.uarch);
  Require<isa::Memory>(config, "memory", isa::kMemoryParameters, kModelledMemory, config.memory);
}

}  // namespace vta::sim::cycle
