// The micro-architecture as C++ for high-level synthesis: five kernels, a file each, that a block
// design joins. What they share: words, channels, what each says of itself. The parameters are
// those of the header of a config, `vta isa --c -c CONFIG`, which lies beside as vta_config.h.
//
// Each kernel is free-running (ap_ctrl_none, by hls.tcl): it is called again and again, does at
// most one stage of one instruction, and returns. It never waits inside: what it reads or writes
// may be refused (read_nb, write_nb), and then it comes back to it. What it is about it publishes
// as wires (ap_vld), by which vta_monitor sees that a launch has ended, and how.
#pragma once

#include <hls_stream.h>

#include "vta_config.h"
#include "vta_state.h"

// What a scratchpad row holds.
#define VTA_INP_ROW (VTA_BATCH * VTA_BLOCK_IN)
#define VTA_WGT_ROW (VTA_BLOCK_OUT * VTA_BLOCK_IN)
#define VTA_ACC_ROW (VTA_BATCH * VTA_BLOCK_OUT)
#define VTA_BUS_BYTES (VTA_BUS_BITS / 8)

// What pragmas refer to, which take names of constants.
const int kBurstBeats =  // a burst lies in a page of 4096 bytes
    VTA_MAX_BURST_BEATS < 4096 / VTA_BUS_BYTES ? VTA_MAX_BURST_BEATS : 4096 / VTA_BUS_BYTES;
const int kReads = VTA_OUTSTANDING_READS;
const int kCommands = VTA_COMMAND_QUEUE_DEPTH;
const int kFetchInstructions = VTA_FETCH_BUFFER_INSTRUCTIONS;
const int kOutBeats = VTA_ACC_DEPTH * (VTA_OUT_BYTES / VTA_BUS_BYTES);
const int kBenchBeats = kBenchBytes / VTA_BUS_BYTES;
const int kBenchWords = kBenchBytes / VTA_INSTRUCTION_BYTES;

/// A beat of the memory bus.
struct vta_beat {
  uint64_t part[VTA_BUS_BITS / 64];
};

typedef hls::stream<vta_command> vta_commands;
typedef hls::stream<vta_launch> vta_orders;
/// Tokens of a dependency queue one way, and the space that their reader has given back the other
/// way. A writer counts the space it has, so that a queue is as long as the config says whatever
/// FIFO carries it; so with commands.
typedef hls::stream<uint8_t> vta_tokens;

void vta_fetch(vta_orders& orders, const vta_word* memory, vta_commands& load,
               vta_commands& compute, vta_commands& store, vta_tokens& load_space,
               vta_tokens& compute_space, vta_tokens& store_space, vta_fetch_state& state);
void vta_load(vta_orders& orders, const vta_beat* memory, vta_commands& commands,
              vta_tokens& command_space, vta_tokens& from_next, vta_tokens& from_next_space,
              vta_tokens& to_next, vta_tokens& to_next_space,
              int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW], int8_t wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
              vta_state& state);
void vta_compute(vta_orders& orders, const vta_beat* memory, vta_commands& commands,
                 vta_tokens& command_space, vta_tokens& from_prev, vta_tokens& from_prev_space,
                 vta_tokens& from_next, vta_tokens& from_next_space, vta_tokens& to_prev,
                 vta_tokens& to_prev_space, vta_tokens& to_next, vta_tokens& to_next_space,
                 const int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW],
                 const int8_t wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
                 int8_t outputs[VTA_ACC_DEPTH][VTA_ACC_ROW], vta_state& state);
void vta_store(vta_orders& orders, vta_beat* memory, vta_commands& commands,
               vta_tokens& command_space, vta_tokens& from_prev, vta_tokens& from_prev_space,
               vta_tokens& to_prev, vta_tokens& to_prev_space,
               const int8_t outputs[VTA_ACC_DEPTH][VTA_ACC_ROW], vta_state& state);
void vta_monitor(uint32_t start_number, uint32_t stop_number, const vta_launch& launch,
                 vta_orders& fetch_orders, vta_orders& load_orders, vta_orders& compute_orders, vta_orders& store_orders,
                 const vta_fetch_state& fetch, const vta_state& load, const vta_state& compute,
                 const vta_state& store, vta_result& result);
