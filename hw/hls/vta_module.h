// What load, compute and store have in common: orders, commands, tokens, and the stages that an
// instruction goes through. Each kernel has one vta_module as its state.
#pragma once

#include "vta.h"

#define VTA_HAS_SET (VTA_PAD_VALUE || VTA_REQUANT)

inline uint64_t vta_bits(const vta_word& word, int lsb, int bits) {
#pragma HLS INLINE
  const uint64_t half = lsb < 64 ? word.low : word.high;
  return bits == 0 ? 0 : half >> (lsb % 64) & (~uint64_t(0) >> (64 - bits));
}
#define VTA_FIELD(word, name) vta_bits(word, VTA_##name##_LSB, VTA_##name##_BITS)

/// The queue to a neighbour and the one from it, as one of the two sees them.
struct vta_neighbour {
  uint32_t space;  // of the queue that it reads
  uint32_t owed;   // space of the queue from it that it has not been told of
};

struct vta_module {
  bool running, draining;
  vta_launch launch;
  vta_word word;  // the instruction that is under way
  uint32_t command_owed;
  vta_neighbour prev, next;
  vta_state state;
};

inline void vta_begin(vta_module& m, const vta_launch& launch) {
  const uint32_t answered = m.state.answered, moves = m.state.moves;
  m.launch = launch;
  m.running = true;
  m.draining = false;
  m.command_owed = 0;
  m.prev.space = m.next.space = VTA_TOKEN_CAPACITY;
  m.prev.owed = m.next.owed = 0;
  m.state = vta_state();
  m.state.answered = answered;
  m.state.moves = moves;
  m.state.stage = VTA_STAGE_IDLE;
}

/// Takes an order where there is one: of a module, or of fetch, which has a vta_begin of its own.
template <class Kernel>
void vta_obey(Kernel& m, vta_orders& orders) {
#pragma HLS INLINE
  vta_launch order;
  if (!orders.read_nb(order)) return;
  switch (order.order) {
    case VTA_ORDER_START:
      vta_begin(m, order);
      break;
    case VTA_ORDER_FINISH:
      m.launch.order = VTA_ORDER_FINISH;
      break;
    case VTA_ORDER_STOP:
      m.running = false;
      break;
    default:
      m.draining = true;
      break;
  }
  ++m.state.answered;
  ++m.state.moves;
}

/// Tells what is owed of a queue that was read.
inline void vta_give_back(uint32_t& owed, vta_tokens& space, uint32_t& moves) {
#pragma HLS INLINE
  if (owed == 0 || !space.write_nb(1)) return;
  --owed;
  ++moves;
}

inline void vta_take_back(uint32_t& space, vta_tokens& given, uint32_t& moves) {
#pragma HLS INLINE
  uint8_t token;
  if (!given.read_nb(token)) return;
  ++space;
  ++moves;
}

/// A token from a neighbour, if there is one.
inline bool vta_pop(vta_neighbour& neighbour, vta_tokens& from) {
#pragma HLS INLINE
  uint8_t token;
  if (!from.read_nb(token)) return false;
  ++neighbour.owed;
  return true;
}

/// A token to a neighbour, if its queue has space.
inline bool vta_push(vta_neighbour& neighbour, vta_tokens& to, uint32_t& pushed) {
#pragma HLS INLINE
  if (neighbour.space == 0 || !to.write_nb(1)) return false;
  --neighbour.space;
  ++pushed;
  return true;
}

template <class Word>
void vta_throw_away(hls::stream<Word>& channel, bool& found) {
#pragma HLS INLINE
  Word word;
  if (channel.read_nb(word)) found = true;
}

/// To the stage behind this one.
inline void vta_advance(vta_module& m) {
#pragma HLS INLINE
  ++m.state.stage;
  ++m.state.moves;
}

