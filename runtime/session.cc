#include "runtime/session.h"

#include <algorithm>
#include <cmath>

#include "isa/codec.h"
#include "isa/counting.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "isa/support/stop.h"
#include "runtime/modules/kernel_process.h"

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

Error Stopped() { return Error("", "", "", "was stopped: the time for the run ended"); }

// Errors: throws Error where the launch did not end as it should.
const isa::LaunchResult& Finished(int64_t program, const isa::LaunchResult& result) {
  if (result.outcome == isa::Outcome::kFinished) return result;
  throw Error("", "", "", StrCat("program ", program, " did not finish"),
              ": " + isa::Describe(result));
}

// The first instruction at which something stands; 0 where nothing does.
int64_t FirstUndone(const isa::LaunchResult& result) {
  std::optional<int64_t> first;
  if (result.fetch.fault != isa::Fault::kNone) first = result.fetch.fetched;
  for (const isa::ModuleState& state : result.modules)
    if (state.kind != isa::ModuleState::Kind::kDone)
      first = std::min(first.value_or(state.index), state.index);
  return first.value_or(0);
}

// Whether kernels have a process of their own.
bool InProcess(const KernelOptions& options) {
  return options.confinement >= Confinement::kProcess;
}

driver::Device* DeviceFor(const Model& model, driver::Device* device) {
  const std::optional<isa::Config>& config = model.package().config;
  if (!config) return nullptr;
  if (!device)
    throw Error(model.file(), "config", config->name, "its programs need a device, and none is");
  driver::RequireSameArch(*config, device->id(), model.file());
  return device;
}

}  // namespace

Session::Session(std::shared_ptr<const Model> model, driver::Device* device,
                 const SessionOptions& options)
    : model_(std::move(model)),
      options_(options),
      device_(DeviceFor(*model_, device)),
      arena_(device_, package().host_bytes(), !InProcess(options.kernels)),
      is_set_(package().inputs.size(), false),
      bound_inputs_(package().inputs.size()),
      bound_outputs_(package().outputs.size()) {
  if (model_->kernels())
    threads_ = options.pool ? options.pool->threads()
                            : (options.threads != 0 ? options.threads : AvailableCpus());
  if (package().Gpu()) {
    if (!options_.gpu) throw Error(model_->PlaceOfGpu(), "", "", "is for a GPU, and none is there");
    gpu_kernels_.emplace(*options_.gpu, package(), model_->file());
  }
  uint8_t* const workspace = TakeMemory();
  FillArguments();
  if (model_->kernels()) MakeRunner(workspace);
  options_.pool.reset();  // the runner has it
  if (!device_) return;
  arena_.CopyToDevice(package().constants_offset_bytes, package().HostConstants());
  code_.emplace(*device_, std::ssize(package().code));
  code_->CopyIn(0, package().code);
}

// Where the workspace begins.
uint8_t* Session::TakeMemory() {
  constexpr auto kLine = static_cast<int64_t>(kCacheLineBytes);
  const int64_t host_bytes = arena_.is_mapped() ? 0 : HostActivations(package());
  const int64_t workspace_at = (host_bytes + kLine - 1) / kLine * kLine;
  memory_ = AlignedMemory(
      workspace_at + WorkspaceBytes(package()) * threads_, StrCat(model_->file(), ": session"), 1,
      InProcess(options_.kernels) ? AlignedMemory::Sharing::kBoth : AlignedMemory::Sharing::kOwn);
  if (!arena_.is_mapped()) arena_.UseHost(memory_.bytes().first(static_cast<size_t>(host_bytes)));
  return memory_.data() + workspace_at;
}

// Constants are those of the model, wherever the tensors of this session lie.
void Session::FillArguments() {
  const isa::Package& p = package();
  std::vector<size_t> first;
  for (const isa::PackageStep& step : p.steps) {
    first.push_back(tensors_.size());
    if (step.kind == isa::PackageStep::Kind::kProgram || p.IsOnGpu(step)) continue;
    for (const std::vector<int64_t>* list : {&step.inputs, &step.outputs})
      for (const int64_t tensor : *list) {
        const isa::PackageTensor& t = p.tensors[tensor];
        tensors_.push_back(p.IsConstant(t) ? const_cast<uint8_t*>(model_->Constant(t))
                           : p.IsOnGpu(t)  ? nullptr
                                           : arena_.host(t.offset_bytes));
      }
  }
  for (const size_t at : first) arguments_.push_back(tensors_.data() + at);
}

