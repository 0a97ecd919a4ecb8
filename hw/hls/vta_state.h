// What the kernels say to each other and to the host, the same for every config. Each struct is a
// port or a word of a stream: no struct lies in another, and none has bytes between its members or
// behind them, so it is as wide whichever way a tool aligns it; the first member is in the lowest
// bits.
#pragma once

#include <stdint.h>

// The memory of a test bench, of which co-simulation is to be told.
const int kBenchBytes = 1 << 16;

/// An instruction: its 128 bits.
struct vta_word {
  uint64_t low, high;
};

/// What fetch hands on: an instruction, and where it stands in the stream.
struct vta_command {
  uint64_t low, high;
  uint64_t index;
};

enum vta_order {
  VTA_ORDER_START,   // a launch begins
  VTA_ORDER_FINISH,  // to compute: FINISH's barrier is open
  VTA_ORDER_STOP,    // the launch has ended: nothing is written any more
  VTA_ORDER_DRAIN,   // all have stopped: what channels hold is thrown away
};

/// From the host to the monitor, and from there, with an order, to the other kernels. Units of
/// addresses: bytes; memory ends at `limit`.
struct vta_launch {
  uint64_t instructions;  // address of the first
  uint64_t base[5];       // by memory type; acc8 has that of acc, lut that of uop
  uint64_t limit;
  uint32_t count;
  uint32_t order;
};

enum vta_stage {
  VTA_STAGE_IDLE,  // for an instruction
  VTA_STAGE_DECODE,
  VTA_STAGE_POP_PREV,
  VTA_STAGE_POP_NEXT,
  VTA_STAGE_EXECUTE,
  VTA_STAGE_PUSH_PREV,
  VTA_STAGE_PUSH_NEXT,
  VTA_STAGE_HALTED,
};

/// What load, compute and store publish.
struct vta_state {
  // Counted since the launch began:
  uint64_t gemm_uops, alu_uops;
  uint64_t gemm_products;             // micro-ops of GEMM without reset
  uint64_t elements[6];               // moved from or to memory, by memory type
  uint32_t instructions[8];           // completed, by opcode
  uint32_t pushed_prev, pushed_next;  // tokens
  uint32_t retired;                   // instructions that are done
  uint32_t finished;                  // FINISH is done
  uint32_t answered;                  // orders that were carried out
  uint32_t moves;          // grows with whatever the kernel did: while it stands, nothing happens
  uint32_t stage;          // of the instruction that is under way,
  uint32_t opcode, index;  // what it is, and where it stands in the stream
  uint32_t fault;
};

/// What fetch publishes.
struct vta_fetch_state {
  uint32_t answered, moves;
  uint32_t fetched;    // instructions handed on
  uint32_t handed[3];  // of these, to load, compute and store
  uint32_t full;       // 1 + the module whose queue has no space for the next; 0: none
  uint32_t fault;
  uint32_t done;  // all are handed on, or FINISH is
};

/// What the monitor says to the host: of the launch, which is over once `done` is its number, and
/// what the registers hold (isa/spec/registers.h).
struct vta_result {
  uint64_t moves;  // grows with whatever a kernel did
  uint64_t counter[32];
  uint32_t state[4], index[4];  // fetch, load, compute, store
  uint32_t outcome, done;
};
