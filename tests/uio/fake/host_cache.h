// The host's view of memory that an accelerator shares with it: caches that write back late, as a
// Cortex-A9's, and at the worst time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vta::test::uio {

/// All of the memory is in the caches, from the beginning. A line that the host wrote stays there,
/// unless it is cleaned, or takes the place of what the accelerator wrote during a launch. A line
/// that only the accelerator wrote is noise to the host until it is invalidated: the old bytes
/// could happen to be right, and the host could write them anew, which nobody would see.
class HostCache {
 public:
  /// Borrowed, of equal size: what the host reads and writes, and what the accelerator does.
  HostCache(std::span<uint8_t> host, std::span<uint8_t> memory);

  /// Lines of the range that the host wrote go to memory.
  void Clean(uint64_t offset, uint64_t bytes);
  /// The range is forgotten; lines of which it is a part are cleaned before.
  void Invalidate(uint64_t offset, uint64_t bytes);

  void BeginLaunch() { before_.assign(memory_.begin(), memory_.end()); }
  void EndLaunch();

  static constexpr uint64_t kLine = 64;

 private:
  bool IsDirty(uint64_t line) const;
  void Spoil(uint64_t line);

  std::span<uint8_t> host_, memory_;
  std::vector<uint8_t> clean_;   // what the host would read had it written nothing
  std::vector<uint8_t> before_;  // a launch, what the host cleaned since included
  uint64_t noise_ = 1;
};

}  // namespace vta::test::uio
