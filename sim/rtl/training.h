// What a compiler learns a model's branches from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/launch.h"

namespace vta::sim {

/// A program in its memory, with the launch that starts it.
struct TrainingLaunch {
  isa::LaunchRequest launch;
  std::vector<uint8_t> dram;
};

/// A stream in the shape of tiled matrix products: LOADs of one slot while GEMM reads the other, at
/// the end of a tile ALU and STORE, tokens between all of them. It finishes on every config.
TrainingLaunch MakeTrainingLaunch(const isa::Config& config);

/// Runs it once on a model, for a limited number of cycles. What goes wrong is not told: whoever
/// runs the model for its own sake will see it.
void Train(const isa::Config& config, const std::string& model);

}  // namespace vta::sim
