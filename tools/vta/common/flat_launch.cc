#include "tools/vta/common/flat_launch.h"

#include "driver/buffer.h"
#include "isa/support/error.h"

namespace vta::tools {

namespace {

isa::LaunchResult RunOne(driver::Device& device, uint64_t origin, const FlatLaunch& launch) {
  isa::LaunchRequest request{.instruction_address = origin + launch.address,
                             .instruction_count = launch.count};
  // The device chooses where the image lies; base registers that point there make its addresses
  // offsets.
  request.base.fill(origin);
  device.Launch(request);
  isa::LaunchResult result = device.Wait(launch.limit);
  for (isa::ModuleState& state : result.modules)
    if (state.kind != isa::ModuleState::Kind::kDone) state.address -= origin;
  if (result.fetch.full || result.fetch.fault != isa::Fault::kNone) result.fetch.address -= origin;
  return result;
}

}  // namespace

std::vector<isa::LaunchResult> RunFlat(const EngineOptions& engine, const isa::Config& config,
                                       std::span<const FlatLaunch> launches,
                                       std::vector<uint8_t>& image) {
  const auto bytes = static_cast<int64_t>(image.size());
  const std::unique_ptr<driver::Device> device = OpenEngine(engine, config, bytes);
  driver::Buffer memory(*device, bytes);
  const uint64_t origin = memory.address();
  std::vector<isa::LaunchResult> results;
  try {
    memory.CopyIn(0, image);
    for (const FlatLaunch& launch : launches) {
      results.push_back(RunOne(*device, origin, launch));
      if (results.back().outcome != isa::Outcome::kFinished) break;
    }
    memory.CopyOut(0, image);
    if (engine.progress) engine.progress->Hide();
  } catch (const Error& error) {  // which names the device's addresses
    throw error.In(StrCat("image at ", Hex(origin)));
  }
  if (engine.timeline)
    for (sim::InstructionSlice& slice : engine.timeline->instructions) slice.address -= origin;
  return results;
}

}  // namespace vta::tools
