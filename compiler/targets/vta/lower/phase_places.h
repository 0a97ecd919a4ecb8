// Where a convolution of phases stores its result: interleaved, as depth_to_space has it. Phases
// side by side lie so in the accumulators already; a store's rows are those of the picture.
#pragma once

#include <cstdint>

namespace vta::compiler::targets {

/// Elements are those of out memory. The convolution makes
///   [parts, block_h, blocks, height, width, block_w, element_parts],
/// of which lies in DRAM
///   [parts, blocks, out_h, out_w, element_parts], and nothing of what is outside.
struct PhasePlaces {
  static constexpr int64_t kNowhere = -1;

  int64_t parts = 1;  // over batch and groups
  int64_t block_h = 1, block_w = 1;
  int64_t blocks = 1;  // of channels, in one part and phase
  int64_t height = 1, width = 1;
  int64_t crop_top = 0, crop_left = 0, out_h = 1, out_w = 1;
  int64_t element_parts = 1;

  /// How many elements lie in DRAM.
  int64_t count() const { return parts * blocks * out_h * out_w * element_parts; }
  /// Where an element that the convolution makes lies there.
  int64_t PlaceOf(int64_t element) const {
    const auto next = [&](int64_t size) {
      const int64_t at = element % size;
      element /= size;
      return at;
    };
    const int64_t q = next(element_parts), x = next(width * block_w) - crop_left;
    const int64_t u = next(height), block = next(blocks);
    const int64_t y = u * block_h + next(block_h) - crop_top;
    if (x < 0 || x >= out_w || y < 0 || y >= out_h) return kNowhere;
    return (((element * blocks + block) * out_h + y) * out_w + x) * element_parts + q;
  }
};

}  // namespace vta::compiler::targets
