// LOAD and STORE: strided, padded copies between DRAM and the scratchpads.
#pragma once

#include <cstdint>
#include <span>

#include "isa/layout.h"
#include "isa/spec/faults.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

/// How far an instruction came: `done` elements (or micro-ops) are complete, then `fault` if any.
struct Progress {
  int64_t done = 0;
  isa::Fault fault = isa::Fault::kNone;
  int64_t dram_bytes = 0;  // moved
  bool stopped = false;    // the deadline passed: nothing is said about the rest
};

/// One LOAD that has no encoding fault. `base` is its memory type's base register, `pad` the byte
/// that SET gave the module, or 0. Where an element is both out of its buffer and refused by the
/// memory, the index is what is reported.
Progress Load(const isa::Layout& layout, const isa::Instruction& insn, uint64_t base, uint8_t pad,
              std::span<const uint8_t> dram, Scratchpads& pads);

/// One STORE that has no encoding fault.
Progress Store(const isa::Layout& layout, const isa::Instruction& insn, uint64_t base,
               const Scratchpads& pads, std::span<uint8_t> dram);

}  // namespace vta::sim
