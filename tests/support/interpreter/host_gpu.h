// A GPU that is none: memory of the host, and kernels on the interpreter.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/gpu.h"
#include "isa/support/error.h"
#include "tests/support/interpreter/interpreted_module.h"

namespace vta::test {

class HostGpu : public driver::Gpu {
 public:
  /// `functions`: of the package that it is to run.
  explicit HostGpu(std::vector<compiler::loop::Function> functions)
      : functions_(std::move(functions)) {}

  const std::string& name() const override { return name_; }
  bool Runs(std::string_view, std::string_view) const override { return true; }
  uint64_t Allocate(int64_t bytes) override {
    auto memory = std::make_unique<uint8_t[]>(static_cast<size_t>(bytes) + 1);
    const auto address = reinterpret_cast<uint64_t>(memory.get());
    memory_.emplace(address, std::move(memory));
    return address;
  }
  void Free(uint64_t address) override { memory_.erase(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    std::ranges::copy(bytes, reinterpret_cast<uint8_t*>(address));
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    std::copy_n(reinterpret_cast<const uint8_t*>(address), bytes.size(), bytes.data());
  }
  std::unique_ptr<driver::GpuModule> Load(const isa::Package& package,
                                          const std::string&) override {
    return std::make_unique<Module>(package, functions_, *this);
  }
  std::unique_ptr<driver::GpuGraph> Record(const std::function<void()>& starts) override {
    return std::make_unique<Graph>(*this, starts);
  }
  bool Wait(std::chrono::nanoseconds) override {
    if (!failure.empty()) throw Error("", "GPU", name_, failure);
    return ends;
  }

  int64_t allocations() const { return std::ssize(memory_); }
  int64_t launches = 0;
  bool ends = true;     // what Wait finds
  std::string failure;  // what it throws

 private:
  class Graph : public driver::GpuGraph {
   public:
    Graph(HostGpu& gpu, const std::function<void()>& starts) {
      gpu.recording_ = &calls_;
      starts();
      gpu.recording_ = nullptr;
    }
    void Start() override {
      for (const auto& call : calls_) call();
    }

   private:
    std::vector<std::function<void()>> calls_;
  };

  class Module : public driver::GpuModule {
   public:
    Module(const isa::Package& package, std::span<const compiler::loop::Function> functions,
           HostGpu& gpu)
        : module_(package, functions), gpu_(gpu), tasks_() {
      for (const isa::PackageKernel& kernel : package.kernels) tasks_.push_back(kernel.tasks);
    }
    void Launch(int64_t kernel, std::span<const uint64_t> addresses) override {
      std::vector<void*> tensors;
      for (const uint64_t address : addresses) tensors.push_back(reinterpret_cast<void*>(address));
      const auto call = [this, kernel, tensors] {
        ++gpu_.launches;
        module_.Run(kernel, tensors.data(), tensors.back(), 0, tasks_[kernel]);
      };
      if (gpu_.recording_)
        gpu_.recording_->emplace_back(call);
      else
        call();
    }

   private:
    InterpretedModule module_;
    HostGpu& gpu_;
    std::vector<int64_t> tasks_;
  };

  std::vector<compiler::loop::Function> functions_;
  std::map<uint64_t, std::unique_ptr<uint8_t[]>> memory_;
  std::vector<std::function<void()>>* recording_ = nullptr;
  const std::string name_ = "host";
};

}  // namespace vta::test
