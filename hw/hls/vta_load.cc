// LOADs of inputs and weights.
#include "vta_transfer.h"

namespace {

template <int kBytes>
struct Rows {
  int8_t (*rows)[kBytes];
  int8_t pad;
  void Put(uint32_t row, const uint8_t* element) {
#pragma HLS INLINE
    for (int i = 0; i < kBytes; ++i) {
#pragma HLS UNROLL
      rows[row][i] = int8_t(element[i]);
    }
  }
  void Pad(uint32_t row) {
#pragma HLS INLINE
    for (int i = 0; i < kBytes; ++i) {
#pragma HLS UNROLL
      rows[row][i] = pad;
    }
  }
};

uint32_t DecodeFault(const vta_word& word) {
  if (VTA_FIELD(word, LOAD_POP_PREV) || VTA_FIELD(word, LOAD_PUSH_PREV))
    return VTA_FAULT_ILLEGAL_DEPENDENCY;
  // Fetch hands this module no other instructions than LOADs of what it loads and SETs of its mode.
  if (VTA_FIELD(word, LOAD_OPCODE) == VTA_OP_SET && VTA_FIELD(word, SET_VALUE) > 255)
    return VTA_FAULT_ILLEGAL_MODE;
  return VTA_FAULT_NONE;
}

}  // namespace

void vta_load(vta_orders& orders, const vta_beat* memory, vta_commands& commands,
              vta_tokens& command_space, vta_tokens& from_next, vta_tokens& from_next_space,
              vta_tokens& to_next, vta_tokens& to_next_space,
              int8_t inp[VTA_INP_DEPTH][VTA_INP_ROW], int8_t wgt[VTA_WGT_DEPTH][VTA_WGT_ROW],
              vta_state& state) {
#pragma HLS INTERFACE mode=axis port=orders
#pragma HLS INTERFACE mode=m_axi port=memory bundle=gmem offset=off depth=kBenchBeats \
    max_read_burst_length=kBurstBeats num_read_outstanding=kReads
#pragma HLS INTERFACE mode=axis port=commands
#pragma HLS INTERFACE mode=axis port=command_space
#pragma HLS INTERFACE mode=axis port=from_next
#pragma HLS INTERFACE mode=axis port=from_next_space
#pragma HLS INTERFACE mode=axis port=to_next
#pragma HLS INTERFACE mode=axis port=to_next_space
#pragma HLS INTERFACE mode=bram port=inp storage_type=ram_1p latency=1
#pragma HLS INTERFACE mode=bram port=wgt storage_type=ram_1p latency=1
#pragma HLS ARRAY_RESHAPE variable=inp type=complete dim=2
#pragma HLS ARRAY_RESHAPE variable=wgt type=complete dim=2
#pragma HLS INTERFACE mode=ap_vld port=state
#pragma HLS AGGREGATE variable=state compact=bit
  static vta_module m;
  static int8_t pad;  // by SET
#pragma HLS ARRAY_PARTITION variable=m.state.elements type=complete
#pragma HLS ARRAY_PARTITION variable=m.state.instructions type=complete
#pragma HLS ARRAY_PARTITION variable=m.launch.base type=complete
#pragma HLS RESET variable=m
#pragma HLS RESET variable=pad
  if (vta_stage_of<false, true>(m, orders, commands, command_space, from_next, from_next_space,
                                to_next, to_next_space, from_next, from_next_space, to_next,
                                to_next_space)) {
    const vta_word& word = m.word;
    if (m.state.stage == VTA_STAGE_DECODE) {
      vta_end_stage(m, DecodeFault(word));
    } else if (VTA_FIELD(word, LOAD_OPCODE) == VTA_OP_SET) {
      pad = int8_t(VTA_FIELD(word, SET_VALUE));
      vta_advance(m);
    } else {
      const uint32_t type = VTA_FIELD(word, LOAD_MEMORY_TYPE);
      const uint64_t base = m.launch.base[type];
      const int8_t with = VTA_PAD_VALUE && VTA_FIELD(word, LOAD_PAD_SELECT) ? pad : int8_t(0);
      const vta_transfer t = vta_transfer_of(word);
      uint32_t fault;
      uint64_t moved = 0;
      if (type == VTA_MEM_INP) {
        Rows<VTA_INP_BYTES> to = {inp, with};
        fault = vta_load_tile<VTA_INP_BYTES, VTA_INP_DEPTH>(t, memory, base, m.launch.limit, to,
                                                            moved);
      } else {
        Rows<VTA_WGT_BYTES> to = {wgt, with};
        fault = vta_load_tile<VTA_WGT_BYTES, VTA_WGT_DEPTH>(t, memory, base, m.launch.limit, to,
                                                            moved);
      }
      m.state.elements[type] += moved;
      vta_end_stage(m, fault);
    }
  }
  if (!m.running) pad = 0;
  state = m.state;
}
