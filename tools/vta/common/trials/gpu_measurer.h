// What kernels take on a GPU of this machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "compiler/tune/measurer.h"
#include "isa/package.h"
#include "isa/spec/gpu.h"
#include "isa/support/temporary.h"
#include "tools/vta/common/json_process.h"

namespace vta::tools {

/// Measures packages in a process of its own, `vta measure --requests`, which is killed and begun
/// anew where a kernel takes too long: a GPU cannot be taken back from one otherwise.
class GpuWorker {
 public:
  /// `device`: as --device has it; `code_folder`: where what its driver makes of code is kept, ""
  /// for nowhere. Errors: throws Error where the GPU cannot be opened.
  GpuWorker(std::string device, double limit_s, std::string code_folder = "");

  const std::string& gpu() const { return gpu_; }
  /// Whether it runs such code.
  bool Runs(const std::string& format, const std::string& feature);
  struct Answer {
    int64_t ns = 0, kernels = 0;
  };
  /// `outputs`: a file that is written with them. Errors: throws Error where the GPU does not run
  /// the package, a kernel fails, or it takes longer than the limit; and std::runtime_error where
  /// there is no such GPU any more, which says nothing of the package.
  Answer Measure(const std::string& package, const std::string& outputs);
  /// What the GPU's driver makes of the package's code is kept then. Errors: as Measure.
  void Prepare(const std::string& package);

 private:
  Json Ask(const Json& request);
  void Start();

  const std::string device_;
  const double limit_s_;
  const std::string code_folder_;
  std::unique_ptr<JsonProcess> process_;
  std::string gpu_;
};

/// Units: nanoseconds.
class GpuMeasurer : public compiler::tune::Measurer {
 public:
  static constexpr double kLimitS = 20;
  static constexpr char kName[] = "gpu";

  /// Of a device of that kind, of trials in that precision. Errors: as GpuWorker.
  GpuMeasurer(const isa::GpuRow& kind, const std::string& device, double limit_s = kLimitS,
              isa::Precision precision = isa::Precision::kFp32);

  std::string Name() const override { return kName; }
  /// Of the GPU's name.
  uint64_t Hash() const override;
  bool is_noisy() const override { return true; }
  /// Errors: as Measurer; and where a trial's outputs are not those of the first one with its
  /// workload, but for the order of sums of floats.
  int64_t Measure(const compiler::tune::Trial& trial) const override;
  /// The same of a trial's package.
  int64_t Measure(const isa::Package& package, const std::string& workload) const;
  /// How many threads this machine has for that, and the GPU memory.
  static int64_t Jobs();
  /// What the driver makes of the package's code is kept for when it is measured, which takes less
  /// time than that: several threads may have it made at once. What cannot be made is said there.
  void Prepare(const isa::Package& package) const;

  const std::string& gpu() const { return worker_.gpu(); }

 private:
  std::string CodeFolder() const;
  void DropOldCode() const;

  const isa::GpuRow& kind_;
  const std::string device_;
  const double limit_s_;
  compiler::lower::CpuSpec spec_;  // the first that the GPU runs
  const Temporary folder_;
  mutable std::mutex running_;
  mutable GpuWorker worker_;
  mutable std::atomic<int64_t> files_ = 0;
  mutable std::mutex preparing_;
  mutable std::vector<std::unique_ptr<GpuWorker>> idle_;         // that prepare
  mutable std::map<std::string, std::vector<uint8_t>> outputs_;  // by workloads
};

}  // namespace vta::tools
