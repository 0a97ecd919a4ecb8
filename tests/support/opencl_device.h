// The OpenCL device that tests use, where this machine has one.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "driver/opencl/opencl_gpu.h"
#include "isa/support/error.h"

namespace vta::test {

/// Where PoCL compiles kernels, from its first device on: a folder that goes with the process.
class PoclCache {
 public:
  static void Use() { static const PoclCache cache; }
  ~PoclCache() {
    std::error_code failed;
    std::filesystem::remove_all(folder_, failed);
  }

 private:
  PoclCache() { setenv("POCL_CACHE_DIR", folder_.c_str(), 1); }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / StrCat("vta_pocl_", getpid());
};

/// The first device of OpenCL.
class OpenClDevice {
 public:
  OpenClDevice() {
    PoclCache::Use();
    try {
      gpu_ = driver::OpenOpenClGpu(0);
    } catch (const Error& error) {
      why_ = error.what();
      // What else goes wrong is no reason to skip.
      if (why_.find("cannot be loaded") == why_.npos && why_.find("no platform") == why_.npos)
        throw;
    }
  }

  /// Null where there is none: why.
  driver::Gpu* gpu() const { return gpu_.get(); }
  const std::string& why() const { return why_; }

 private:
  std::unique_ptr<driver::Gpu> gpu_;
  std::string why_;
};

}  // namespace vta::test
