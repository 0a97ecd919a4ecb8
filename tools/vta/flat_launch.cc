#include "tools/vta/flat_launch.h"

#include "driver/buffer.h"
#include "isa/support/error.h"

namespace vta::tools {

isa::LaunchResult RunFlat(const EngineOptions& engine, const isa::Config& config,
                          const FlatLaunch& launch, std::vector<uint8_t>& image) {
  const auto bytes = static_cast<int64_t>(image.size());
  const std::unique_ptr<driver::Device> device = OpenEngine(engine, config, bytes);
  driver::Buffer memory(*device, bytes);
  memory.CopyIn(0, image);
  // The device chooses where the image lies; base registers that point there make its addresses
  // offsets.
  const uint64_t origin = memory.address();
  isa::LaunchRequest request{.instruction_address = origin + launch.address,
                             .instruction_count = launch.count};
  request.base.fill(origin);
  isa::LaunchResult result;
  try {
    device->Launch(request);
    result = device->Wait(launch.limit);
    memory.CopyOut(0, image);
  } catch (const Error& error) {  // which names the device's addresses
    throw error.In(StrCat("image at ", Hex(origin)));
  }
  for (isa::ModuleState& state : result.modules)
    if (state.kind != isa::ModuleState::Kind::kDone) state.address -= origin;
  if (result.fetch.fault != isa::Fault::kNone) result.fetch.address -= origin;
  if (engine.timeline)
    for (sim::InstructionSlice& slice : engine.timeline->instructions) slice.address -= origin;
  return result;
}

}  // namespace vta::tools
