// What tools say of a device: how sure its times are, what samples in flight come to, whether it
// passes its self-test and where a run goes wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "driver/device.h"
#include "runtime/diagnosis/bisect.h"
#include "runtime/diagnosis/self_test.h"
#include "runtime/pipeline.h"
#include "runtime/timer.h"
#include "tools/shared/inferences.h"

namespace vta::tools {

inline constexpr char kTimerHelp[] =
    "also time the first sample, such as number=1,repeat=10,min-ms=100: runs of a measurement, "
    "measurements, and how long each must take, for which its runs grow in number";
inline constexpr char kInFlightHelp[] =
    "also run all samples with so many of them in flight: kernels of one beside the accelerator's "
    "programs of another";
inline constexpr char kBisectHelp[] =
    "compare with the functional engine; where outputs differ, run layer by layer, each from the "
    "right values, and name the first that differs; exit status 1";
inline constexpr char kSelfTestHelp[] =
    "run small programs for all that the accelerator can do, and compare with the functional "
    "engine; exit status 1 where one differs";

/// The config of a package's accelerator, for `option`. Errors: throws UsageError where there is
/// none.
const isa::Config& ConfigFor(const isa::Package& package, const std::string& option);

/// What --time says, where it is given. Errors: throws UsageError.
std::optional<runtime::TimerOptions> ParseTimer(const std::optional<std::string>& text);

/// A line, or two, each.
std::string TimingText(const runtime::Timing& timing);
std::string ModelledText(const runtime::Throughput& throughput, const runtime::StepClock& clock,
                         int64_t batch);
std::string MeasuredText(const runtime::Throughput& throughput, const runtime::StepClock& clock,
                         int64_t runs, int64_t batch);

/// What wall time is on that device.
runtime::StepClock WallClock(const isa::Package& package, const driver::DeviceId* device);

/// Runs all samples so many times in a pipeline, with no more in flight than there are. `outputs`
/// are those of one after the other, each in its place: where they differ the device does not
/// always do the same, stderr has a line, and there is no throughput. Errors: as runtime::Pipeline.
std::optional<runtime::Throughput> FlySamples(const std::shared_ptr<const runtime::Model>& model,
                                              driver::Device* device, const Inferences& inputs,
                                              int64_t repeat, const Inferences& outputs,
                                              runtime::PipelineOptions options,
                                              runtime::Session::Deadline deadline);

/// Prints what a bisection, or a self-test, found on a device beside the functional engine; the
/// exit status. `name` is the device. Errors: as runtime::Bisect and RunSelfTest.
int PrintBisection(const std::shared_ptr<const runtime::Model>& model, const std::string& name,
                   driver::Device& device, const Inferences& inputs,
                   const runtime::BisectOptions& options);
int PrintSelfTest(const isa::Config& config, const std::string& name, driver::Device& device,
                  const runtime::SelfTestOptions& options);

}  // namespace vta::tools
