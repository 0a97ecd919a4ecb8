#include <chrono>
#include <utility>

#include "isa/support/error.h"
#include "sim/build/once.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

/// Nothing where no step is for a GPU. Errors: throws Error naming package, step and device.
std::unique_ptr<driver::Gpu> OpenGpuFor(const runtime::Model& model, const EngineOptions& engine) {
  const isa::GpuRow* const kind = model.package().Gpu();
  if (!kind) return nullptr;
  try {
    return engine.OpenGpu(*kind, sim::CacheFolder());
  } catch (const Error& error) {
    throw error.In(StrCat(model.PlaceOfGpu(), ": ", engine.DeviceOf(*kind)));
  }
}

}  // namespace

EngineSession::EngineSession(std::shared_ptr<const runtime::Model> model,
                             const EngineOptions& engine) {
  if (engine.IsRemote()) {
    held_ = HoldDevice(engine);
    remote_model_ = std::move(model);
    remote_options_ = {.apart = engine.apart, .threads = engine.threads};
    auto session = std::make_unique<runtime::RemoteSession>(remote_model_, held_, remote_options_);
    remote_ = session.get();
    session_ = std::move(session);
    return;
  }
  if (model->package().config) device_ = OpenEngine(engine, *model->package().config);
  const auto start = std::chrono::steady_clock::now();
  gpu_ = OpenGpuFor(*model, engine);
  runtime::SessionOptions options{.apart = engine.apart,
                                  .threads = engine.threads,
                                  .kernels = engine.kernels,
                                  .gpu = gpu_.get()};
  options.on_step = [this, progress = engine.progress](int64_t step) {
    if (after_step_ && step > 0) after_step_(step - 1);
    const std::vector<isa::PackageStep>& steps = session_->package().steps;
    if (progress)
      progress->At(StrCat("step ", step + 1, " of ", steps.size(), " ", steps[step].name));
  };
  auto session = std::make_unique<runtime::Session>(std::move(model), device_.get(), options);
  local_ = session.get();
  session_ = std::move(session);
  if (gpu_)
    load_ = {gpu_->name(), Milliseconds(std::chrono::steady_clock::now() - start),
             local_->is_gpu_code_from_cache()};
}

std::function<std::unique_ptr<runtime::AnySession>()> EngineSession::maker() const {
  if (!remote_) return {};
  return [this]() -> std::unique_ptr<runtime::AnySession> {
    return std::make_unique<runtime::RemoteSession>(remote_model_, held_, remote_options_);
  };
}

runtime::Session& EngineSession::local() {
  VTA_CHECK(local_, "a server runs it");
  return *local_;
}

runtime::Timing EngineSession::Time(std::span<const std::span<const uint8_t>> inputs,
                                    const runtime::TimerOptions& options) {
  return remote_ ? remote_->Time(inputs, options)
                 : runtime::MeasureInference(*local_, inputs, options);
}

std::vector<std::vector<uint8_t>> EngineSession::Run(
    const std::vector<std::vector<uint8_t>>& inputs, runtime::RunProfile* profile) {
  const std::vector<std::span<const uint8_t>> spans(inputs.begin(), inputs.end());
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<uint8_t>> outputs = runtime::Infer(*session_, spans, profile);
  if (load_ && load_->first_ms == 0)
    load_->first_ms = Milliseconds(std::chrono::steady_clock::now() - start);
  if (const int64_t steps = std::ssize(session_->package().steps); after_step_ && steps > 0)
    after_step_(steps - 1);
  return outputs;
}

}  // namespace vta::tools
