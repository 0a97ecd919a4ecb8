#include "runtime/executor.h"

#include <algorithm>

#include "isa/support/error.h"
#include "runtime/proof.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;

// Checked before any memory is taken.
isa::Package Checked(isa::Package package, const std::string& file, const driver::Device& device,
                     const ExecutorOptions& options) {
  isa::ValidatePackage(package, file);
  driver::RequireSameArch(package.config, device.id(), file);
  if (options.prove) ProvePackage(package, file);
  return package;
}

Error Stopped() { return Error("", "", "", "was stopped: the time for the run ended"); }

}  // namespace

Executor::Executor(isa::Package package, const std::string& file, driver::Device& device,
                   HostModule* host, const ExecutorOptions& options)
    : package_(Checked(std::move(package), file, device, options)),
      file_(file),
      device_(device),
      host_(host),
      options_(options),
      arena_(device, package_.arena_bytes),
      code_(device, static_cast<int64_t>(package_.code.size())) {
  for (size_t i = 0; i < package_.steps.size(); ++i) {
    const isa::PackageStep& step = package_.steps[i];
    if (step.kind == isa::PackageStep::Kind::kHost && !(host_ && host_->Has(step.kernel)))
      throw Error(Place(static_cast<int64_t>(i)), "kernel", step.kernel,
                  "the package's host code does not have it");
  }
  arena_.CopyIn(package_.constants_offset_bytes, package_.constants);
  code_.CopyIn(0, package_.code);
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
      profile.host_bytes_copied = RunHost(step);
  } catch (const Error& error) {
    throw error.In(Place(index));
  }
  profile.wall = steady_clock::now() - start;
}

isa::Counters Executor::RunProgram(int64_t index) {
  const isa::PackageProgram& program = package_.programs[index];
  isa::LaunchRequest request;
  request.instruction_address =
      code_.address() + static_cast<uint64_t>(program.first) * isa::kInstructionBytes;
  request.instruction_count = program.count;
  request.base.fill(arena_.address());
  device_.Launch(request);
  const isa::LaunchResult result = device_.Wait(
      deadline_ == HostModule::Deadline::max() ? driver::kForever
                                               : std::max({}, deadline_ - steady_clock::now()));
  if (result.outcome == isa::Outcome::kStopped) throw Stopped();
  if (result.outcome != isa::Outcome::kFinished)
    throw Error("", "", "", StrCat("program ", index, " did not finish"),
                ": " + isa::Describe(result));
  return result.counters;
}

int64_t Executor::RunHost(const isa::PackageStep& step) {
  std::vector<std::vector<uint8_t>> tensors;
  int64_t copied = 0;
  for (int64_t tensor : step.inputs) tensors.push_back(ReadTensor(tensor));
  for (int64_t tensor : step.outputs)
    tensors.emplace_back(static_cast<size_t>(package_.tensors[tensor].bytes()));
  const std::vector<std::span<uint8_t>> arguments(tensors.begin(), tensors.end());
  if (!host_->Run(step.kernel, arguments, deadline_)) throw Stopped();
  for (size_t i = 0; i < step.outputs.size(); ++i)
    arena_.CopyIn(package_.tensors[step.outputs[i]].offset_bytes, tensors[step.inputs.size() + i]);
  for (const std::vector<uint8_t>& tensor : tensors) copied += static_cast<int64_t>(tensor.size());
  return copied;
}

std::string Executor::Place(int64_t step) const {
  const isa::PackageStep& s = package_.steps[step];
  std::string layer = s.facts.op;
  if (!s.facts.shape.empty()) layer += StrCat(layer.empty() ? "" : " ", s.facts.shape);
  return StrCat(file_, ": step ", step, " ", s.name, layer.empty() ? "" : StrCat(" (", layer, ")"));
}

}  // namespace vta::runtime
