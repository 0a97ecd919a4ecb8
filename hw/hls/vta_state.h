// What the kernels say to each other and to the host, the same for every config.
#pragma once

#include <stdint.h>

/// An instruction: its 128 bits.
struct vta_word {
  uint64_t low, high;
};

/// What fetch hands on: an instruction, and where it stands in the stream.
struct vta_command {
  vta_word word;
  uint32_t index;
};

enum vta_order {
  VTA_ORDER_START,   // a launch begins
  VTA_ORDER_FINISH,  // to compute: FINISH's barrier is open
  VTA_ORDER_STOP,    // the launch has ended: nothing is written any more
  VTA_ORDER_DRAIN,   // all have stopped: what channels hold is thrown away
};

/// From the monitor to a kernel. Units of addresses: bytes; memory ends at `limit`.
struct vta_launch {
  uint32_t order;
  uint64_t instructions;  // address of the first
  uint32_t count;
  uint64_t base[5];  // by memory type; acc8 has that of acc
  uint64_t limit;
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
  uint32_t answered;    // orders that were carried out
  uint32_t moves;       // grows with whatever the kernel did: while it stands, nothing happens
  uint32_t stage;       // of the instruction that is under way
  uint32_t retired;     // instructions that are done
  vta_command command;  // the instruction of `stage`
  uint32_t fault;
  uint32_t finished;  // FINISH is done
  // Counted since the launch began:
  uint32_t instructions[8];  // completed, by opcode
  uint64_t gemm_uops, alu_uops;
  uint64_t gemm_products;             // micro-ops of GEMM without reset
  uint64_t elements[6];               // moved from or to memory, by memory type
  uint32_t pushed_prev, pushed_next;  // tokens
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

/// What the host asks for, and what has become of it.
struct vta_request {
  uint32_t start;  // another value than before begins a launch
  uint32_t stop;   // the host's limit is reached
  vta_launch launch;
};
struct vta_result {
  uint32_t started, done;  // the request's `start`, taken and ended
  uint32_t outcome;        // vta_outcome
  vta_fetch_state fetch;
  vta_state modules[3];  // load, compute, store
};
enum vta_outcome {
  VTA_OUTCOME_FINISHED,
  VTA_OUTCOME_FAULT,
  VTA_OUTCOME_DEADLOCK,
  VTA_OUTCOME_NO_FINISH,
  VTA_OUTCOME_STOPPED,
};
