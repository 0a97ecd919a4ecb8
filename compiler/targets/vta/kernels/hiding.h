// How a convolution's program may hide what memory takes behind what it computes.
#pragma once

#include <cstdint>

namespace vta::compiler::targets {

/// A restriction of the tilings that a convolution may have. All but the first are compared with
/// each other: then no maximum is joined to a convolution, for what is kept for that has two slots.
enum class Hiding : uint8_t {
  kAny,      // the cheapest of all
  kAlone,    // the same, of convolutions to which no maximum is joined
  kOneSlot,  // one copy of each buffer: nothing is loaded or stored beside the GEMMs on it
  kSlots,    // as many copies as pay, which tiles and steps take in turn; no virtual threads
  kThreads,  // two virtual threads, each with buffers of its own
};

class KnownTilings;

/// How tilings of convolutions are looked for; other kernels have one way.
struct Searching {
  Hiding hiding = Hiding::kAny;   // how they may hide latency
  KnownTilings* known = nullptr;  // of the config, what was found before
  bool for_cost = false;          // constants need no values, their sizes do
};

}  // namespace vta::compiler::targets
