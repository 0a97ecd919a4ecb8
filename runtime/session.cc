#include "runtime/session.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;

// Hands out parts of memory, one after the other; first of none, to learn how much all of them are.
class Parts {
 public:
  explicit Parts(uint8_t* memory) : memory_(memory) {}
  template <typename T>
  T* Take(int64_t count) {
    constexpr auto kLine = static_cast<int64_t>(kCacheLineBytes);
    uint8_t* const part = memory_ ? memory_ + bytes_ : nullptr;
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + kLine - 1) / kLine * kLine;
    return reinterpret_cast<T*>(part);
  }
  int64_t bytes() const { return bytes_; }

 private:
  uint8_t* memory_;
  int64_t bytes_ = 0;
};

Error Stopped() { return Error("", "", "", "was stopped: the time for the run ended"); }

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
      arena_(device_, package().arena_bytes) {
  if (model_->kernels())
    pool_ = options.pool ? options.pool
                         : std::make_shared<ThreadPool>(options.threads != 0 ? options.threads
                                                                             : AvailableCpus());
  TakeMemory();
  if (!device_) return;
  arena_.CopyToDevice(package().constants_offset_bytes, package().constants);
  code_.emplace(*device_, std::ssize(package().code));
  code_->CopyIn(0, package().code);
}

void Session::TakeMemory() {
  const isa::Package& p = package();
  int64_t arguments = 0;
  for (const isa::PackageStep& step : p.steps)
    arguments += std::ssize(step.inputs) + std::ssize(step.outputs);
  workspace_bytes_ = WorkspaceBytes(p);
  const int64_t host_bytes = arena_.is_mapped() ? 0 : memory().activations;
  for (const bool known : {false, true}) {
    Parts parts(known ? memory_.data() : nullptr);
    uint8_t* const host = parts.Take<uint8_t>(host_bytes);
    workspace_ = parts.Take<uint8_t>(workspace_bytes_ * threads());
    void** const flat = parts.Take<void*>(arguments);
    arguments_ = {parts.Take<void* const*>(std::ssize(p.steps)), p.steps.size()};
    is_set_ = {parts.Take<bool>(std::ssize(p.inputs)), p.inputs.size()};
    if (!known) {
      memory_ = AlignedMemory(parts.bytes(), StrCat(model_->file(), ": session"));
      continue;
    }
    if (!arena_.is_mapped()) arena_.UseHost({host, static_cast<size_t>(host_bytes)});
    FillArguments(flat);
  }
}

// Constants are those of the model, wherever the tensors of this session lie.
void Session::FillArguments(void** next) {
  const isa::Package& p = package();
  for (size_t s = 0; s < p.steps.size(); ++s) {
    arguments_[s] = next;
    for (const std::vector<int64_t>* list : {&p.steps[s].inputs, &p.steps[s].outputs})
      for (const int64_t tensor : *list) {
        const isa::PackageTensor& t = p.tensors[tensor];
        *next++ = p.IsConstant(t) ? const_cast<uint8_t*>(model_->Constant(t))
                                  : arena_.host(t.offset_bytes);
      }
  }
}

void Session::RequireSize(const char* what, const isa::PackageTensor& tensor, size_t bytes) const {
  if (static_cast<int64_t>(bytes) != tensor.bytes())
    throw ArgumentError(model_->file(), StrCat(what, " ", tensor.name), Counted(bytes, "byte"),
                        StrCat("must be ", Counted(tensor.bytes(), "byte"), " of ",
                               isa::ElementTypeName(tensor.type)));
}

void Session::SetInput(int64_t input, std::span<const uint8_t> bytes) {
  const isa::PackageTensor& tensor = model_->Input(input);
  RequireSize("input", tensor, bytes.size());
  arena_.CopyIn(tensor.offset_bytes, bytes);
  is_set_[input] = true;
}

