// The walk of a LOAD or STORE over its rows, for each kind of element. Rows of memory are read in
// bursts, element by element as they complete.
#pragma once

#include "vta_module.h"

struct vta_transfer {
  uint32_t sram, dram, y_size, x_size, x_stride, top, bottom, left, right;
};

inline vta_transfer vta_transfer_of(const vta_word& word) {
#pragma HLS INLINE
  vta_transfer t;
  t.sram = VTA_FIELD(word, LOAD_SRAM_BASE);
  t.dram = VTA_FIELD(word, LOAD_DRAM_BASE);
  t.y_size = VTA_FIELD(word, LOAD_Y_SIZE);
  t.x_size = VTA_FIELD(word, LOAD_X_SIZE);
  t.x_stride = VTA_FIELD(word, LOAD_X_STRIDE);
  t.top = VTA_FIELD(word, LOAD_Y_PAD_TOP);
  t.bottom = VTA_FIELD(word, LOAD_Y_PAD_BOTTOM);
  t.left = VTA_FIELD(word, LOAD_X_PAD_LEFT);
  t.right = VTA_FIELD(word, LOAD_X_PAD_RIGHT);
  return t;
}

/// Elements of a size that lie whole in memory from a base on.
template <int kBytes>
uint64_t vta_elements(uint64_t base, uint64_t limit) {
#pragma HLS INLINE
  return base > limit ? 0 : (limit - base) / kBytes;
}

/// Copies `count` elements from `address` on, a beat of a burst at a time, into `to` from `row` on.
/// `To` has Put(row, bytes). Bases are multiples of an element and of a beat, so one of the two
/// begins wherever the larger does; a scratchpad takes one element a cycle.
template <int kBytes, class To>
void vta_read_elements(const vta_beat* memory, uint64_t address, uint32_t count, uint32_t row,
                       To& to) {
#pragma HLS INLINE
  const int kBeats = kBytes > VTA_BUS_BYTES ? kBytes / VTA_BUS_BYTES : 1;     // of an element
  const int kElements = kBytes < VTA_BUS_BYTES ? VTA_BUS_BYTES / kBytes : 1;  // of a beat
  const int kPart = kBytes < VTA_BUS_BYTES ? kBytes : VTA_BUS_BYTES;          // the smaller one
  uint8_t element[kBytes];
#pragma HLS ARRAY_PARTITION variable=element type=complete
  const uint64_t first = address / VTA_BUS_BYTES;
  const uint32_t skipped = address % VTA_BUS_BYTES / kBytes;
  const uint64_t parts = count == 0 ? 0 : skipped + uint64_t(count) * kBeats;
  const uint64_t beats = (parts + kElements - 1) / kElements;
  uint32_t filled = 0;  // parts of the element

read_burst:
  for (uint64_t i = 0; i < beats; ++i) {
#pragma HLS PIPELINE II=kElements
#pragma HLS LOOP_TRIPCOUNT min=1 max=65536 avg=64
    const vta_beat beat = memory[first + i];
    for (int e = 0; e < kElements; ++e) {
#pragma HLS UNROLL
      for (int k = 0; k < kPart; ++k) {
#pragma HLS UNROLL
        const int byte = e * kPart + k;
        element[filled * kPart + k] = uint8_t(beat.part[byte / 8] >> 8 * (byte % 8));
      }
      const uint64_t part = i * kElements + e;
      if (part >= skipped && part < parts && filled + 1 == kBeats) to.Put(row++, element);
    }
    filled = filled + 1 < kBeats ? filled + 1 : 0;
  }
}

/// Carries out a LOAD; what was moved is counted in `moved`. Returns the fault. `To` has Put and
/// Pad(row), for rows below kDepth.
template <int kBytes, int kDepth, class To>
uint32_t vta_load_tile(const vta_transfer& t, const vta_beat* memory, uint64_t base, uint64_t limit,
                       To& to, uint64_t& moved) {
#pragma HLS INLINE
  if (t.x_size == 0 || t.y_size == 0) return VTA_FAULT_NONE;
  const uint64_t there = vta_elements<kBytes>(base, limit);
  const uint32_t width = t.left + t.x_size + t.right;
  uint32_t row = t.sram;

  for (uint32_t y = 0; y < t.top + t.y_size + t.bottom; ++y) {
#pragma HLS LOOP_TRIPCOUNT min=1 max=64 avg=8
    const bool padded = y < t.top || y >= t.top + t.y_size;
    const uint32_t before = padded ? width : t.left;
  pads_before:
    for (uint32_t x = 0; x < before; ++x) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=64 avg=1
      if (row >= kDepth) return VTA_FAULT_INDEX_OUT_OF_RANGE;
      to.Pad(row++);
    }
    if (padded) continue;
    const uint64_t first = uint64_t(t.dram) + uint64_t(y - t.top) * t.x_stride;
    const uint32_t fit = row >= kDepth ? 0 : (kDepth - row < t.x_size ? kDepth - row : t.x_size);
    const uint64_t readable = first >= there ? 0 : there - first;
    const uint32_t count = readable < fit ? uint32_t(readable) : fit;
    vta_read_elements<kBytes>(memory, base + first * kBytes, count, row, to);
    row += count;
    moved += count;
    if (count < t.x_size) return count == fit ? VTA_FAULT_INDEX_OUT_OF_RANGE : VTA_FAULT_BUS_ERROR;
  pads_behind:
    for (uint32_t x = 0; x < t.right; ++x) {
#pragma HLS PIPELINE II=1
#pragma HLS LOOP_TRIPCOUNT min=0 max=15 avg=1
      if (row >= kDepth) return VTA_FAULT_INDEX_OUT_OF_RANGE;
      to.Pad(row++);
    }
  }
  return VTA_FAULT_NONE;
}
