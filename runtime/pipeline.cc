#include "runtime/pipeline.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

bool IsKernel(const isa::PackageStep& step) { return step.kind == isa::PackageStep::Kind::kKernel; }

}  // namespace

Pipeline::Pipeline(std::shared_ptr<const Model> model, driver::Device* device,
                   const PipelineOptions& options)
    : model_(std::move(model)) {
  if (options.in_flight < 1 || options.in_flight > kMostInFlight)
    throw ArgumentError(model_->file(), "samples in flight", std::to_string(options.in_flight),
                        StrCat("must be 1 to ", kMostInFlight));
  slots_.resize(static_cast<size_t>(options.in_flight));
  MakeSessions(device, options);
  try {
    for (Slot& slot : slots_) slot.thread = std::thread([this, &slot] { Work(slot); });
  } catch (const std::system_error& error) {
    Stop();
    throw Error(model_->file(), "samples in flight", std::to_string(options.in_flight),
                StrCat("the system gives no thread: ", error.what()));
  }
}

void Pipeline::MakeSessions(driver::Device* device, const PipelineOptions& options) {
  if (device) shared_ = std::make_unique<SharedDevice>(*device);
  SessionOptions of_each{
      .apart = options.apart, .threads = options.threads, .kernels = options.kernels};
  if (!options.make_session && model_->kernels() &&
      options.kernels.confinement < Confinement::kProcess)
    of_each.pool =
        std::make_shared<ThreadPool>(options.threads != 0 ? options.threads : AvailableCpus());
  for (Slot& slot : slots_) {
    if (device) slot.device = std::make_unique<TurnDevice>(*shared_);
    try {
      if (options.make_session) {
        slot.session = options.make_session();
        continue;
      }
      auto session = std::make_unique<Session>(model_, slot.device.get(), of_each);
      slot.own = session.get();
      slot.session = std::move(session);
    } catch (const Error& error) {
      if (&slot == slots_.data()) throw;
      throw error.In(
          StrCat("sample ", &slot - slots_.data() + 1, " of ", slots_.size(), " in flight"));
    }
  }
}

Pipeline::~Pipeline() { Stop(); }

void Pipeline::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  queued_.notify_all();
  for (Slot& slot : slots_)
    if (slot.thread.joinable()) slot.thread.join();
}

int64_t Pipeline::Submit(Tensors inputs) {
  const isa::Package& package = model_->package();
  if (inputs.size() != package.inputs.size())
    throw Error(model_->file(), "inputs", std::to_string(inputs.size()),
                StrCat("the model has ", package.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const isa::PackageTensor& tensor = package.tensors[package.inputs[i]];
    if (std::ssize(inputs[i]) != tensor.bytes())
      throw ArgumentError(model_->file(), StrCat("sample ", submitted_, ", input ", tensor.name),
                          Counted(inputs[i].size(), "byte"),
                          StrCat("must be ", Counted(tensor.bytes(), "byte"), " of ",
                                 isa::ElementTypeName(tensor.type)));
  }
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back({submitted_, std::move(inputs), deadline_});
  }
  queued_.notify_one();
  return submitted_++;
}

Flown Pipeline::Next() {
  VTA_CHECK(waiting() > 0, "no sample is left");
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return finished_.contains(taken_); });
  Ended ended = std::move(finished_.extract(taken_).mapped());
  ++taken_;
  if (ended.error) std::rethrow_exception(ended.error);
  return std::move(ended.flown);
}

std::vector<Flown> Pipeline::Run(std::span<const Tensors> samples) {
  std::vector<Flown> flown;
  try {
    for (const Tensors& inputs : samples) {
      Submit(inputs);
      if (waiting() > std::ssize(slots_) + kQueue) flown.push_back(Next());
    }
    while (waiting() > 0) flown.push_back(Next());
  } catch (...) {
    Drop();
    throw;
  }
  return flown;
}