/// Ends a stage: with a fault the module halts.
inline void vta_end_stage(vta_module& m, uint32_t fault) {
#pragma HLS INLINE
  vta_advance(m);
  if (fault == VTA_FAULT_NONE) return;
  // It holds its instruction no more, whose tokens it may not have popped.
  if (m.state.stage <= VTA_STAGE_EXECUTE) ++m.command_owed;
  m.state.fault = fault;
  m.state.stage = VTA_STAGE_HALTED;
}

inline void vta_retire(vta_module& m) {
#pragma HLS INLINE
  ++m.state.instructions[m.state.opcode];
  ++m.state.retired;
  if (m.state.opcode == VTA_OP_FINISH) m.state.finished = 1;
  m.state.stage = VTA_STAGE_IDLE;
  ++m.state.moves;
}

/// Whether the kernel is to do the stage that the instruction is at, decoding or executing it; the
/// others are done here, one at a call. A module without a neighbour on one side gives the channels
/// of the other for it, which are not touched.
template <bool kPrev, bool kNext>
bool vta_stage_of(vta_module& m, vta_orders& orders, vta_commands& commands,
                  vta_tokens& command_space, vta_tokens& from_prev, vta_tokens& from_prev_space,
                  vta_tokens& to_prev, vta_tokens& to_prev_space, vta_tokens& from_next,
                  vta_tokens& from_next_space, vta_tokens& to_next, vta_tokens& to_next_space) {
#pragma HLS INLINE
  vta_obey(m, orders);
  if (!m.running) {
    bool found = m.draining;
  drain:
    while (found) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=kCommands
      found = false;
      vta_throw_away(commands, found);
      if (kPrev) vta_throw_away(from_prev, found);
      if (kPrev) vta_throw_away(to_prev_space, found);
      if (kNext) vta_throw_away(from_next, found);
      if (kNext) vta_throw_away(to_next_space, found);
    }
    return false;
  }
  vta_give_back(m.command_owed, command_space, m.state.moves);
  if (kPrev) vta_give_back(m.prev.owed, from_prev_space, m.state.moves);
  if (kNext) vta_give_back(m.next.owed, from_next_space, m.state.moves);
  if (kPrev) vta_take_back(m.prev.space, to_prev_space, m.state.moves);
  if (kNext) vta_take_back(m.next.space, to_next_space, m.state.moves);
  vta_command command;
  switch (m.state.stage) {
    case VTA_STAGE_IDLE:
      if (!commands.read_nb(command)) return false;
      m.word.low = command.low;
      m.word.high = command.high;
      m.state.opcode = uint32_t(VTA_FIELD(m.word, LOAD_OPCODE));
      m.state.index = uint32_t(command.index);
      vta_advance(m);
      return false;
    case VTA_STAGE_POP_PREV:
      if (!kPrev || !VTA_FIELD(m.word, LOAD_POP_PREV) || vta_pop(m.prev, from_prev)) vta_advance(m);
      return false;
    case VTA_STAGE_POP_NEXT:
      if (kNext && VTA_FIELD(m.word, LOAD_POP_NEXT) && !vta_pop(m.next, from_next)) return false;
      ++m.command_owed;  // it starts
      vta_advance(m);
      return false;
    case VTA_STAGE_PUSH_PREV:
      if (!kPrev || !VTA_FIELD(m.word, LOAD_PUSH_PREV) ||
          vta_push(m.prev, to_prev, m.state.pushed_prev))
        vta_advance(m);
      return false;
    case VTA_STAGE_PUSH_NEXT:
      if (!kNext || !VTA_FIELD(m.word, LOAD_PUSH_NEXT) ||
          vta_push(m.next, to_next, m.state.pushed_next))
        vta_retire(m);
      return false;
    case VTA_STAGE_HALTED:  // what comes is thrown away
      if (!commands.read_nb(command)) return false;
      ++m.command_owed;
      ++m.state.moves;
      return false;
    default:
      return true;
  }
}