void Session::Run(RunProfile* profile) {
  if (const auto missing = std::ranges::find(is_set_, false); missing != is_set_.end())
    throw Error(model_->file(), StrCat("input ", model_->Input(missing - is_set_.begin()).name), "",
                "was not set since the last run");
  std::ranges::fill(is_set_, false);
  has_run_ = false;
  const int64_t steps = std::ssize(package().steps);
  if (profile) profile->steps.assign(steps, {});
  const auto start = steady_clock::now();
  for (int64_t i = 0; i < steps; ++i) RunStep(i, profile ? &profile->steps[i] : nullptr);
  if (profile) profile->wall = steady_clock::now() - start;
  has_run_ = true;
}

void Session::GetOutput(int64_t output, std::span<uint8_t> bytes) const {
  const isa::PackageTensor& tensor = model_->Output(output);
  RequireSize("output", tensor, bytes.size());
  if (!has_run_)
    throw Error(model_->file(), StrCat("output ", tensor.name), "", "no run has made it");
  CopyTensor(tensor, bytes);
}

void Session::CopyTensor(const isa::PackageTensor& tensor, std::span<uint8_t> bytes) const {
  if (package().IsConstant(tensor))
    std::copy_n(model_->Constant(tensor), bytes.size(), bytes.data());
  else
    arena_.CopyOut(tensor.offset_bytes, bytes);
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
  arena_.CopyIn(t.offset_bytes, bytes);
}

std::vector<uint8_t> Session::ReadConstants() const {
  std::vector<uint8_t> bytes(device_ ? package().constants.size() : 0);
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
  const isa::PackageStep& step = package().steps[index];
  has_run_ = false;
  if (options_.on_step) options_.on_step(index);
  const auto start = steady_clock::now();
  isa::Counters counters;
  try {
    if (start >= deadline_) throw Stopped();
    if (step.kind == isa::PackageStep::Kind::kProgram)
      counters = RunProgram(step.program);
    else
      RunKernel(index);
  } catch (const Error& error) {
    throw error.In(model_->Place(index));
  }
  if (profile) *profile = {steady_clock::now() - start, counters};
}

isa::Counters Session::RunProgram(int64_t index) {
  const isa::PackageProgram& program = package().programs[index];
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

void Session::RunKernel(int64_t index) {
  const isa::PackageStep& step = package().steps[index];
  const auto each = [&](const std::vector<int64_t>& list, auto call) {
    for (int64_t tensor : list) {
      const isa::PackageTensor& t = package().tensors[tensor];
      if (!package().IsConstant(t)) (arena_.*call)(t.offset_bytes, t.bytes());
    }
  };
  each(step.inputs, &Arena::ForHost);
  const KernelModule& kernels = *model_->kernels();
  pool_->Run(package().kernels[step.kernel].tasks,
             [&](int64_t worker, int64_t first, int64_t last) {
               kernels.Run(step.kernel, arguments_[index], workspace_ + worker * workspace_bytes_,
                           first, last);
             });
  each(step.outputs, &Arena::ForDevice);
}

std::vector<std::vector<uint8_t>> Infer(Session& session,
                                        std::span<const std::span<const uint8_t>> inputs,
                                        RunProfile* profile) {
  const isa::Package& package = session.package();
  if (inputs.size() != package.inputs.size())
    throw Error(session.model().file(), "inputs", std::to_string(inputs.size()),
                StrCat("the model has ", package.inputs.size()));
  RunProfile measured;
  const auto start = steady_clock::now();
  for (size_t i = 0; i < inputs.size(); ++i) session.SetInput(static_cast<int64_t>(i), inputs[i]);
  measured.copy_in = steady_clock::now() - start;
  session.Run(&measured);
  const auto ran = steady_clock::now();
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < package.outputs.size(); ++i) {
    outputs.emplace_back(static_cast<size_t>(package.tensors[package.outputs[i]].bytes()));
    session.GetOutput(static_cast<int64_t>(i), outputs.back());
  }
  measured.copy_out = steady_clock::now() - ran;
  measured.wall = steady_clock::now() - start;
  if (profile) *profile = std::move(measured);
  return outputs;
}

}  // namespace vta::runtime
