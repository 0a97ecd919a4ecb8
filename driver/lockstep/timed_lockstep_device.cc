#include "driver/lockstep/timed_lockstep_device.h"

#include "isa/asm.h"
#include "isa/support/error.h"
#include "sim/trace/timing_difference.h"

namespace vta::driver {
namespace {

const sim::SideNames kTimedNames = {"RTL", "cycle model"};
constexpr char kTimedRule[] = "the cycle model differs from the RTL";

}  // namespace

TimedLockstepDevice::TimedLockstepDevice(const isa::Config& config, int64_t memory_bytes,
                                         const sim::RtlOptions& options,
                                         const sim::ModelOptions& model)
    : LockstepDevice(config, memory_bytes, options, model),
      core_(config),
      timeline_(options.timeline) {}

isa::LaunchResult TimedLockstepDevice::Run(const isa::LaunchRequest& request,
                                           std::span<uint8_t> dram,
                                           std::chrono::nanoseconds limit) {
  sim::Timeline model, rtl;
  // First: it reads instructions and micro-ops as they are before the launch.
  const isa::LaunchResult want =
      core_.Run(request, dram, {.timeline = &model, .time_limit = limit});
  machine().options().timeline = &rtl;
  const isa::LaunchResult have = LockstepDevice::Run(request, dram, limit);
  machine().options().timeline = timeline_;
  if (timeline_) sim::Append(*timeline_, rtl);
  if (want.outcome == isa::Outcome::kStopped || have.outcome == isa::Outcome::kStopped)
    return want.outcome == isa::Outcome::kStopped ? want : have;
  if (const auto first = sim::CompareInstructions(*id_.config, rtl, model, kTimedNames))
    throw Error(
        "", "", "", kTimedRule,
        StrCat("\n  ", first->place, ": ", isa::Disassemble(isa::Layout(*id_.config), first->word),
               "\n  ", first->what, "\n  rule: ", first->rule));
  if (std::string text = sim::CompareResults(want, have, kTimedNames); !text.empty())
    throw Error("", "", "", kTimedRule, "\n" + text);
  return have;
}

}  // namespace vta::driver
