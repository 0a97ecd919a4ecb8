// The published timing rules of the hardware: the numbers that the RTL is built from, that the
// cycle model computes with and that tests assert.
//
// A launch starts with the cycle in which CONTROL.start is accepted and ends with the first cycle
// in which STATUS.done reads 1; CYCLES counts the cycles between. An instruction starts in the
// cycle in which its tokens are popped, and ends in the cycle in which it pushes its own: the
// tokens are visible in the next cycle, when every write of the instruction is too.
#pragma once

#include <cstdint>

namespace vta::isa::timing {

/// A GEMM or ALU instruction of N micro-ops that wait for nothing takes N + this many cycles from
/// its start to the earliest start of the next one: loop, micro-op read and its register, index
/// sum, operand read and its register, product, sums, operand selection, operation; the write is in
/// the cycle in which it ends. Data plays no part.
inline constexpr int64_t kExecuteFixedCycles = 9;

/// The next instruction starts this many cycles before that end when it is a GEMM or ALU with
/// micro-ops too, and there is space for the tokens that the first one pushes; but not before the
/// end of the instruction in front of the first one, and a cycle after that where both push to the
/// same queue.
inline constexpr int64_t kExecuteOverlapCycles = 6;
/// The same where the first one is a mul or requant.
inline constexpr int64_t kLongOverlapCycles = 9;

/// Stages of the multiplier pipeline behind mul and requant, on top of kExecuteFixedCycles.
inline constexpr int64_t kLongStages = 8;

/// A mul or requant micro-op that reads an accumulator row which one of the last micro-ops of its
/// instruction writes starts this many cycles after that micro-op, or later.
inline constexpr int64_t kLongWindowCycles = kLongStages + 1;

/// Cycles to read a requant parameter block, once for each change of src.
inline constexpr int64_t kRequantBlockCycles = 3;

/// And cycles in which nothing starts, when src changes, until what is written before would be read
/// as part of a block.
inline constexpr int64_t kRequantDrainCycles = kLongStages;

/// With two accumulator banks (uarch.acc_banks) what follows an ALU instruction starts beside it, and
/// works in the bank in which the ALU instruction does not, when all of this holds: its kernel has at
/// most kKernelUops micro-ops; its rows lie in one bank, none outside; its tokens find space; nothing
/// that started before it is unfinished; it started kReachCycles ago, and the last micro-op of its
/// first pass went to the operations kReachPassCycles ago, or longer. An ALU instruction with
/// micro-ops, FINISH, and what faults before it runs start when it has ended, or at its overlap.
inline constexpr int64_t kReachCycles = 18;
inline constexpr int64_t kReachPassCycles = 3;
inline constexpr int64_t kKernelUops = 16;

/// Instructions of the compute module that have started before the one that started last and have not
/// retired. They retire one a cycle, in order, when they have ended; what waits for one of them lets
/// the next one start where its tokens find space behind those of the others.
inline constexpr int64_t kOlderInstructions = 4;

/// A GEMM's micro-op whose row lies in the bank of the ALU instruction beside it, or follows one that
/// it overlaps, waits until this many cycles before the end of that: it reads what that wrote.
inline constexpr int64_t kReleaseCycles = 2;

/// What a LOAD takes on top of its beats and pads: it ends a cycle after its last write. In the
/// load module the next one, if it moves something and the token of the first has space, writes in
/// that cycle already, so that one after the other takes no more than beats and pads.
inline constexpr int64_t kLoadFixedCycles = 1;
/// The same for micro-ops, whose first beat is prepared for a cycle.
inline constexpr int64_t kUopLoadFixedCycles = 2;

/// What a LOAD takes on top of that and of the memory's read latency when nothing was asked for
/// ahead of its start, because it waited for its token.
inline constexpr int64_t kReadFixedCycles = 9;

/// What a STORE takes on top of its beats and the memory's write latency.
inline constexpr int64_t kStoreFixedCycles = 9;

/// Instructions whose reads a module may have asked for while an older one is still running.
inline constexpr int64_t kPendingInstructions = 4;

/// Write bursts in flight.
inline constexpr int64_t kOutstandingWrites = 16;

/// AXI4 forbids bursts that cross this boundary.
inline constexpr int64_t kBurstBoundaryBytes = 4096;

/// Cycles without any movement before the machine reports that nothing can move.
inline constexpr int64_t kQuietCycles = 8;

}  // namespace vta::isa::timing
