#include "runtime/remote_session.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {

using std::chrono::steady_clock;

template <typename Call>
auto RemoteSession::Repeat(const Call& call) {
  for (int losses = 0;; ++losses) {
    try {
      Open();
      return call(lease_->worker());
    } catch (const driver::remote::ServerLost& error) {
      if (losses == driver::remote::HeldDevice::kMostLosses) throw;
      lease_ = held_->Replace(lease_, error);
      is_open_ = false;
    }
  }
}

RemoteSession::RemoteSession(std::shared_ptr<const Model> model,
                             std::shared_ptr<driver::remote::HeldDevice> held,
                             const RemoteOptions& options)
    : model_(std::move(model)),
      held_(std::move(held)),
      lease_(held_->lease()),
      options_(options),
      inputs_(package().inputs.size()),
      bound_inputs_(package().inputs.size()),
      bound_outputs_(package().outputs.size()) {
  Repeat([](driver::remote::Worker&) { return true; });
}

RemoteSession::RemoteSession(std::shared_ptr<const Model> model,
                             std::shared_ptr<driver::remote::Client> client,
                             std::shared_ptr<driver::remote::Lease> lease,
                             const RemoteOptions& options)
    : RemoteSession(
          std::move(model),
          std::make_shared<driver::remote::HeldDevice>(std::move(client), std::move(lease)),
          options) {}

RemoteSession::~RemoteSession() {
  constexpr int64_t kOwn = 2;  // this one's and its device's
  if (!is_open_ || (held_.use_count() == 1 && lease_.use_count() == kOwn))
    return;  // it ends with its lease
  try {
    lease_->worker().CloseSession(opened_.session);
  } catch (const Error&) {  // the lease has ended: whoever calls is told by another call
  }
}

void RemoteSession::Open() {
  if (is_open_) return;
  const std::string sha256 = lease_->Upload(isa::SerializePackage(package()));
  driver::remote::SessionReply opened =
      lease_->worker().OpenSession({sha256, model_->file(), options_.apart, options_.threads});
  // What was said of the device holds for its successors: only the session is another one.
  const std::optional<driver::DeviceId>& had = opened_.device;
  if (had && opened.device &&
      (had->arch_hash != opened.device->arch_hash ||
       had->timing_hash != opened.device->timing_hash))
    throw Error(
        lease_->server(), "device", opened.device->name,
        StrCat("is not as the one that was lost, ", had->name, ": devices of a key must be alike"));
  if (opened_.session == 0)
    opened_ = std::move(opened);
  else
    opened_.session = opened.session;
  is_open_ = true;
}

void RemoteSession::RequireSize(const char* what, const isa::PackageTensor& tensor,
                                size_t bytes) const {
  if (static_cast<int64_t>(bytes) != tensor.bytes())
    throw ArgumentError(model_->file(), StrCat(what, " ", tensor.name), Counted(bytes, "byte"),
                        StrCat("must be ", Counted(tensor.bytes(), "byte"), " of ",
                               isa::ElementTypeName(tensor.type)));
}

void RemoteSession::SetInput(int64_t input, std::span<const uint8_t> bytes) {
  RequireSize("input", model_->Input(input), bytes.size());
  inputs_[input].emplace(bytes.begin(), bytes.end());
  bound_inputs_[input] = {};
}

bool RemoteSession::BindInput(int64_t input, std::span<const uint8_t> bytes) {
  const isa::PackageTensor& tensor = model_->Input(input);
  if (!bytes.empty()) RequireSize("input", tensor, bytes.size());
  bound_inputs_[input] = bytes;
  return false;
}

bool RemoteSession::BindOutput(int64_t output, std::span<uint8_t> bytes) {
  const isa::PackageTensor& tensor = model_->Output(output);
  if (!bytes.empty()) RequireSize("output", tensor, bytes.size());
  bound_outputs_[output] = bytes;
  return false;
}

void RemoteSession::Run(RunProfile* profile) {
  driver::remote::RunRequest request;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (const std::span<const uint8_t> bound = bound_inputs_[i]; !bound.empty())
      request.inputs.emplace_back(bound.begin(), bound.end());
    else if (inputs_[i])
      request.inputs.push_back(std::move(*std::exchange(inputs_[i], std::nullopt)));
    else
      throw Error(model_->file(), StrCat("input ", model_->Input(static_cast<int64_t>(i)).name), "",
                  "was not set since the last run");
  }
  outputs_.clear();
  steady_clock::time_point asked;
  driver::remote::RunReply reply = Repeat([&](driver::remote::Worker& worker) {
    asked = steady_clock::now();
    request.session = opened_.session;
    if (deadline_ != Deadline::max())
      request.limit = std::max(std::chrono::nanoseconds{}, deadline_ - asked);
    return worker.Run(request);
  });
  if (reply.outputs.size() != package().outputs.size() ||
      reply.steps.size() != package().steps.size())
    throw Error(model_->file(), "", "", "the server's outputs are those of another package");
  for (size_t i = 0; i < reply.outputs.size(); ++i)
    RequireSize("output", model_->Output(static_cast<int64_t>(i)), reply.outputs[i].size());
  for (size_t i = 0; i < reply.outputs.size(); ++i)
    if (!bound_outputs_[i].empty())
      std::copy(reply.outputs[i].begin(), reply.outputs[i].end(), bound_outputs_[i].begin());
  outputs_ = std::move(reply.outputs);
  network_ = std::max(std::chrono::nanoseconds{}, steady_clock::now() - asked - reply.wall);
  if (!profile) return;
  profile->steps.clear();
  for (driver::remote::Step& step : reply.steps)
    profile->steps.push_back({step.wall, std::move(step.counters), step.begins, step.steps});
  profile->wall = reply.wall;
}

void RemoteSession::GetOutput(int64_t output, std::span<uint8_t> bytes) const {
  const isa::PackageTensor& tensor = model_->Output(output);
  RequireSize("output", tensor, bytes.size());
  if (outputs_.empty())
    throw Error(model_->file(), StrCat("output ", tensor.name), "", "no run has made it");
  std::copy(outputs_[output].begin(), outputs_[output].end(), bytes.begin());
}

Timing RemoteSession::Time(std::span<const std::span<const uint8_t>> inputs,
                           const TimerOptions& options) {
  driver::remote::TimeRequest request{0, {}, options.number, options.repeat, options.min_time};
  for (const std::span<const uint8_t> input : inputs)
    request.inputs.emplace_back(input.begin(), input.end());
  const driver::remote::TimeReply reply = Repeat([&](driver::remote::Worker& worker) {
    request.session = opened_.session;
    return worker.Time(request);
  });
  if (reply.clock < 0 || reply.clock > static_cast<int64_t>(TimeKind::kSimulation))
    throw Error(model_->file(), "clock", std::to_string(reply.clock), "is none");
  return {{static_cast<TimeKind>(reply.clock), reply.mhz}, reply.number, reply.results};
}

}  // namespace vta::runtime
