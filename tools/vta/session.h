// What run, demo and compile share: a model or a package, opened, compiled where needed, and run on
// an engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/device.h"
#include "isa/package.h"
#include "runtime/executor.h"
#include "tools/vta/engines.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// How a model becomes a package.
struct ModelOptions {
  std::string model;
  std::string config = "default";
  std::string rounding = "single";
  std::string targets = "vta,cpu";  // in order of preference
  std::string cpus = "native";      // that kernels are made for; "" for none
  std::string dump_dir;
  std::vector<std::string> dims;                    // sizes of symbolic dimensions: NAME=SIZE
  std::vector<const CLI::Option*> compile_options;  // those of AddTo that say how to compile

  void AddTo(CLI::App& app);
};

struct OpenedModel {
  isa::Package package;
  double compile_s = 0;  // 0 for a package
  int64_t arena_tensor_bytes = 0, tensor_bytes = 0;
};

bool IsPackage(const std::string& path);

/// Reads a package, or imports and compiles an ONNX model.
/// Errors: throws Error naming the file and what is wrong with it, or an option of the command line
/// that a package cannot follow.
OpenedModel OpenModel(const ModelOptions& options);

/// A package on an engine.
class Session {
 public:
  Session(isa::Package package, const std::string& file, const EngineOptions& engine);
  /// What runs then is stopped: an Error that names the step.
  void StopAt(runtime::Executor::Deadline deadline) { executor_->StopAt(deadline); }

  const isa::Package& package() const { return executor_->package(); }
  /// Null for a package without programs.
  const driver::DeviceId* device() const { return device_ ? &device_->id() : nullptr; }
  /// Is told the index of each step that has run.
  void AfterSteps(std::function<void(int64_t)> call) { after_step_ = std::move(call); }
  /// As runtime::Executor.
  std::vector<uint8_t> ReadTensor(int64_t tensor) const { return executor_->ReadTensor(tensor); }
  /// One inference; inputs and outputs are tensors' bytes in the model's order.
  std::vector<std::vector<uint8_t>> Run(const std::vector<std::vector<uint8_t>>& inputs,
                                        runtime::RunProfile* profile = nullptr);

 private:
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<runtime::Executor> executor_;
  std::function<void(int64_t)> after_step_;
};

}  // namespace vta::tools
