// How a product of matrices is cut for a GPU.
#pragma once

#include <cstdint>
#include <optional>

namespace vta::compiler::targets {

/// Threads that go step by step together, and that a block has at most.
inline constexpr int64_t kWarp = 32, kMostBlockThreads = 256;
/// Loads of weights that a thread has under way together.
inline constexpr int64_t kLoadsAtOnce = 16;

/// A result [batch, outputs, places], each element summed up over channels * taps.
struct GpuProduct {
  int64_t batch, outputs, places, channels, taps, element_bytes;
  int64_t most_shared_bytes;  // of a block
};

/// What a block makes, and how many channels it has in shared memory at once; a thread makes
/// thread_outputs * thread_places of it.
struct GpuTile {
  int64_t outputs = 1, places = 1, channels = 1;
  int64_t thread_outputs = 1, thread_places = 1;

  int64_t threads() const { return outputs / thread_outputs * (places / thread_places); }
};

/// The tile that a model of a GPU with many small processors takes for the quickest. Each number
/// divides that of the product. Absent where none fits into shared memory.
std::optional<GpuTile> ChooseGpuTile(const GpuProduct& product);

}  // namespace vta::compiler::targets
