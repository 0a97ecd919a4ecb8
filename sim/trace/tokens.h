// Which instruction's token let which other one start.
#pragma once

#include <vector>

#include "isa/layout.h"
#include "sim/trace/timeline.h"

namespace vta::sim {

/// A token's way through a queue. Units: places in Timeline::instructions.
struct TokenFlow {
  isa::Queue queue = isa::Queue::kLoadToCompute;
  size_t push = 0, pop = 0;
  bool operator==(const TokenFlow&) const = default;
};

/// The n-th push of a queue in a launch meets the n-th pop. Tokens that nobody took are left out.
/// In the order of launches, of queues in them, of tokens in those.
std::vector<TokenFlow> PairTokens(const Timeline& timeline, const isa::Layout& layout);

}  // namespace vta::sim
