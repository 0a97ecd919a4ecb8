#include "tools/vta/run/run_trials.h"

#include "isa/support/error.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {

void RequireOneEngine(const EngineOptions& engine, const std::string& option) {
  if (engine.names().size() > 1)
    throw UsageError(option, "", "", StrCat("looks into one engine, not into ", engine.name));
}

int SelfTest(const ModelOptions& model, EngineOptions& engine,
             runtime::Session::Deadline deadline) {
  RequireOneEngine(engine, "--self-test");
  isa::Config config;
  if (model.model.empty()) {
    config = model.own_config ? *model.own_config : FindConfig(model.config);
  } else if (IsPackage(model.model)) {
    RefuseCompileOptions(model);
    config = ConfigFor(isa::ReadPackage(model.model), "--self-test");
  } else {
    throw UsageError("--self-test", "", model.model,
                     "is of a config, -c, or of the accelerator that a package is for");
  }
  Progress progress(StrCat("self-test of ", config.name));
  engine.progress = &progress;
  const auto device = OpenEngine(engine, config, runtime::SelfTestBytes(config));
  return PrintSelfTest(config, engine.name, *device,
                       {.deadline = deadline, .progress = [&](const std::string& what) {
                          what.empty() ? progress.Hide() : progress.At(what);
                        }});
}

int BisectRun(const std::shared_ptr<const runtime::Model>& model, const EngineOptions& engine,
              const Inferences& inputs, runtime::Session::Deadline deadline) {
  const auto device = OpenEngine(engine, ConfigFor(model->package(), "--bisect"));
  return PrintBisection(
      model, engine.name, *device, inputs,
      {.kernels = engine.kernels, .deadline = deadline, .progress = [&](const std::string& what) {
         what.empty() ? engine.progress->Hide() : engine.progress->At(what);
       }});
}

runtime::Timing Time(EngineSession& session, const std::vector<std::vector<uint8_t>>& sample,
                     const runtime::TimerOptions& options) {
  const std::vector<std::span<const uint8_t>> spans(sample.begin(), sample.end());
  return session.Time(spans, options);
}

std::optional<FlightReport> Fly(const std::shared_ptr<const runtime::Model>& model,
                                EngineSession& session, const Inferences& inputs, int64_t repeat,
                                const runtime::RunProfile& profile,
                                runtime::Session::Deadline deadline,
                                const runtime::PipelineOptions& options,
                                const Inferences& outputs) {
  runtime::PipelineOptions of_each = options;
  of_each.make_session = session.maker();
  const auto flown =
      FlySamples(model, session.engine(), inputs, repeat, outputs, of_each, deadline);
  if (!flown) return std::nullopt;
  FlightReport report{*flown, WallClock(model->package(), session.device()),
                      repeat * static_cast<int64_t>(inputs.size())};
  report.throughput.alone = profile.wall;
  return report;
}

}  // namespace vta::tools
