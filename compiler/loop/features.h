// What a cost model is told of a function: how often its blocks run, what they compute, and what of
// memory they touch in registers, in caches and in all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// Numbers that describe code. Those of one kind are as many and mean the same, each at its place.
struct Features {
  uint64_t kind = 0;
  std::vector<int32_t> values;
  bool operator==(const Features&) const = default;
};

/// Of any function the same kind: of the blocks that compute most, the first first, and of all of
/// them. Units: eighths of an octave; kNone where there is nothing.
Features FeaturesOf(const Function& function);
inline constexpr int32_t kNone = -1000;

/// Of what FeaturesOf makes: `block0 trips serial`.
std::vector<std::string> FeatureNames();

}  // namespace vta::compiler::loop
