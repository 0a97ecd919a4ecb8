// The layers whose codes cost a network's outputs most.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/quantise.h"

namespace vta::compiler::quantize {

/// Units: dB.
struct Cost {
  std::string layer;  // or input
  double gain;        // what the outputs would gain if what it makes were not rounded to codes
  double alone;       // signal to noise of the outputs if nothing else were
};

/// At most `most` that cost anything, the dearest first, among the twelve that are worst alone; on
/// the samples that count.
std::vector<Cost> Costliest(const Result& result, const Calibration& calibration, size_t most);

}  // namespace vta::compiler::quantize
