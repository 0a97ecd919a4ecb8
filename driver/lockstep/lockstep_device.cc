#include "driver/lockstep/lockstep_device.h"

#include <algorithm>

#include "isa/asm.h"
#include "isa/support/error.h"
#include "sim/trace/lockstep.h"

namespace vta::driver {
namespace {

const sim::SideNames kNames = {"golden", "RTL"};
constexpr char kRule[] = "the RTL differs from the golden model";

Error Differs(const isa::Layout& layout, const sim::Difference& difference) {
  const sim::Event& event = difference.left ? *difference.left : *difference.right;
  return Error("", "", "", kRule,
               StrCat("\n  ", difference.place, ": ", isa::Disassemble(layout, event.word), "\n  ",
                      difference.what));
}

}  // namespace

LockstepDevice::LockstepDevice(const isa::Config& config, int64_t memory_bytes,
                               const sim::RtlOptions& options, const sim::ModelOptions& model)
    : RtlDevice(config, memory_bytes, options, model),
      golden_(config),
      golden_dram_(this->memory_bytes()) {}

void LockstepDevice::CopyIn(uint64_t address, std::span<const uint8_t> bytes) {
  RtlDevice::CopyIn(address, bytes);
  std::copy(bytes.begin(), bytes.end(), golden_dram_.data() + address);
}

void LockstepDevice::CopyOut(uint64_t address, std::span<uint8_t> bytes) {
  RtlDevice::CopyOut(address, bytes);
  if (stopped_) return;
  const auto [have, want] =
      std::mismatch(bytes.begin(), bytes.end(), golden_dram_.data() + address);
  if (have != bytes.end())
    throw Error("memory", Hex(static_cast<uint64_t>(want - golden_dram_.data())),
                StrCat("golden ", Hex(*want, 2), ", RTL ", Hex(*have, 2)), kRule);
}

isa::LaunchResult LockstepDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                      std::chrono::nanoseconds limit) {
  sim::Lockstep lockstep(sim::TraceDetail::kValues, kNames);
  golden_.options().trace = &lockstep.left();
  golden_.options().time_limit = limit;
  machine().options().trace = &lockstep.right();
  const isa::LaunchResult want =
      golden_.Run(request, {golden_dram_.data(), static_cast<size_t>(golden_dram_.size())});
  isa::LaunchResult have = RtlDevice::Run(request, dram, limit);
  const bool stopped = !lockstep.found() && (want.outcome == isa::Outcome::kStopped ||
                                             have.outcome == isa::Outcome::kStopped);
  if (!stopped) lockstep.Finish();
  machine().options().trace = nullptr;
  if (lockstep.found()) throw Differs(golden_.layout(), *lockstep.difference());
  stopped_ |= stopped;
  if (stopped) return want.outcome == isa::Outcome::kStopped ? want : have;
  if (std::string text = sim::CompareResults(want, have, kNames); !text.empty())
    throw Error("", "", "", kRule, "\n" + text);
  return have;
}

}  // namespace vta::driver
