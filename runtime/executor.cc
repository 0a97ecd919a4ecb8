#include "runtime/executor.h"

#include <algorithm>

#include "isa/support/error.h"
#include "runtime/elf_module.h"
#include "runtime/proof.h"
#include "runtime/select_module.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;

constexpr int64_t kLine = 64;  // of a cache: no two threads share one

// Checked before any memory is taken.
isa::Package Checked(isa::Package package, const std::string& file, const driver::Device* device,
                     const ExecutorOptions& options) {
  isa::ValidatePackage(package, file);
  if (package.config) {
    if (!device)
      throw Error(file, "config", package.config->name, "its programs need a device, and none is");
    driver::RequireSameArch(*package.config, device->id(), file);
    if (options.prove) ProvePackage(package, file);
  }
  if (!options.native && !package.modules.empty())
    throw Error(file, "modules", std::to_string(package.modules.size()),
                "native code is refused here");
  return package;
}

Error Stopped() { return Error("", "", "", "was stopped: the time for the run ended"); }

}  // namespace

Executor::Executor(isa::Package package, const std::string& file, driver::Device* device,
                   const ExecutorOptions& options)
    : package_(Checked(std::move(package), file, device, options)),
      file_(file),
      device_(package_.config ? device : nullptr),
      options_(options),
      arena_(device_, package_.arena_bytes) {
  if (!package_.kernels.empty()) PrepareKernels();
  arena_.CopyIn(package_.constants_offset_bytes, package_.constants);
  if (!device_) return;
  code_.emplace(*device_, static_cast<int64_t>(package_.code.size()));
  code_->CopyIn(0, package_.code);
}

void Executor::PrepareKernels() {
  if (!options_.kernels) {
    const int64_t module = SelectModule(package_.modules, ThisCpu(), file_);
    loaded_ = std::make_unique<ElfModule>(package_.modules[module], package_.kernels,
                                          StrCat(file_, ": modules[", module, "]"));
    options_.kernels = loaded_.get();
  }
  pool_.emplace(options_.threads > 0 ? options_.threads : AvailableCpus());
  for (const isa::PackageKernel& kernel : package_.kernels)
    workspace_bytes_ =
        std::max(workspace_bytes_, (kernel.workspace_bytes + kLine - 1) / kLine * kLine);
  workspace_.emplace(workspace_bytes_ * pool_->threads(), StrCat(file_, ": workspace"));
  for (const isa::PackageStep& step : package_.steps) {
    std::vector<void*>& arguments = arguments_.emplace_back();
    if (step.kind != isa::PackageStep::Kind::kKernel) continue;
    for (const std::vector<int64_t>* list : {&step.inputs, &step.outputs})
      for (int64_t tensor : *list)
        arguments.push_back(arena_.host(package_.tensors[tensor].offset_bytes));
  }
}

std::vector<std::vector<uint8_t>> Executor::Run(std::span<const std::span<const uint8_t>> inputs,
                                                RunProfile* profile) {
  CheckInputs(inputs);
  RunProfile measured;
  measured.steps.resize(package_.steps.size());
  const auto start = steady_clock::now();
  for (size_t i = 0; i < inputs.size(); ++i)
    arena_.CopyIn(package_.tensors[package_.inputs[i]].offset_bytes, inputs[i]);
  measured.copy_in = steady_clock::now() - start;
  for (size_t i = 0; i < package_.steps.size(); ++i)
    RunStep(static_cast<int64_t>(i), measured.steps[i]);
  const auto ran = steady_clock::now();
  std::vector<std::vector<uint8_t>> outputs;
  for (int64_t tensor : package_.outputs) outputs.push_back(ReadTensor(tensor));
  measured.copy_out = steady_clock::now() - ran;
  measured.wall = steady_clock::now() - start;
  if (profile) *profile = std::move(measured);
  return outputs;
}

std::vector<uint8_t> Executor::ReadTensor(int64_t tensor) const {
  const isa::PackageTensor& t = package_.tensors[tensor];
  std::vector<uint8_t> bytes(static_cast<size_t>(t.bytes()));
  arena_.CopyOut(t.offset_bytes, bytes);
  return bytes;
}

void Executor::CheckInputs(std::span<const std::span<const uint8_t>> inputs) const {
  if (inputs.size() != package_.inputs.size())
    throw Error(file_, "inputs", std::to_string(inputs.size()),
                StrCat("the model has ", package_.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const isa::PackageTensor& tensor = package_.tensors[package_.inputs[i]];
    if (static_cast<int64_t>(inputs[i].size()) != tensor.bytes())
      throw Error(
          file_, StrCat("input ", tensor.name), StrCat(inputs[i].size(), " bytes"),
          StrCat("must be ", tensor.bytes(), " bytes of ", isa::ElementTypeName(tensor.type)));
  }
}

void Executor::RunStep(int64_t index, StepProfile& profile) {
  const isa::PackageStep& step = package_.steps[index];
  if (options_.on_step) options_.on_step(index);
  const auto start = steady_clock::now();
  try {
    if (start >= deadline_) throw Stopped();
    if (step.kind == isa::PackageStep::Kind::kProgram)
      profile.counters = RunProgram(step.program);
    else
      RunKernel(index);
  } catch (const Error& error) {
    throw error.In(Place(index));
  }
  profile.wall = steady_clock::now() - start;
}

isa::Counters Executor::RunProgram(int64_t index) {
  const isa::PackageProgram& program = package_.programs[index];
  isa::LaunchRequest request;
  request.instruction_address =
      code_->address() + static_cast<uint64_t>(program.first) * isa::kInstructionBytes;
  request.instruction_count = program.count;
  request.base.fill(arena_.address());
  device_->Launch(request);
  const isa::LaunchResult result =
      device_->Wait(deadline_ == Deadline::max() ? driver::kForever
                                                 : std::max({}, deadline_ - steady_clock::now()));
  if (result.outcome == isa::Outcome::kStopped) throw Stopped();
  if (result.outcome != isa::Outcome::kFinished)
    throw Error("", "", "", StrCat("program ", index, " did not finish"),
                ": " + isa::Describe(result));
  return result.counters;
}

void Executor::RunKernel(int64_t index) {
  const isa::PackageStep& step = package_.steps[index];
  const auto each = [&](const std::vector<int64_t>& list, auto call) {
    for (int64_t tensor : list) {
      const isa::PackageTensor& t = package_.tensors[tensor];
      if (!IsConstant(t)) (arena_.*call)(t.offset_bytes, t.bytes());
    }
  };
  each(step.inputs, &Arena::ForHost);
  void* const* const arguments = arguments_[index].data();
  pool_->Run(package_.kernels[step.kernel].tasks, [&](int64_t worker, int64_t first, int64_t last) {
    options_.kernels->Run(step.kernel, arguments, workspace_->data() + worker * workspace_bytes_,
                          first, last);
  });
  each(step.outputs, &Arena::ForDevice);
}

bool Executor::IsConstant(const isa::PackageTensor& tensor) const {
  return tensor.offset_bytes >= package_.constants_offset_bytes &&
         tensor.offset_bytes - package_.constants_offset_bytes < std::ssize(package_.constants);
}

std::string Executor::Place(int64_t step) const {
  const isa::PackageStep& s = package_.steps[step];
  std::string layer = s.facts.op;
  if (!s.facts.shape.empty()) layer += StrCat(layer.empty() ? "" : " ", s.facts.shape);
  return StrCat(file_, ": step ", step, " ", s.name, layer.empty() ? "" : StrCat(" (", layer, ")"));
}

}  // namespace vta::runtime