void Session::MakeRunner(uint8_t* workspace) {
  const KernelPlace place{*model_->kernels(), package(), memory_.bytes(), workspace,
                          WorkspaceBytes(package())};
  if (InProcess(options_.kernels))
    kernels_ = std::make_unique<KernelProcess>(
        place, threads_, options_.kernels.confinement == Confinement::kSandboxed, model_->file());
  else
    kernels_ = std::make_unique<KernelThreads>(
        place, options_.pool ? options_.pool : std::make_shared<ThreadPool>(threads_),
        options_.kernels.confinement == Confinement::kGuarded);
}

void Session::RequireSize(const char* what, const isa::PackageTensor& tensor, size_t bytes) const {
  if (static_cast<int64_t>(bytes) != tensor.bytes())
    throw ArgumentError(model_->file(), StrCat(what, " ", tensor.name), Counted(bytes, "byte"),
                        StrCat("must be ", Counted(tensor.bytes(), "byte"), " of ",
                               isa::ElementTypeName(tensor.type)));
}

void Session::RequireAlive() const {
  if (!death_.empty()) throw Error(model_->file(), "session", "", StrCat("is dead since ", death_));
}

void Session::SetInput(int64_t input, std::span<const uint8_t> bytes) {
  RequireAlive();
  const isa::PackageTensor& tensor = model_->Input(input);
  RequireSize("input", tensor, bytes.size());
  if (bound_inputs_[input].memory) BindInput(input, {});
  CopyIntoTensor(tensor, bytes);
  is_set_[input] = true;
}

bool Session::BindInput(int64_t input, std::span<const uint8_t> bytes) {
  RequireAlive();
  const isa::PackageTensor& tensor = model_->Input(input);
  if (bytes.data()) RequireSize("input", tensor, bytes.size());
  is_set_[input] = false;
  return Bind(bound_inputs_[input], UsesOfInput, input, tensor,
              const_cast<uint8_t*>(bytes.data()));  // that only reads
}

bool Session::BindOutput(int64_t output, std::span<uint8_t> bytes) {
  RequireAlive();
  const isa::PackageTensor& tensor = model_->Output(output);
  if (bytes.data()) RequireSize("output", tensor, bytes.size());
  has_run_ = false;
  return Bind(bound_outputs_[output], UsesOfOutput, output, tensor, bytes.data());
}

bool Session::Bind(Binding& binding, FindUses* find, int64_t index,
                   const isa::PackageTensor& tensor, uint8_t* memory) {
  if (!binding.is_known && !InProcess(options_.kernels)) binding.uses = find(package(), index);
  binding.is_known = true;
  const bool was_direct = binding.is_direct;
  binding.memory = memory;
  binding.is_direct =
      memory && binding.uses && reinterpret_cast<uintptr_t>(memory) % kCacheLineBytes == 0;
  if (!was_direct && !binding.is_direct) return false;
  uint8_t* const begin = binding.is_direct ? memory : arena_.host(tensor.offset_bytes);
  for (const TensorUse& use : *binding.uses)
    tensors_[arguments_[use.step] - tensors_.data() + use.argument] = begin + use.offset_bytes;
  return binding.is_direct;
}

/// Null where it lies in the arena.
const uint8_t* Session::BoundMemory(const isa::PackageTensor& tensor) const {
  const auto find = [&](const std::vector<Binding>& bindings,
                        const std::vector<int64_t>& list) -> const uint8_t* {
    for (size_t i = 0; i < bindings.size(); ++i)
      if (bindings[i].is_direct && &tensor == &package().tensors[list[i]])
        return bindings[i].memory;
    return nullptr;
  };
  const uint8_t* const output = find(bound_outputs_, package().outputs);
  return output ? output : find(bound_inputs_, package().inputs);
}

