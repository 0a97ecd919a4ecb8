// How a product of matrices is cut for a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/lower/warp_shape.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

using lower::kTensorBeside, lower::kTensorHalves, lower::kTensorOutputs, lower::kTensorPlaces,
    lower::kTensorRows, lower::kTensorThreads;

/// Threads that go step by step together, and that a block has at most.
inline constexpr int64_t kWarp = 32, kMostBlockThreads = 256;
/// Elements that a thread moves with one instruction where they lie side by side.
inline constexpr int64_t kQuad = 4;
/// Banks of shared memory, of four bytes each.
inline constexpr int64_t kBanks = 32;
/// Loads that a thread has under way together.
inline constexpr int64_t kLoadsAtOnce = 16;

/// A result [batch, outputs, places], each element summed up over channels * taps.
struct GpuProduct {
  int64_t batch, outputs, places, channels, taps, element_bytes;
  isa::Precision precision = isa::Precision::kFp32;  // that its factors must have

  /// Of a window that goes place by place, or over one: what a line of the result has, and lines of
  /// both. Places are lines of it, side by side.
  struct Lines {
    int64_t width, height, window_width, window_height, stride;

    /// What so many lines, and places of each, need of the input: lines, and of every stride-th
    /// place of one, from each of the first ones on.
    int64_t lines_for(int64_t lines) const { return (lines - 1) * stride + window_height; }
    int64_t places_for(int64_t places) const { return places + (window_width - 1) / stride; }
  };
  std::optional<Lines> lines = {};
  int64_t images = 1;  // whose places lie one image's behind the other's, as tiles cut them
  bool quads = false;  // of places, which lie side by side in the input as well, are whole
  // Places are rows, whose channels lie side by side in the input, and whose outputs in the result.
  bool rows = false;
  bool own_weights = false;  // of each of the batch
  int64_t together = 0;      // outputs that lie together in the result, whole tiles; 0 where all do
  int64_t of_tap = 0;        // channels are those of all taps, and so many of each; 0 where not
  // Channels that lie in an element of what warps multiply, and outputs in one of the result.
  int64_t in_word = 1, out_word = 1;
  bool in_warps = false;  // weights may lie as warps' products have them, whose factors suit

  /// Whether warps can make it of products of small matrices.
  bool has_tensor() const;
};

/// What a warp multiplies with one instruction: kTensorOutputs times kTensorPlaces, summed up over
/// channels, of which each thread has `pairs` rows of `beside`, kTensorThreads apart.
struct TensorStep {
  int64_t pairs, beside;

  int64_t channels() const;
};
inline int64_t TensorStep::channels() const { return pairs * beside * kTensorThreads; }

/// Of a product that has one.
TensorStep TensorStepOf(const GpuProduct& product);

/// Copies of what is brought to shared memory, of which one is read while others come.
inline constexpr int64_t kFewestStages = 2, kMostStages = 4;

/// What a block makes, and how many channels it has in shared memory at once; a thread makes
/// thread_outputs * thread_places of it, side by side. The channels are divided among `team`
/// blocks, of which the last one adds up what all have. Tiles of outputs and places may go beyond
/// the result's end.
struct GpuTile {
  int64_t outputs = 1, places = 1, channels = 1;
  int64_t thread_outputs = 1, thread_places = 1;
  int64_t team = 1;
  bool tensor = false;             // a warp's threads make products of small matrices together
  int64_t stages = kFewestStages;  // copies of what a block has of channels, which come in turn

  /// What a block's side is a multiple of.
  int64_t outputs_step() const { return thread_outputs * (tensor ? kTensorRows : 1); }
  /// Places that a thread has side by side.
  int64_t places_beside() const;
  int64_t places_step() const { return thread_places * (tensor ? kTensorThreads : 1); }
  int64_t threads() const { return outputs / thread_outputs * (places / thread_places); }
};

inline int64_t GpuTile::places_beside() const {
  return tensor ? kTensorPlaces / kTensorThreads : std::min(thread_places, kQuad);
}

/// How a tile's places lie in the result's lines: so many of some lines, of which a thread has its
/// own. Of a product in warps that has lines; a line is filled up to whole steps.
struct LinesOfTile {
  int64_t lines, beside, own_lines, own_steps;
};
LinesOfTile LinesOf(const GpuProduct& product, const GpuTile& tile);

/// How many stages tiles may have.
std::vector<int64_t> StagesOf(const isa::GpuRow& gpu);

/// The divisors of a number that are at most `most`, ascending.
std::vector<int64_t> DivisorsUpTo(int64_t of, int64_t most);

/// Whether there is code for the tile: its numbers fit together, a block has not too many threads
/// nor more in shared memory than it may, and its channels times its team divide those of the
/// product.
bool HasGpuTile(const GpuProduct& product, const GpuTile& tile, const isa::GpuRow& gpu);

/// What the product takes in a tile that it has, by a model of a large GPU. Units: ns.
int64_t EstimateNs(const GpuProduct& product, const GpuTile& tile);

/// The tile of a few shapes that takes the least by EstimateNs. Absent where none fits into the
/// shared memory that a block may have.
std::optional<GpuTile> ChooseGpuTile(const GpuProduct& product, const isa::GpuRow& gpu);

}  // namespace vta::compiler::targets
