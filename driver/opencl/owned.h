// What OpenCL hands out and wants back.
#pragma once

#include <utility>

#include "driver/opencl/opencl_api.h"

namespace vta::driver::opencl {

/// Released with its owner.
template <typename Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, Status (*release)(Handle)) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_) release_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  Status (*release_)(Handle) = nullptr;
};

}  // namespace vta::driver::opencl