// What has not begun never does; what flies ends.
void Pipeline::Drop() {
  std::unique_lock lock(mutex_);
  submitted_ -= std::ssize(queue_);
  queue_.clear();
  ended_.wait(lock, [&] { return std::ssize(finished_) == submitted_ - taken_; });
  finished_.clear();
  taken_ = submitted_;
}

void Pipeline::Work(Slot& slot) {
  for (;;) {
    std::unique_lock lock(mutex_);
    queued_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    const Queued queued = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Ended ended = Fly(slot, queued);
    lock.lock();
    finished_.emplace(queued.sample, std::move(ended));
    lock.unlock();
    ended_.notify_all();
  }
}

Pipeline::Ended Pipeline::Fly(Slot& slot, const Queued& queued) {
  Ended ended{.flown = {.sample = queued.sample}};
  Flown& flown = ended.flown;
  const isa::Package& package = model_->package();
  if (slot.device) slot.device->UseNumber(queued.sample);
  slot.session->StopAt(queued.deadline);
  try {
    flown.begin = steady_clock::now();
    for (size_t i = 0; i < queued.inputs.size(); ++i)
      slot.session->SetInput(static_cast<int64_t>(i), queued.inputs[i]);
    const auto copied = steady_clock::now();
    if (slot.own)
      RunSteps(slot, queued.sample, flown.profile);
    else
      slot.session->Run(&flown.profile);
    const auto ran = steady_clock::now();
    for (size_t i = 0; i < package.outputs.size(); ++i) {
      const int64_t output = package.outputs[i];
      if (slot.own) {
        flown.outputs.push_back(slot.own->ReadTensor(output));
        continue;
      }
      flown.outputs.emplace_back(static_cast<size_t>(package.tensors[output].bytes()));
      slot.session->GetOutput(static_cast<int64_t>(i), flown.outputs.back());
    }
    flown.end = steady_clock::now();
    flown.profile.copy_in = copied - flown.begin;
    flown.profile.copy_out = flown.end - ran;
    flown.profile.wall = flown.end - flown.begin;
  } catch (const Error& error) {
    ended.error = std::make_exception_ptr(error.In(StrCat("sample ", queued.sample)));
  } catch (...) {
    ended.error = std::current_exception();
  }
  return ended;
}

void Pipeline::RunSteps(Slot& slot, int64_t sample, RunProfile& profile) {
  const std::vector<isa::PackageStep>& steps = model_->package().steps;
  profile.steps.resize(steps.size());
  for (size_t i = 0; i < steps.size();) {
    StepProfile* const step = &profile.steps[i];
    if (slot.device) slot.device->TakeWaited();
    std::optional<PriorityLock> turn;
    if (IsKernel(steps[i])) turn.emplace(host_, sample);
    i = static_cast<size_t>(slot.own->RunFrom(static_cast<int64_t>(i), step));
    turn.reset();
    if (slot.device) step->wall = std::max(nanoseconds{}, step->wall - slot.device->TakeWaited());
  }
}

Throughput Measured(std::span<const Flown> samples, int64_t in_flight) {
  VTA_CHECK(!samples.empty());
  Throughput result{.in_flight = in_flight};
  auto begin = samples[0].begin, end = samples[0].end;
  nanoseconds flown{};
  for (const Flown& sample : samples) {
    begin = std::min(begin, sample.begin);
    end = std::max(end, sample.end);
    flown += sample.end - sample.begin;
  }
  result.latency = flown / std::ssize(samples);
  result.period = (end - begin) / std::ssize(samples);
  return result;
}

Throughput Modelled(const isa::Package& package, const RunProfile& profile, const StepClock& clock,
                    int64_t in_flight) {
  std::vector<TimedStep> steps;
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const StepProfile& step = profile.steps.at(i);
    if (step.begins)
      steps.push_back({IsKernel(package.steps[i]) ? Worker::kHost : Worker::kDevice});
    steps.back().time += clock.TimeOf(step);
  }
  return SteadyThroughput(steps, in_flight);
}

}  // namespace vta::runtime
