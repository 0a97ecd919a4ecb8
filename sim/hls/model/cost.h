// What a call of a kernel takes, in cycles, by the intervals of its pragmas and the config's
// memory. The simulation compiles the kernels with a statement behind each `#pragma HLS PIPELINE
// II=N`, which is done once an iteration, and one behind each label of such a loop, which is done
// where it is entered.
#pragma once

#include <stdint.h>

/// Where no loop is: a stage of an instruction.
constexpr uint64_t kVtaCallCycles = 3;
/// From what the first iteration reads to what it writes: the pragmas' distance of dependence.
constexpr uint64_t kVtaFillCycles = 8;

struct vta_cost {
  uint64_t read_latency, write_latency;  // of memory, in cycles
  uint64_t read_beat, write_beat;        // cycles from one to the next of a long transfer
  uint64_t channel_beat;                 // cycles of the channel that all kernels share
  uint64_t spent, channel;               // by the call that is under way; of the channel
  uint64_t least;                        // interval of the loop that it is in
  uint64_t first;                        // what that loop's first iteration takes besides
  bool moves;                            // whether it moves a beat an iteration

  void enter(uint64_t latency, uint64_t interval, bool moves_beats) {
    moves = moves_beats;
    first = kVtaFillCycles + latency;
    least = interval;
  }
  void micro_ops() { enter(0, 1, false); }
  void pads() { enter(0, 1, false); }
  void read_burst() { enter(read_latency, read_beat, true); }
  void write_burst() { enter(write_latency, write_beat, true); }
  void interval(uint64_t cycles) {
    spent += first + (cycles < least ? least : cycles);
    first = 0;
    if (moves) channel += channel_beat;
  }
};
extern vta_cost vta_cost_of_call;
