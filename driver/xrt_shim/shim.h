// A device that XRT finds and that is none: XRT's driver interface over a simulated board.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "driver/allocator.h"
#include "driver/xrt_shim/buffer.h"
#include "driver/xrt_shim/settings.h"
#include "sim/board/board.h"

namespace vta::driver {

/// The device from its opening on. What returns an int returns 0 or a negative errno, as XRT's
/// driver interface does. A buffer has two copies, the host's and the device's: only Sync makes
/// them equal. Fresh ones hold noise, as memory does. Errors: Shim and Load throw Error; XRT lets
/// it through.
class Shim {
 public:
  Shim();
  ~Shim();

  /// A board with the accelerator that the xclbin holds.
  int Load(std::span<const uint8_t> xclbin);

  /// Exclusive: of all processes with the same XILINX_XRT one has it.
  int OpenContext();
  int CloseContext();

  /// Where `user` is not null it is the host's copy. A handle, or nothing where there is no room.
  std::optional<uint32_t> Allocate(uint64_t bytes, void* user);
  void Free(uint32_t handle) { buffers_.erase(handle); }
  /// Null where there is none.
  const ShimBuffer* Find(uint32_t handle) const;
  int Sync(uint32_t handle, bool to_device, uint64_t bytes, uint64_t offset);

  int Read(uint32_t offset, uint32_t& value);
  int Write(uint32_t offset, uint32_t value);

 private:
  void CountAccess();

  ShimSettings settings_;
  std::unique_ptr<sim::Board> board_;
  std::optional<Allocator> memory_;
  std::map<uint32_t, ShimBuffer> buffers_;
  uint32_t next_handle_ = 1;
  int64_t accesses_ = 0;
  int lock_ = -1;  // file descriptor
};

}  // namespace vta::driver
