// STOREs of outputs.
#include "vta_transfer.h"

namespace {

uint32_t DecodeFault(const vta_word& word) {
  if (VTA_FIELD(word, STORE_POP_NEXT) || VTA_FIELD(word, STORE_PUSH_NEXT))
    return VTA_FAULT_ILLEGAL_DEPENDENCY;
  return VTA_FIELD(word, STORE_MEMORY_TYPE) == VTA_MEM_OUT ? VTA_FAULT_NONE
                                                           : VTA_FAULT_ILLEGAL_MEMORY_TYPE;
}

// An output is one beat or several, and lies at a multiple of a beat.
const uint32_t kBeats = VTA_OUT_BYTES / VTA_BUS_BYTES;

/// Outputs from `row` on to memory, in bursts.
void WriteElements(vta_beat* memory, uint64_t address, uint32_t count,
                   const int8_t out[VTA_ACC_DEPTH][VTA_ACC_ROW], uint32_t row) {
  const uint64_t first = address / VTA_BUS_BYTES;
write_burst:
  for (uint32_t i = 0; i < count * kBeats; ++i) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=1 max=kOutBeats avg=64
    vta_beat beat = {};
    for (uint32_t k = 0; k < VTA_BUS_BYTES; ++k) {
#pragma HLS UNROLL
      const uint64_t byte = uint8_t(out[row + i / kBeats][i % kBeats * VTA_BUS_BYTES + k]);
      beat.part[k / 8] |= byte << 8 * (k % 8);
    }
    memory[first + i] = beat;
  }
}

uint32_t StoreTile(const vta_transfer& t, vta_beat* memory, uint64_t base, uint64_t limit,
                   const int8_t out[VTA_ACC_DEPTH][VTA_ACC_ROW], uint64_t& moved) {
  if (t.x_size == 0) return VTA_FAULT_NONE;
  const uint64_t there = vta_elements<VTA_OUT_BYTES>(base, limit);
  uint32_t row = t.sram;

  for (uint32_t y = 0; y < t.y_size; ++y) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=64 avg=8
    const uint64_t first = uint64_t(t.dram) + uint64_t(y) * t.x_stride;
    const uint32_t room = row >= VTA_ACC_DEPTH ? 0 : VTA_ACC_DEPTH - row;
    const uint32_t fit = room < t.x_size ? room : t.x_size;
    const uint64_t writable = first >= there ? 0 : there - first;
    const uint32_t count = writable < fit ? uint32_t(writable) : fit;
    WriteElements(memory, base + first * VTA_OUT_BYTES, count, out, row);
    row += count;
    moved += count;
    if (count < t.x_size) return count == fit ? VTA_FAULT_INDEX_OUT_OF_RANGE : VTA_FAULT_BUS_ERROR;
  }
  return VTA_FAULT_NONE;
}

}  // namespace

void vta_store(vta_orders& orders, vta_beat* memory, vta_commands& commands,
               vta_tokens& command_space, vta_tokens& from_prev, vta_tokens& from_prev_space,
               vta_tokens& to_prev, vta_tokens& to_prev_space,
               const int8_t outputs[VTA_ACC_DEPTH][VTA_ACC_ROW], vta_state& state) {
#pragma HLS INTERFACE mode=axis port=orders
#pragma HLS INTERFACE mode=m_axi port=memory bundle=gmem offset=off depth=kBenchBeats \
    max_write_burst_length=kBurstBeats
#pragma HLS INTERFACE mode=axis port=commands
#pragma HLS INTERFACE mode=axis port=command_space
#pragma HLS INTERFACE mode=axis port=from_prev
#pragma HLS INTERFACE mode=axis port=from_prev_space
#pragma HLS INTERFACE mode=axis port=to_prev
#pragma HLS INTERFACE mode=axis port=to_prev_space
#pragma HLS INTERFACE mode=bram port=outputs storage_type=ram_1p latency=1
#pragma HLS ARRAY_RESHAPE variable=outputs type=complete dim=2
#pragma HLS INTERFACE mode=ap_vld port=state
#pragma HLS AGGREGATE variable=state compact=bit
  static vta_module m;
#pragma HLS ARRAY_PARTITION variable=m.state.elements type=complete
#pragma HLS ARRAY_PARTITION variable=m.state.instructions type=complete
#pragma HLS ARRAY_PARTITION variable=m.launch.base type=complete
#pragma HLS RESET variable=m
  if (vta_stage_of<true, false>(m, orders, commands, command_space, from_prev, from_prev_space,
                                to_prev, to_prev_space, from_prev, from_prev_space, to_prev,
                                to_prev_space)) {
    const vta_word& word = m.word;
    vta_end_stage(m, m.state.stage == VTA_STAGE_DECODE
                         ? DecodeFault(word)
                         : StoreTile(vta_transfer_of(word), memory, m.launch.base[VTA_MEM_OUT],
                                     m.launch.limit, outputs, m.state.elements[VTA_MEM_OUT]));
  }
  state = m.state;
}