void Session::Run(RunProfile* profile) {
  RequireAlive();
  for (size_t i = 0; i < bound_inputs_.size(); ++i) {
    if (!bound_inputs_[i].memory) continue;
    const isa::PackageTensor& tensor = model_->Input(static_cast<int64_t>(i));
    is_set_[i] = true;
    if (!bound_inputs_[i].is_direct)
      CopyIntoTensor(tensor, {bound_inputs_[i].memory, static_cast<size_t>(tensor.bytes())});
  }
  if (const auto missing = std::ranges::find(is_set_, false); missing != is_set_.end())
    throw Error(model_->file(), StrCat("input ", model_->Input(missing - is_set_.begin()).name), "",
                "was not set since the last run");
  std::ranges::fill(is_set_, false);
  has_run_ = false;
  const int64_t steps = std::ssize(package().steps);
  if (profile) profile->steps.assign(steps, {});
  const auto start = profile ? steady_clock::now() : steady_clock::time_point();
  for (int64_t i = 0; i < steps;) i = RunFrom(i, profile ? &profile->steps[i] : nullptr);
  try {
    WaitForGpu();
  } catch (const Error& error) {
    throw error.In(model_->file());
  }
  for (size_t i = 0; i < bound_outputs_.size(); ++i) {
    const isa::PackageTensor& tensor = model_->Output(static_cast<int64_t>(i));
    if (bound_outputs_[i].memory && !bound_outputs_[i].is_direct)
      CopyTensor(tensor, {bound_outputs_[i].memory, static_cast<size_t>(tensor.bytes())});
  }
  if (profile) profile->wall = steady_clock::now() - start;
  has_run_ = true;
}

void Session::GetOutput(int64_t output, std::span<uint8_t> bytes) const {
  const isa::PackageTensor& tensor = model_->Output(output);
  RequireSize("output", tensor, bytes.size());
  RequireAlive();
  if (!has_run_)
    throw Error(model_->file(), StrCat("output ", tensor.name), "", "no run has made it");
  CopyTensor(tensor, bytes);
}

void Session::CopyTensor(const isa::PackageTensor& tensor, std::span<uint8_t> bytes) const {
  if (const uint8_t* const bound = BoundMemory(tensor))
    std::copy_n(bound, bytes.size(), bytes.data());
  else if (package().IsConstant(tensor))
    std::copy_n(model_->Constant(tensor), bytes.size(), bytes.data());
  else if (package().IsOnGpu(tensor))
    gpu_kernels_->CopyOut(tensor, bytes);
  else
    arena_.CopyOut(tensor.offset_bytes, bytes);
}

void Session::CopyIntoTensor(const isa::PackageTensor& tensor, std::span<const uint8_t> bytes) {
  if (package().IsOnGpu(tensor))
    gpu_kernels_->CopyIn(tensor, bytes);
  else
    arena_.CopyIn(tensor.offset_bytes, bytes);
}

std::vector<uint8_t> Session::ReadTensor(int64_t tensor) const {
  const isa::PackageTensor& t = package().tensors[tensor];
  std::vector<uint8_t> bytes(static_cast<size_t>(t.bytes()));
  CopyTensor(t, bytes);
  return bytes;
}

void Session::WriteTensor(int64_t tensor, std::span<const uint8_t> bytes) {
  const isa::PackageTensor& t = package().tensors[tensor];
  RequireSize("tensor", t, bytes.size());
  VTA_CHECK(!package().IsConstant(t), t.name);
  CopyIntoTensor(t, bytes);
}

std::vector<uint8_t> Session::ReadConstants() const {
  std::vector<uint8_t> bytes(device_ ? package().HostConstants().size() : 0);
  if (device_) arena_.CopyOut(package().constants_offset_bytes, bytes);
  return bytes;
}

std::vector<uint8_t> Session::ReadCode() const {
  std::vector<uint8_t> bytes(device_ ? package().code.size() : 0);
  if (device_) code_->CopyOut(0, bytes);
  return bytes;
}

