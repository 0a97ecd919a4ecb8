// The numbers of timing.h by name, for those that show them: the manual, and what says which rule
// two engines disagree about.
#pragma once

#include <string_view>

#include "isa/spec/timing.h"

namespace vta::isa::timing {

struct Number {
  std::string_view name;
  int64_t value;
  std::string_view unit;
  std::string_view meaning;
};

inline constexpr Number kNumbers[] = {
    {"kLaunchCycles", kLaunchCycles, "cycles",
     "from CONTROL.start to the first in which fetch asks and modules run"},
    {"kFifoCycles", kFifoCycles, "cycles",
     "from a push behind another word to the pop, in a queue in a block memory"},
    {"kPendingInstructions", kPendingInstructions, "instructions",
     "that a module asks the memory for ahead of the one that runs"},
    {"kExecuteFixedCycles", kExecuteFixedCycles, "cycles",
     "of a GEMM or ALU on top of its micro-ops, from start to end"},
    {"kExecuteOverlapCycles", kExecuteOverlapCycles, "cycles",
     "before the end of a GEMM or ALU in which the next one starts"},
    {"kLongOverlapCycles", kLongOverlapCycles, "cycles", "the same behind a mul or requant"},
    {"kLongStages", kLongStages, "stages", "of the multiplier behind mul and requant"},
    {"kLongWindowCycles", kLongWindowCycles, "cycles",
     "from a mul or requant micro-op to one that reads the row that it writes"},
    {"kRequantBlockCycles", kRequantBlockCycles, "cycles", "to read a requant parameter block"},
    {"kRequantDrainCycles", kRequantDrainCycles, "cycles",
     "in which nothing starts before a requant parameter block is read"},
    {"kFirstUopCycles", kFirstUopCycles, "cycles",
     "from the start of a GEMM or ALU to the operation of its first micro-op"},
    {"kReachCycles", kReachCycles, "cycles",
     "from the start of an ALU to what follows beside it, with two accumulator banks"},
    {"kReachPassCycles", kReachPassCycles, "cycles",
     "from the last micro-op of its first pass to what follows beside it"},
    {"kKernelUops", kKernelUops, "micro-ops", "at most, in an ALU that something runs beside"},
    {"kOlderInstructions", kOlderInstructions, "instructions",
     "that have started and not retired, behind the one that started last"},
    {"kReleaseCycles", kReleaseCycles, "cycles",
     "before the end of an ALU in which a GEMM reads its bank"},
    {"kLoadFixedCycles", kLoadFixedCycles, "cycles", "of a LOAD on top of its beats and pads"},
    {"kUopLoadFixedCycles", kUopLoadFixedCycles, "cycles",
     "of a LOAD of micro-ops on top of its beats"},
    {"kLutPartBytes", kLutPartBytes, "bytes", "of a table that a LOAD of lut writes a cycle"},
    {"kReadFixedCycles", kReadFixedCycles, "cycles",
     "of a LOAD that asks at its start, on top of that and of the read latency"},
    {"kStoreFixedCycles", kStoreFixedCycles, "cycles",
     "of a STORE on top of its beats and the write latency"},
    {"kFirstRowCycles", kFirstRowCycles, "cycles",
     "from a LOAD that is handed on, or a STORE that starts, to its first row"},
    {"kLoadRowCycles", kLoadRowCycles, "cycles", "from row to row of a LOAD"},
    {"kStoreRowCycles", kStoreRowCycles, "cycles", "from row to row of a STORE"},
    {"kBurstQueue", kBurstQueue, "bursts", "that wait to be asked for"},
    {"kRoomCycles", kRoomCycles, "cycles", "from a pop to the room that it makes for a burst"},
    {"kOutsideCycles", kOutsideCycles, "cycles",
     "from the start of a LOAD whose first element is outside to its fault"},
    {"kOutstandingWrites", kOutstandingWrites, "bursts", "written and not answered"},
    {"kBurstBoundaryBytes", kBurstBoundaryBytes, "bytes", "that no burst crosses"},
    {"kQuietCycles", kQuietCycles, "cycles",
     "without any movement before the machine says that nothing can move"},
};

constexpr const Number& Find(std::string_view name) {
  for (const Number& number : kNumbers)
    if (number.name == name) return number;
  throw "no such number";
}

}  // namespace vta::isa::timing
