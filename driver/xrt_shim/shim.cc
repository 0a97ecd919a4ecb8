#include "driver/xrt_shim/shim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "driver/device.h"
#include "driver/xrt/xclbin.h"
#include "isa/support/error.h"

namespace vta::driver {

namespace {

int64_t WholePages(int64_t bytes) { return bytes / kAllocationAlignment * kAllocationAlignment; }

// Of the bank's memory the upper end, as Linux takes it: no address is what a buffer's offset could
// be. One page more than buffers may have stays free.
std::unique_ptr<sim::Board> MakeBoard(const Xclbin& xclbin, const ShimSettings& settings) {
  if (xclbin.banks.empty()) throw Error("xclbin", "section MEM_TOPOLOGY", "", "has no bank");
  const XclbinBank& bank = xclbin.banks.front();
  sim::BoardOptions options;
  options.engine = settings.engine;
  options.memory_bytes =
      std::min(WholePages(settings.memory_bytes) + kAllocationAlignment, WholePages(bank.bytes));
  options.memory_base = bank.address + static_cast<uint64_t>(bank.bytes - options.memory_bytes);
  options.model.quick = settings.quick;
  options.model.on_wait = [](const std::string& what) {
    std::fprintf(stderr, "simulated device: %s\n", what.c_str());
  };
  return std::make_unique<sim::Board>(xclbin.config, options);
}

}  // namespace

Shim::Shim() : settings_(ReadShimSettings()) {}

Shim::~Shim() { CloseContext(); }

int Shim::Load(std::span<const uint8_t> bytes) {
  if (settings_.fault == ShimFault::kRefusedXclbin) return -EIO;
  if (!buffers_.empty()) return -EBUSY;
  board_ = MakeBoard(ParseXclbin(bytes, "xclbin"), settings_);
  const uint64_t begin = board_->memory_base() + kAllocationAlignment;
  memory_.emplace("xrt", begin, board_->memory_base() + board_->memory().size());
  return 0;
}

int Shim::OpenContext() {
  if (!board_) return -EINVAL;
  if (lock_ >= 0) return -EBUSY;
  const char* root = std::getenv("XILINX_XRT");
  lock_ = open(root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return -errno;
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return 0;
  CloseContext();
  return -EBUSY;
}

int Shim::CloseContext() {
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
  return 0;
}

std::optional<uint32_t> Shim::Allocate(uint64_t bytes, void* user) {
  if (!board_) return std::nullopt;
  try {
    buffers_.try_emplace(next_handle_, *memory_, *board_, bytes, user);
    return next_handle_++;
  } catch (const Error&) {
    return std::nullopt;
  }
}

const ShimBuffer* Shim::Find(uint32_t handle) const {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : &found->second;
}

int Shim::Sync(uint32_t handle, bool to_device, uint64_t bytes, uint64_t offset) {
  const ShimBuffer* const buffer = Find(handle);
  if (!buffer) return -EINVAL;
  const std::span<uint8_t> device = buffer->device();
  if (offset > device.size() || bytes > device.size() - offset) return -EINVAL;
  if (settings_.fault == ShimFault::kRefusedSync) return -EIO;
  uint8_t* const host = buffer->host().data() + offset;
  if (to_device && settings_.fault != ShimFault::kLostSyncIn)
    std::copy_n(host, bytes, device.data() + offset);
  if (!to_device && settings_.fault != ShimFault::kLostSyncOut)
    std::copy_n(device.data() + offset, bytes, host);
  return 0;
}

void Shim::CountAccess() {
  if (accesses_++ == settings_.fault_after) board_->set_fault(settings_.board_fault);
}

int Shim::Read(uint32_t offset, uint32_t& value) {
  if (lock_ < 0) return -EPERM;
  CountAccess();
  const std::optional<uint32_t> answer = board_->Read(offset);
  value = answer.value_or(~0u);
  return answer ? 0 : -EIO;
}

int Shim::Write(uint32_t offset, uint32_t value) {
  if (lock_ < 0) return -EPERM;
  CountAccess();
  return board_->Write(offset, value) ? 0 : -EIO;
}

}  // namespace vta::driver
