// How a product of matrices is cut for a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

/// Threads that go step by step together, and that a block has at most.
inline constexpr int64_t kWarp = 32, kMostBlockThreads = 256;
/// Elements that a thread moves with one instruction where they lie side by side.
inline constexpr int64_t kQuad = 4;
/// Loads that a thread has under way together.
inline constexpr int64_t kLoadsAtOnce = 16;

/// A result [batch, outputs, places], each element summed up over channels * taps.
struct GpuProduct {
  int64_t batch, outputs, places, channels, taps, element_bytes;
};

/// What a block makes, and how many channels it has in shared memory at once; a thread makes
/// thread_outputs * thread_places of it, side by side. The channels are divided among `team`
/// blocks, of which the last one adds up what all have. Tiles of outputs and places may go beyond
/// the result's end.
struct GpuTile {
  int64_t outputs = 1, places = 1, channels = 1;
  int64_t thread_outputs = 1, thread_places = 1;
  int64_t team = 1;

  int64_t threads() const { return outputs / thread_outputs * (places / thread_places); }
};

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
