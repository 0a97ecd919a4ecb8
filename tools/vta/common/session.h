// What run, demo and compile share: a model or a package, opened, compiled where needed, and run on
// an engine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/tune/chooser.h"
#include "driver/device.h"
#include "driver/gpu.h"
#include "isa/package.h"
#include "runtime/remote_session.h"
#include "runtime/session.h"
#include "tools/report/report.h"
#include "tools/shared/native_options.h"
#include "tools/vta/common/engines.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::compiler {
class Graph;
}

namespace vta::tools {

/// How schedules are chosen.
struct TuneOptions {
  /// Candidates of a workload that the cycle model costs before one is taken.
  static constexpr int64_t kEffort = 8;
  int64_t effort = kEffort;
  std::string log;   // of a search, whose findings are taken; "" for none
  int64_t jobs = 0;  // trials at once; 0 for as many as this machine has processors
};

/// How a model becomes a package.
struct ModelOptions {
  std::string model;
  std::string config = "default";
  std::string rounding;             // "" for what the model's format has
  std::string targets = "vta,cpu";  // in order of preference
  std::string precision = "fp32";   // of a GPU's products
  std::string places;               // NODE=TARGET, with commas between them; "" for none
  std::string cpus = kNativeCpu;    // that kernels are made for; "" for none
  std::string dump_dir;
  TuneOptions tune;
  std::vector<std::string> schedules;  // NODE=FILE
  bool schedule_fallback = false;      // a trace that does not apply is said, and left out
  bool exact = false;                  // sums of float32 on the CPU in order alone
  /// By targets' names, borrowed; in place of those options, where there are any.
  std::map<std::string, compiler::tune::Chooser*> choosers;
  compiler::targets::Hiding hiding = compiler::targets::Hiding::kAny;  // of the accelerator's
  std::optional<int64_t> memory_limit_bytes;
  /// Of a processor that runs it: what the CPU's kernels are cut for, and whose workspace that
  /// limit counts; 0 where nothing is known.
  int64_t threads = 0;
  std::vector<std::string> dims;                    // sizes of symbolic dimensions: NAME=SIZE
  std::string assume;                               // as AddAssumeTo has it
  std::vector<const CLI::Option*> compile_options;  // those of AddTo that say how to compile
  const CLI::App* command = nullptr;                // borrowed; of AddTo
  Progress* progress = nullptr;                     // borrowed; is told what is done
  /// What is compiled in place of the file, which `model` then names in errors. Borrowed.
  const compiler::Graph* graph = nullptr;
  std::optional<isa::Config> own_config;            // in place of the one that `config` names
  std::optional<compiler::lower::CpuSpec> own_cpu;  // in place of those that `cpus` names
  NativeOptions native;                             // of a command that runs kernels

  void AddTo(CLI::App& app);
  /// Declares --threads, of a command that runs nothing itself.
  void AddThreadsTo(CLI::App& app);
};

struct OpenedModel {
  isa::Package package;
  double compile_s = 0;                             // 0 for a package
  std::string chosen;                               // of several packages in a file: which
  runtime::KernelOptions kernels;                   // how they are to run
  isa::Rounding rounding = isa::Rounding::kSingle;  // that a model was compiled with
};

bool IsPackage(const std::string& path);
/// Where the model is a package. Errors: throws UsageError naming an option that says how to
/// compile; where it `chooses` among packages, one but --target.
void RefuseCompileOptions(const ModelOptions& options, bool chooses = false);

/// For --jobs.
int64_t JobsOf(const TuneOptions& options);

/// As --rounding has it.
std::string_view Name(isa::Rounding rounding);

/// Reads a package, or imports and compiles a model.
/// Errors: throws Error naming the file and what is wrong with it, or an option of the command line
/// that a package cannot follow; or what a run needs, where that is more than the memory limit.
OpenedModel OpenModel(const ModelOptions& options);

/// A package that engines may run. `progress` may be null. Errors: as runtime::Model.
std::shared_ptr<const runtime::Model> LoadModel(isa::Package package, const std::string& file,
                                                Progress* progress,
                                                const runtime::ModelOptions& options = {});

/// A model on an engine.
class EngineSession {
 public:
  EngineSession(std::shared_ptr<const runtime::Model> model, const EngineOptions& engine);
  /// What runs then is stopped: an Error that names the step.
  void StopAt(runtime::Session::Deadline deadline) { session_->StopAt(deadline); }

  const isa::Package& package() const { return session_->package(); }
  runtime::MemoryUse memory() const { return session_->memory(); }
  /// Null for a package without programs.
  const driver::DeviceId* device() const { return session_->device(); }
  /// Null of a session that a server runs, too.
  driver::Device* engine() { return device_.get(); }
  /// Nothing where no step is for a GPU.
  const std::optional<LoadReport>& load() const { return load_; }
  runtime::AnySession& session() { return *session_; }
  /// Of one that runs here.
  runtime::Session& local();
  /// As runtime::MeasureInference, and on the machine that runs it.
  runtime::Timing Time(std::span<const std::span<const uint8_t>> inputs,
                       const runtime::TimerOptions& options);
  /// Makes sessions of the same device, of a session that a server runs; else nothing.
  std::function<std::unique_ptr<runtime::AnySession>()> maker() const;
  /// Is told the index of each step that has run.
  void AfterSteps(std::function<void(int64_t)> call) { after_step_ = std::move(call); }
  /// As runtime::Session.
  std::vector<uint8_t> ReadTensor(int64_t tensor) const { return local_->ReadTensor(tensor); }
  /// One inference; inputs and outputs are tensors' bytes in the model's order.
  std::vector<std::vector<uint8_t>> Run(const std::vector<std::vector<uint8_t>>& inputs,
                                        runtime::RunProfile* profile = nullptr);

 private:
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Gpu> gpu_;
  std::optional<LoadReport> load_;
  std::shared_ptr<driver::remote::HeldDevice> held_;  // of one that a server runs
  std::shared_ptr<const runtime::Model> remote_model_;
  runtime::RemoteOptions remote_options_;
  std::unique_ptr<runtime::AnySession> session_;
  runtime::Session* local_ = nullptr;  // one of these is that
  runtime::RemoteSession* remote_ = nullptr;
  std::function<void(int64_t)> after_step_;
};

}  // namespace vta::tools
