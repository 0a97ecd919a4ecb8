// Reads the instruction stream in bursts, and hands each instruction to the queue of its module.
#include "vta_module.h"

namespace {

enum { kLoad, kCompute, kStore };

/// STORE to store; LOAD of inp or wgt and SET of a load mode to load; all else, legal or not, to
/// compute.
uint32_t RouteOf(const vta_word& word) {
#pragma HLS INLINE
  const uint32_t opcode = VTA_FIELD(word, LOAD_OPCODE);
  if (opcode == VTA_OP_STORE) return kStore;
  const uint32_t type = VTA_FIELD(word, LOAD_MEMORY_TYPE);
  if (opcode == VTA_OP_LOAD && (type == VTA_MEM_INP || type == VTA_MEM_WGT)) return kLoad;
  if (VTA_PAD_VALUE && opcode == VTA_OP_SET && VTA_FIELD(word, SET_MODE) == VTA_MODE_PAD_LOAD)
    return kLoad;
  return kCompute;
}

vta_word buffer[VTA_FETCH_BUFFER_INSTRUCTIONS];

struct Fetch {
  bool running, draining;
  vta_launch launch;
  uint32_t next, held;  // in the buffer
  uint32_t space[3];    // of the queues
  vta_fetch_state state;
};

void vta_begin(Fetch& f, const vta_launch& launch) {
  const uint32_t answered = f.state.answered, moves = f.state.moves;
  f.launch = launch;
  f.running = true;
  f.draining = false;
  f.next = f.held = 0;
  for (int i = 0; i < 3; ++i) f.space[i] = VTA_COMMAND_QUEUE_DEPTH;
  f.state = vta_fetch_state();
  f.state.answered = answered;
  f.state.moves = moves;
}

/// The next instructions, as many as there are, are wanted and fit; none is a bus error.
void Fill(Fetch& f, const vta_word* memory) {
  const uint64_t address = f.launch.instructions + uint64_t(f.state.fetched) * sizeof(vta_word);
  const uint64_t there =
      address > f.launch.limit ? 0 : (f.launch.limit - address) / sizeof(vta_word);
  const uint32_t left = f.launch.count - f.state.fetched;
  uint32_t count = left < VTA_FETCH_BUFFER_INSTRUCTIONS ? left : VTA_FETCH_BUFFER_INSTRUCTIONS;
  if (there < count) count = uint32_t(there);
read_burst:
  for (uint32_t i = 0; i < count; ++i) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=kFetchInstructions
    buffer[i] = memory[address / sizeof(vta_word) + i];
  }
  f.next = 0;
  f.held = count;
  if (count == 0) f.state.fault = VTA_FAULT_BUS_ERROR;
  ++f.state.moves;
}

}  // namespace

void vta_fetch(vta_orders& orders, const vta_word* memory, vta_commands& load,
               vta_commands& compute, vta_commands& store, vta_tokens& load_space,
               vta_tokens& compute_space, vta_tokens& store_space, vta_fetch_state& state) {
#pragma HLS INTERFACE mode=axis port=orders
#pragma HLS INTERFACE mode=m_axi port=memory bundle=gmem offset=off depth=kBenchWords \
    max_read_burst_length=kBurstBeats
#pragma HLS INTERFACE mode=axis port=load
#pragma HLS INTERFACE mode=axis port=compute
#pragma HLS INTERFACE mode=axis port=store
#pragma HLS INTERFACE mode=axis port=load_space
#pragma HLS INTERFACE mode=axis port=compute_space
#pragma HLS INTERFACE mode=axis port=store_space
#pragma HLS INTERFACE mode=ap_vld port=state
#pragma HLS AGGREGATE variable=state compact=bit
  static Fetch f;
#pragma HLS ARRAY_PARTITION variable=f.space type=complete
#pragma HLS ARRAY_PARTITION variable=f.state.handed type=complete
#pragma HLS ARRAY_PARTITION variable=f.launch.base type=complete
#pragma HLS RESET variable=f
  vta_obey(f, orders);
  if (!f.running) {
    bool found = f.draining;
  drain:
    while (found) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=kCommands
      found = false;
      vta_throw_away(load_space, found);
      vta_throw_away(compute_space, found);
      vta_throw_away(store_space, found);
    }
    state = f.state;
    return;
  }
  vta_take_back(f.space[kLoad], load_space, f.state.moves);
  vta_take_back(f.space[kCompute], compute_space, f.state.moves);
  vta_take_back(f.space[kStore], store_space, f.state.moves);
  f.state.full = 0;
  if (f.state.done || f.state.fault) {
  } else if (f.state.fetched == f.launch.count) {
    f.state.done = 1;
    ++f.state.moves;
  } else if (f.next == f.held) {
    Fill(f, memory);
  } else {
    const vta_word word = buffer[f.next];
    const vta_command command = {word.low, word.high, f.state.fetched};
    const uint32_t to = RouteOf(word);
    if (f.space[to] == 0) {
      f.state.full = 1 + to;
    } else if (to == kLoad    ? load.write_nb(command)
               : to == kStore ? store.write_nb(command)
                              : compute.write_nb(command)) {
      --f.space[to];
      ++f.next;
      ++f.state.fetched;
      ++f.state.handed[to];
      if (VTA_FIELD(word, LOAD_OPCODE) == VTA_OP_FINISH) f.state.done = 1;
      ++f.state.moves;
    }
  }
  state = f.state;
}
