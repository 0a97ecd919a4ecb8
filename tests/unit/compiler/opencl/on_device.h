// Kernels in OpenCL C on a device, without a package around them.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/opencl/module.h"
#include "driver/buffer.h"
#include "driver/gpu.h"
#include "tests/unit/compiler/llvm/native.h"

namespace vta::compiler::opencl {

class OnDevice {
 public:
  OnDevice(driver::Gpu& gpu, const std::vector<loop::Function>& functions) : gpu_(gpu) {
    isa::Package package;
    for (const loop::Function& function : functions) {
      kernels_.push_back(lower::PlanGpuKernel(function, isa::kOpenClGpu));
      package.kernels.push_back(
          {function.name, kernels_.back().blocks(), 0, {}, kernels_.back().threads});
    }
    text_ = PrintModule(kernels_);
    int64_t bytes = 0;
    for (const lower::Kernel& kernel : kernels_)
      bytes = std::max(bytes, kernel.workspace_bytes * kernel.blocks());
    workspace_.emplace(gpu, isa::kGpuCounterBytes + bytes);
    package.modules = {{std::string(isa::kOpenClFormat),
                        std::string(isa::kOpenClArch),
                        {"1.2"},
                        {text_.begin(), text_.end()}}};
    module_ = gpu.Load(package, "kernels");
  }

  const std::string& text() const { return text_; }

  /// What the arguments of a kernel are after it.
  llvm::Arguments Run(size_t kernel, const llvm::Arguments& args) {
    std::vector<driver::Buffer> buffers;
    std::vector<uint64_t> addresses;
    for (const std::vector<std::byte>& arg : args) {
      buffers.emplace_back(gpu_, std::ssize(arg));
      buffers.back().CopyIn(0, {reinterpret_cast<const uint8_t*>(arg.data()), arg.size()});
      addresses.push_back(buffers.back().address());
    }
    addresses.push_back(workspace_->address());
    module_->Launch(static_cast<int64_t>(kernel), addresses);
    gpu_.Wait(driver::kForever);
    llvm::Arguments found = args;
    for (size_t i = 0; i < found.size(); ++i)
      buffers[i].CopyOut(0, {reinterpret_cast<uint8_t*>(found[i].data()), found[i].size()});
    return found;
  }

 private:
  driver::Gpu& gpu_;
  std::vector<lower::Kernel> kernels_;
  std::string text_;
  std::unique_ptr<driver::GpuModule> module_;
  std::optional<driver::Buffer> workspace_;
};

}  // namespace vta::compiler::opencl
