// What vta run does with an engine besides running samples: looks for what is wrong with it, times
// it, keeps samples in flight.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/report/report.h"
#include "tools/shared/trials.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

/// Errors: throws UsageError naming `option` where there are several engines.
void RequireOneEngine(const EngineOptions& engine, const std::string& option);

/// --self-test, of the config that the options name or that the package has; the exit status.
int SelfTest(const ModelOptions& model, EngineOptions& engine, runtime::Session::Deadline deadline);
/// --bisect; the exit status.
int BisectRun(const std::shared_ptr<const runtime::Model>& model, const EngineOptions& engine,
              const Inferences& inputs, runtime::Session::Deadline deadline);

/// --time, of one sample.
runtime::Timing Time(EngineSession& session, const std::vector<std::vector<uint8_t>>& sample,
                     const runtime::TimerOptions& options);
/// --in-flight; `profile` is that of one run alone, `outputs` are to be the same. Nothing where
/// they are not. Errors: as runtime::Pipeline.
std::optional<FlightReport> Fly(const std::shared_ptr<const runtime::Model>& model,
                                EngineSession& session, const Inferences& inputs, int64_t repeat,
                                const runtime::RunProfile& profile,
                                runtime::Session::Deadline deadline,
                                const runtime::PipelineOptions& options, const Inferences& outputs);

}  // namespace vta::tools
