// Where the buffers of a scheduled function lie in the scratchpads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// The annotation of a block that gives the buffer it writes this many slots; each time the
/// buffer's allocation is reached, the next slot is taken, so that loads run ahead of their use.
inline constexpr char kSlotsAnnotation[] = "slots";

/// The slots of one buffer, `apart` rows from one to the next.
struct Slots {
  int64_t base = 0, rows = 0, slots = 1, apart = 0;
  /// The slots are not taken in turn: each holds the same, for what works in its accumulator bank.
  bool in_each_bank = false;

  int64_t Row(int64_t use) const { return base + use % slots * apart; }
};

/// Gives each allocated buffer of a scratchpad scope its rows. With two accumulator banks
/// (uarch.acc_banks), where all buffers that instructions compute have two slots and take them
/// together, their first slots lie in one bank and their second in the other, and each bank has a
/// copy of what is only loaded, so that an instruction's rows are all in one bank. Where a bank is
/// too small for that, slots lie one behind the other, as they do with one bank.
/// Errors: throws Error naming the scratchpad, the rows asked for and its depth when it is full.
std::map<const loop::BufferNode*, Slots> PlaceBuffers(const isa::Config& config,
                                                      const loop::Function& function);

}  // namespace vta::compiler::targets
