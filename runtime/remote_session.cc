#include "runtime/remote_session.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {

using std::chrono::steady_clock;

RemoteSession::RemoteSession(std::shared_ptr<const Model> model,
                             std::shared_ptr<driver::remote::Client> client,
                             std::shared_ptr<driver::remote::Lease> lease,
                             const RemoteOptions& options)
    : model_(std::move(model)),
      client_(std::move(client)),
      lease_(std::move(lease)),
      inputs_(package().inputs.size()),
      bound_inputs_(package().inputs.size()),
      bound_outputs_(package().outputs.size()) {
  const std::string sha256 = client_->Upload(isa::SerializePackage(package()));
  opened_ = lease_->worker().OpenSession({sha256, model_->file(), options.apart, options.threads});
}

RemoteSession::~RemoteSession() {
  if (lease_.use_count() == 1) return;  // it ends with its lease
  try {
    lease_->worker().CloseSession(opened_.session);
  } catch (const Error&) {  // the lease has ended: whoever calls is told by another call
  }
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
  const auto start = steady_clock::now();
  driver::remote::RunRequest request;
  request.session = opened_.session;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (const std::span<const uint8_t> bound = bound_inputs_[i]; !bound.empty())
      request.inputs.emplace_back(bound.begin(), bound.end());
    else if (inputs_[i])
      request.inputs.push_back(std::move(*std::exchange(inputs_[i], std::nullopt)));
    else
      throw Error(model_->file(), StrCat("input ", model_->Input(static_cast<int64_t>(i)).name), "",
                  "was not set since the last run");
  }
  if (deadline_ != Deadline::max())
    request.limit = std::max(std::chrono::nanoseconds{}, deadline_ - start);
  outputs_.clear();
  driver::remote::RunReply reply = lease_->worker().Run(request);
  if (reply.outputs.size() != package().outputs.size() ||
      reply.steps.size() != package().steps.size())
    throw Error(model_->file(), "", "", "the server's outputs are those of another package");
  for (size_t i = 0; i < reply.outputs.size(); ++i)
    RequireSize("output", model_->Output(static_cast<int64_t>(i)), reply.outputs[i].size());
  for (size_t i = 0; i < reply.outputs.size(); ++i)
    if (!bound_outputs_[i].empty())
      std::copy(reply.outputs[i].begin(), reply.outputs[i].end(), bound_outputs_[i].begin());
  outputs_ = std::move(reply.outputs);
  network_ = std::max(std::chrono::nanoseconds{}, steady_clock::now() - start - reply.wall);
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
  driver::remote::TimeRequest request{
      opened_.session, {}, options.number, options.repeat, options.min_time};
  for (const std::span<const uint8_t> input : inputs)
    request.inputs.emplace_back(input.begin(), input.end());
  const driver::remote::TimeReply reply = lease_->worker().Time(request);
  if (reply.clock < 0 || reply.clock > static_cast<int64_t>(TimeKind::kSimulation))
    throw Error(model_->file(), "clock", std::to_string(reply.clock), "is none");
  return {{static_cast<TimeKind>(reply.clock), reply.mhz}, reply.number, reply.results};
}

}  // namespace vta::runtime
