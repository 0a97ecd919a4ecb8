// What a caller needs of a session, on whatever machine it runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "driver/device.h"
#include "isa/package.h"
#include "runtime/memory_use.h"
#include "runtime/model.h"
#include "runtime/modules/kernel_guard.h"

namespace vta::runtime {

/// What one step of one run took. Of steps that share a launch wall time is shared out by cycles,
/// and fetch's cycles stand with the first. Where the device does not tell the steps apart, all
/// stands with the first.
struct StepProfile {
  std::chrono::nanoseconds wall{};
  isa::Counters counters;  // of a program
  bool begins = true;      // false where it runs in the launch of the step before
  int64_t steps = 1;       // that these are figures of: 0 where they stand with one before
};

/// One run, measured.
struct RunProfile {
  std::vector<StepProfile> steps;                  // in the package's order
  std::chrono::nanoseconds wall{};                 // of Run; with the copies, of Infer
  std::chrono::nanoseconds copy_in{}, copy_out{};  // of Infer
};

/// SetInput for every input, Run, GetOutput; each as Session has it.
class AnySession {
 public:
  using Deadline = runtime::Deadline;
  virtual ~AnySession() = default;

  virtual const Model& model() const = 0;
  const isa::Package& package() const { return model().package(); }
  virtual int64_t threads() const = 0;
  MemoryUse memory() const { return MemoryOf(package(), threads()); }
  virtual const driver::DeviceId* device() const = 0;
  virtual void StopAt(Deadline deadline) = 0;
  virtual void SetInput(int64_t input, std::span<const uint8_t> bytes) = 0;
  virtual bool BindInput(int64_t input, std::span<const uint8_t> bytes) = 0;
  virtual bool BindOutput(int64_t output, std::span<uint8_t> bytes) = 0;
  virtual void Run(RunProfile* profile = nullptr) = 0;
  virtual void GetOutput(int64_t output, std::span<uint8_t> bytes) const = 0;
};

/// One inference by the three calls. Inputs and outputs are the bytes of the package's tensors, in
/// the model's order. Errors: as those calls; and throws Error where there are not as many inputs.
std::vector<std::vector<uint8_t>> Infer(AnySession& session,
                                        std::span<const std::span<const uint8_t>> inputs,
                                        RunProfile* profile = nullptr);
/// The same into vectors that are there: memory for a package's outputs, which OutputsOf makes.
void InferInto(AnySession& session, std::span<const std::span<const uint8_t>> inputs,
               std::span<std::vector<uint8_t>> outputs, RunProfile* profile = nullptr);
std::vector<std::vector<uint8_t>> OutputsOf(const isa::Package& package);

}  // namespace vta::runtime