uint64_t Session::AddressOf(int64_t tensor) const {
  const auto offset = static_cast<uint64_t>(package().tensors[tensor].offset_bytes);
  return device_ ? arena_.address() + offset : offset;
}

void Session::RunStep(int64_t index, StepProfile* profile) {
  RequireAlive();
  const isa::PackageStep& step = package().steps[index];
  has_run_ = false;
  if (options_.on_step) options_.on_step(index);
  // Asking for the time takes as long as a small kernel.
  const auto start = profile ? steady_clock::now() : steady_clock::time_point();
  isa::Counters counters;
  try {
    if (IsOver(deadline_)) throw Stopped();
    if (step.kind == isa::PackageStep::Kind::kProgram)
      counters = Finished(step.program, Launch(step.program)).counters;
    else if (step.kind == isa::PackageStep::Kind::kCopy)
      RunCopy(index);
    else if (package().IsOnGpu(step))
      on_gpu_ = true, gpu_kernels_->Start(index);
    else
      RunKernel(index);
    if (profile || package().IsOnGpu(step)) WaitForGpu();
  } catch (const Error& error) {
    throw error.In(model_->Place(index));
  }
  if (profile) *profile = {steady_clock::now() - start, counters};
}

int64_t Session::RunFrom(int64_t step, StepProfile* profiles) {
  const isa::PackageLaunch* const launch = options_.apart ? nullptr : package().LaunchAt(step);
  if (!profiles && package().IsOnGpu(package().steps[step])) return RunOnGpu(step);
  if (!launch) {
    RunStep(step, profiles);
    return step + 1;
  }
  RequireAlive();
  has_run_ = false;
  if (options_.on_step) options_.on_step(step);
  const auto start = steady_clock::now();
  isa::LaunchResult result;
  int64_t at = step;  // where errors are
  try {
    if (IsOver(deadline_)) throw Stopped();
    result = Launch(launch->program, profiles ? launch->starts : std::span<const int64_t>());
    at +=
        std::ranges::upper_bound(launch->starts, FirstUndone(result)) - launch->starts.begin() - 1;
    Finished(launch->program, result);
  } catch (const Error& error) {
    throw error.In(model_->Place(at));
  }
  if (profiles) ProfileLaunch(*launch, result, steady_clock::now() - start, profiles);
  return step + std::ssize(launch->starts);
}

// Wall time by the cycles of the parts; where they are not known each has what needs no clock.
void Session::ProfileLaunch(const isa::PackageLaunch& launch, const isa::LaunchResult& result,
                            nanoseconds wall, StepProfile* profiles) const {
  const auto steps = std::ssize(launch.starts);
  const bool tells = std::ssize(result.parts) == steps;
  if (!tells && (result.counters.time || result.counters.estimated_cycles)) {
    profiles[0] = {wall, result.counters, true, steps};
    for (int64_t part = 1; part < steps; ++part) profiles[part] = {{}, {}, false, 0};
    return;
  }
  const isa::Layout layout(*package().config);
  const std::vector<isa::Word> words =
      isa::WordsOf(package().ProgramCode(package().programs[launch.program]));
  for (int64_t part = 0; part < steps; ++part) {
    const int64_t begin = launch.starts[part];
    const int64_t end = part + 1 < steps ? launch.starts[part + 1] : std::ssize(words);
    StepProfile& profile = profiles[part] = {};
    profile.counters = isa::CountersOf(layout, std::span(words).subspan(begin, end - begin));
    profile.begins = part == 0;
    profile.wall = wall / steps;
    if (!tells) continue;
    profile.counters.time = result.parts[part].time;
    profile.counters.causes = result.parts[part].causes;
    profile.wall = nanoseconds(std::llround(static_cast<double>(wall.count()) *
                                            static_cast<double>(profile.counters.time->cycles) /
                                            static_cast<double>(result.counters.time->cycles)));
  }
  if (tells) profiles[0].counters.time->fetch = result.counters.time->fetch;
}

