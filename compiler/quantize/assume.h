// Codes and scales for a float network that nobody has data for: ranges that random inputs give.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/quantize/quantise.h"

namespace vta::compiler::quantize {

/// The network as Quantise makes it of one sample of random inputs, of mean 0 and deviation 1 where
/// they are numbers in floating point and else 0: every layer is of integers that is so with data,
/// and scales are of a size that hardware of `config` applies (absent: exact requantisation).
/// Layers without a bias get none. What it computes means nothing; what it takes to compute it
/// does. Errors: throws Error where the network is quantised already, and as Quantise.
Graph Assume(const Graph& imported, uint64_t seed, const std::optional<isa::Config>& config,
             const MakeRunner& make_runner);

}  // namespace vta::compiler::quantize
