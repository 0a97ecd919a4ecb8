// Runs a model, programs on a device and kernels on this CPU: any number of inferences, three calls
// each, in memory that is taken once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "driver/buffer.h"
#include "driver/device.h"
#include "driver/gpu.h"
#include "runtime/aligned_memory.h"
#include "runtime/any_session.h"
#include "runtime/arena.h"
#include "runtime/modules/gpu_kernels.h"
#include "runtime/modules/kernel_runner.h"
#include "runtime/tensor_uses.h"
#include "runtime/thread_pool.h"

namespace vta::runtime {

struct SessionOptions {
  /// Each program runs alone, also where the package has launches of several.
  bool apart = false;
  /// Of the pool that runs kernels; 0: as many as this process may use processors.
  int64_t threads = 0;
  /// Without it a kernel that faults is the process's own fault.
  KernelOptions kernels = {};
  /// Is told the index of each step that begins; of those in a launch, of the first.
  std::function<void(int64_t)> on_step = {};
  /// Runs kernels in place of a pool of the session's own; sessions that share one take turns. Not
  /// for kernels in a process of their own.
  std::shared_ptr<ThreadPool> pool = {};
  /// Runs the kernels for one of a package that has some; borrowed.
  driver::Gpu* gpu = nullptr;
};

/// SetInput for every input, Run, GetOutput. A session is used by one thread at a time. Those on
/// different threads are independent, unless they share a device: that runs one launch at a time.
/// All memory is taken when the session is made: the three calls allocate nothing, but for the
/// error that they throw.
class Session : public AnySession {
 public:
  /// `device` is borrowed, and may be null for a package without programs.
  /// Errors: throws Error where the package was made for another accelerator, or does not fit the
  /// device's memory or this machine's; or where the system does not give what confines kernels.
  Session(std::shared_ptr<const Model> model, driver::Device* device,
          const SessionOptions& options = {});

  const Model& model() const override { return *model_; }
  /// That share the tasks of a kernel; 0 where the package has no kernels for a CPU.
  int64_t threads() const override { return threads_; }
  /// Whether the code of its kernels for a GPU was kept, which need not be made then.
  bool is_gpu_code_from_cache() const { return gpu_kernels_ && gpu_kernels_->is_from_cache(); }
  /// Null for a package without programs.
  const driver::DeviceId* device() const override { return device_ ? &device_->id() : nullptr; }

  /// A program that runs then is stopped, and a kernel, which is the session's end; one that is not
  /// confined ends first. Nothing runs after it.
  void StopAt(Deadline deadline) override { deadline_ = deadline; }

  /// Copies an input's bytes for the next Run, which takes them: activations share memory. Ends a
  /// binding of the input.
  /// Errors: throws ArgumentError naming the input, and a size that is not its own.
  void SetInput(int64_t input, std::span<const uint8_t> bytes) override;
  /// In place of SetInput and GetOutput: each Run from now on reads the input from this memory of
  /// the caller's, or leaves the output there, also part of it where it fails. The memory is
  /// borrowed until something else is bound, a span without memory (which ends the binding), or the
  /// session ends. Returns whether steps of the CPU work in that memory, or copies to a GPU: then
  /// nothing else copies. Elsewhere each Run copies once: where programs or a kernel in a process
  /// of its own need the bytes, where they are parts of something larger, or where the memory does
  /// not begin at a multiple of kCacheLineBytes. The first binding of a tensor allocates. The
  /// output of an earlier Run is gone with the memory that it was in: GetOutput then wants a Run.
  /// Errors: as SetInput.
  bool BindInput(int64_t input, std::span<const uint8_t> bytes) override;
  bool BindOutput(int64_t output, std::span<uint8_t> bytes) override;
  /// One inference. `profile` may be null; one that was used before is not allocated again.
  /// Errors: throws Error naming the input that was not set since the last Run; or step, layer and
  /// the instruction that each module stands at, where a program does not finish; or the step that
  /// ran at the deadline; or the kernel that was stopped, and its fault. The session is dead then:
  /// each call says so.
  void Run(RunProfile* profile = nullptr) override;
  /// Copies an output of the last Run.
  /// Errors: throws ArgumentError naming the output, and a size that is not its own; and Error
  /// where the last Run failed, or there was none.
  void GetOutput(int64_t output, std::span<uint8_t> bytes) const override;