isa::LaunchResult Session::Launch(int64_t index, std::span<const int64_t> starts) {
  const isa::PackageProgram& program = package().programs[index];
  isa::LaunchRequest request;
  request.instruction_address =
      code_->address() + static_cast<uint64_t>(program.first) * isa::kInstructionBytes;
  request.instruction_count = program.count;
  request.base.fill(arena_.address());
  request.parts.assign(starts.begin(), starts.end());
  device_->Launch(request);
  isa::LaunchResult result =
      device_->Wait(deadline_ == Deadline::max() ? driver::kForever
                                                 : std::max({}, deadline_ - steady_clock::now()));
  if (result.outcome == isa::Outcome::kStopped) throw Stopped();
  return result;
}

// What follows it there is started with it, and waited for where somebody else needs it.
int64_t Session::RunOnGpu(int64_t step) {
  RequireAlive();
  has_run_ = false;
  if (options_.on_step) options_.on_step(step);
  try {
    if (IsOver(deadline_)) throw Stopped();
    on_gpu_ = true;
    return gpu_kernels_->StartFrom(step);
  } catch (const Error& error) {
    throw error.In(model_->Place(step));
  }
}

void Session::WaitForGpu() {
  if (!on_gpu_) return;
  on_gpu_ = false;
  const auto now = steady_clock::now();
  const auto limit =
      std::min(options_.kernels.limit,
               deadline_ == Deadline::max() ? driver::kForever : std::max({}, deadline_ - now));
  try {
    if (!options_.gpu->Wait(limit)) throw Stopped();
  } catch (const Error& error) {
    death_ = error.what();
    throw;
  }
}

void Session::RunCopy(int64_t index) {
  const isa::PackageStep& step = package().steps[index];
  const isa::PackageTensor& from = package().tensors[step.inputs[0]];
  const isa::PackageTensor& to = package().tensors[step.outputs[0]];
  const auto at = [&](int64_t argument) {
    return std::span(static_cast<uint8_t*>(arguments_[index][argument]),
                     static_cast<size_t>(to.bytes()));
  };
  if (package().IsOnGpu(from)) {
    WaitForGpu();
    gpu_kernels_->CopyOut(from, at(1));
    Sync(index, &Arena::ForDevice);
  } else {
    Sync(index, &Arena::ForHost);
    gpu_kernels_->CopyIn(to, at(0));
  }
}

/// Before a step of the host reads, or after it wrote: what the arena has of that.
void Session::Sync(int64_t index, void (Arena::*call)(int64_t, int64_t)) {
  if (!arena_.is_on_device()) return;
  const isa::PackageStep& step = package().steps[index];
  const bool reads = call == &Arena::ForHost;
  void* const* pointer = arguments_[index] + (reads ? 0 : step.inputs.size());
  for (const int64_t tensor : reads ? step.inputs : step.outputs) {
    const isa::PackageTensor& t = package().tensors[tensor];
    if (!package().IsConstant(t) && *pointer == arena_.host(t.offset_bytes))
      (arena_.*call)(t.offset_bytes, t.bytes());
    ++pointer;
  }
}

void Session::RunKernel(int64_t index) {
  const isa::PackageStep& step = package().steps[index];
  Sync(index, &Arena::ForHost);
  const std::chrono::nanoseconds limit = options_.kernels.limit;
  const Deadline own =
      limit == KernelOptions::kForever ? Deadline::max() : DeadlineOf(steady_clock::now(), limit);
  const auto stop = kernels_->Run(step.kernel, arguments_[index], std::min(own, deadline_));
  if (stop) {
    Error error("", StrCat("kernel ", package().kernels[step.kernel].name), "", Describe(*stop));
    if (stop->cause == KernelStop::Cause::kDeadline)
      error = Error("", error.subject(), "",
                    deadline_ <= own
                        ? Stopped().rule()
                        : StrCat("was stopped: its limit, ",
                                 std::chrono::duration<double>(limit).count(), " s, ended"));
    death_ = error.In(model_->Place(index)).what();
    throw error;
  }
  Sync(index, &Arena::ForDevice);
}

}  // namespace vta::runtime
