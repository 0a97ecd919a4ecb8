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
/// end of the instruction in front of the first one that its unit, or the first one's, runs (with
/// one accumulator bank there is one unit), and a cycle after that where both push to the same
/// queue.
inline constexpr int64_t kExecuteOverlapCycles = 6;
/// The same where the first one is a mul or requant. Whatever is said of requant holds for lut.
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

/// With two accumulator banks (uarch.acc_banks) what follows an ALU instruction starts beside it,
/// and works in the bank in which the ALU instruction does not, when all of this holds: its kernel
/// has at most kKernelUops micro-ops; its rows lie in one bank, none outside; its tokens find
/// space; no older instruction is under way; it started kReachCycles ago; and the last micro-op of
/// its first pass, before any wait of its own, came to the operations kReachPassCycles ago:
/// kFirstUopCycles after the start if it is the only one, else a cycle after the one before it went
/// on. Not so an ALU instruction with micro-ops, FINISH, and what has a wrong encoding: they start
/// when it has ended, or at its overlap.
inline constexpr int64_t kReachCycles = 18;
inline constexpr int64_t kReachPassCycles = 3;
inline constexpr int64_t kKernelUops = 16;

/// From the start of a GEMM or ALU to the first cycle in which its first micro-op can go on to the
/// operations.
inline constexpr int64_t kFirstUopCycles = kExecuteFixedCycles - kExecuteOverlapCycles + 1;

/// Most instructions of the compute module that have started before the one that started last and
/// have not retired; the next one starts in the cycle after that in which the oldest of them
/// retires. They retire in order, one a cycle, when they have ended. An instruction that pushes to
/// a queue lets no other start before it retires while an older one that has not retired, or does
/// in this cycle, pushes there too.
inline constexpr int64_t kOlderInstructions = 4;

/// A micro-op of a GEMM that started before an ALU instruction ended goes on to the operations this
/// many cycles before the end of that, or later: it reads what that wrote. One with an index that
/// is outside waits for nothing. Micro-ops whose row is in the other bank do not wait, where the
/// ALU instruction's bank was known when the GEMM, or whatever first followed the ALU instruction,
/// started. A LOAD of acc or acc8 writes rows of that bank in the cycle after that end, or later,
/// and a LOAD of lut the table.
inline constexpr int64_t kReleaseCycles = 2;

/// What a LOAD takes on top of its beats and pads: it ends a cycle after its last write. In the
/// load module the next one, if it moves something and the token of the first has space, writes in
/// that cycle already, so that one after the other takes no more than beats and pads.
inline constexpr int64_t kLoadFixedCycles = 1;
/// The same for micro-ops, whose first beat is prepared for a cycle.
inline constexpr int64_t kUopLoadFixedCycles = 2;

/// A LOAD of lut writes so many bytes a cycle; a beat, which has more, is taken with its last ones.
inline constexpr int64_t kLutPartBytes = 4;

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

// What an instruction meets on its way, and a burst on its own. The RTL is built that way; the
// cycle model takes the numbers from here, and tests/rtl/model_mutants.py says what finds each
// that is wrong.

/// A launch begins with a clear: fetch asks for its first burst, and modules run, from this cycle
/// after CONTROL.start on.
inline constexpr int64_t kLaunchCycles = 3;

/// What is pushed into a queue can be popped in the next cycle where nothing is in front of it; in
/// a queue in a block memory (command queues, read buffers) what is pushed behind another one this
/// many cycles after its push, or in the cycle after that one.
inline constexpr int64_t kFifoCycles = 3;

/// From the cycle in which a LOAD is handed on to its module, or a STORE starts, to that in which
/// its first row is taken; the next ones are taken so many cycles later each, or when the last
/// burst of the row before has gone into the queue of bursts. What LOADs read is asked for in the
/// order of the instructions, and a STORE has one queue of its own.
inline constexpr int64_t kFirstRowCycles = 2;
inline constexpr int64_t kLoadRowCycles = 1;
inline constexpr int64_t kStoreRowCycles = 2;

/// A row is cut into bursts from the cycle after it is taken on, one a cycle; a burst can be asked
/// for in the cycle after that. So many wait at most: a place is free in the cycle after one is
/// granted.
inline constexpr int64_t kBurstQueue = 2;

/// Reads are granted one a cycle while AR is free: to fetch before compute before load, where the
/// buffer of the client has room for the longest burst behind all that it was granted, and the
/// client has fewer than uarch.outstanding_reads of them. A word that is popped counts as room so
/// many cycles later. In the cycle behind a grant the longest burst is taken for the one granted. A
/// burst is on AR in the cycle after its grant.
inline constexpr int64_t kRoomCycles = 2;

/// From the start of an instruction that faults because its first element is outside to the cycle
/// in which its module sees it: a LOAD of inp, wgt, acc or acc8 whose row is not there, and one of
/// micro-ops a cycle later. One of micro-ops that goes on behind the end of the memory is seen so
/// many cycles after its last beat that fits.
inline constexpr int64_t kOutsideCycles = 2;

}  // namespace vta::isa::timing