  /// The bytes of a tensor as the last step left them. Tensors share memory: only those that live
  /// to the end hold their own values; of what lies in bound memory, inputs and outputs alone.
  std::vector<uint8_t> ReadTensor(int64_t tensor) const;

  /// One step alone, on what the memory holds: for whoever looks at a run from inside, or times a
  /// part of it. Outputs are then to be had by ReadTensor. Errors: as Run.
  void RunStep(int64_t step, StepProfile* profile = nullptr);
  /// The same with all that are launched together with it, or else alone. `profiles`: null, or of
  /// it and all behind it. Returns the step that is next.
  int64_t RunFrom(int64_t step, StepProfile* profiles = nullptr);
  /// Puts bytes where a tensor that is no constant lies, and over those it shares memory with.
  void WriteTensor(int64_t tensor, std::span<const uint8_t> bytes);
  /// What the device has now where constants lie, or programs, and where that is; empty without a
  /// device.
  std::vector<uint8_t> ReadConstants() const;
  std::vector<uint8_t> ReadCode() const;
  uint64_t constants_address() const { return arena_.address() + package().constants_offset_bytes; }
  uint64_t code_address() const { return code_->address(); }
  /// Where a tensor lies on the device; its offset where there is none.
  uint64_t AddressOf(int64_t tensor) const;

 private:
  /// Memory of the caller's for an input or an output.
  struct Binding {
    uint8_t* memory = nullptr;  // null: none
    bool is_direct = false;     // steps find it there
    bool is_known = false;      // what follows
    std::optional<std::vector<TensorUse>> uses;
  };
  using FindUses = decltype(UsesOfInput);
  bool Bind(Binding& binding, FindUses* find, int64_t index, const isa::PackageTensor& tensor,
            uint8_t* memory);
  const uint8_t* BoundMemory(const isa::PackageTensor& tensor) const;
  uint8_t* TakeMemory();
  void FillArguments();
  void MakeRunner(uint8_t* workspace);
  void CopyTensor(const isa::PackageTensor& tensor, std::span<uint8_t> bytes) const;
  void RequireSize(const char* what, const isa::PackageTensor& tensor, size_t bytes) const;
  isa::LaunchResult Launch(int64_t program, std::span<const int64_t> starts = {});
  void ProfileLaunch(const isa::PackageLaunch& launch, const isa::LaunchResult& result,
                     std::chrono::nanoseconds wall, StepProfile* profiles) const;
  void CopyIntoTensor(const isa::PackageTensor& tensor, std::span<const uint8_t> bytes);
  void RunCopy(int64_t step);
  void Sync(int64_t step, void (Arena::*call)(int64_t, int64_t));
  void RunKernel(int64_t step);
  int64_t RunOnGpu(int64_t step);
  void WaitForGpu();
  void RequireAlive() const;

  std::shared_ptr<const Model> model_;
  SessionOptions options_;
  driver::Device* device_;
  Arena arena_;
  std::optional<driver::Buffer> code_;
  int64_t threads_ = 0;
  AlignedMemory memory_;        // of the workspace, and of the arena where no device maps its own
  std::vector<void*> tensors_;  // of all steps
  std::vector<void* const*> arguments_;  // of each step, there: those of its kernel
  std::vector<uint8_t> is_set_;          // of each input
  std::vector<Binding> bound_inputs_, bound_outputs_;
  std::unique_ptr<KernelRunner> kernels_;  // null where the package has none for a CPU
  std::optional<GpuKernels> gpu_kernels_;
  bool on_gpu_ = false;  // something is started there
  std::string death_;    // what a kernel did
  bool has_run_ = false;
  Deadline deadline_ = Deadline::max();
};

}  // namespace vta::runtime
