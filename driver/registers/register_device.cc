#include "driver/registers/register_device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "isa/support/stop.h"

namespace vta::driver {
namespace {

using isa::Register;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Between two looks at STATUS where no interrupt comes. Launches of small layers take tens of us.
constexpr nanoseconds kPollInterval = std::chrono::microseconds(20);
// An interrupt that is lost is noticed after so long.
constexpr nanoseconds kInterruptPatience = std::chrono::milliseconds(20);
// How often is looked at what an accelerator does, and after how many looks one whose counter of
// cycles stands still, or how many times the watchdog's cycles, it is stuck.
constexpr std::chrono::milliseconds kLookInterval{250};
constexpr int64_t kStuckLooks = 4;
constexpr uint32_t kStuckWatchdogs = 4;
// The bus answers what it owes in less.
constexpr nanoseconds kResetPatience = std::chrono::milliseconds(200);

constexpr uint32_t kStatusBits =
    isa::kStatusBusy | isa::kStatusDone | isa::kStatusWatchdog | 7u << isa::kStatusOutcomeLsb;

bool IsKnown(isa::Fault fault) { return static_cast<size_t>(fault) < std::size(isa::kFaults); }

bool IsKnown(const isa::ModuleState& state) {
  return state.kind <= isa::ModuleState::Kind::kHalted && state.wait <= isa::Wait::kBarrier &&
         static_cast<int>(state.queue) < isa::kQueues && IsKnown(state.fault);
}

bool IsKnown(const isa::LaunchResult& result) {
  return result.outcome <= isa::Outcome::kStopped && IsKnown(result.fetch.fault) &&
         (!result.fetch.full || static_cast<int>(*result.fetch.full) < isa::kModules) &&
         std::ranges::all_of(result.modules, [](const auto& state) { return IsKnown(state); });
}

}  // namespace

void RegisterDevice::Attach(isa::RegisterPort& port, bool is_simulated,
                            std::optional<double> clock_mhz) {
  port_ = &port;
  id_ = IdFromRegisters(name_, *this);
  id_.is_simulated = is_simulated, id_.clock_mhz = clock_mhz;
  RequireSameArch(config_, id_, name_);
  if (id_.timing_hash == 0) id_.timing_hash.reset();  // a simulated one that keeps no time
  if (!id_.timing_hash || id_.timing_hash == isa::TimingHash(config_)) id_.config = config_;
  EndWhatRuns();
  port_->Write(Register::kInterruptEnable, 0);
  port_->Write(Register::kInterruptStatus, 1);
  port_->Write(Register::kWatchdogCycles, WatchdogCycles());
}

double RegisterDevice::ClockMhz() const {
  return id_.clock_mhz.value_or(static_cast<double>(config_.uarch.clock_mhz));
}

uint32_t RegisterDevice::WatchdogCycles() const {
  return static_cast<uint32_t>(
      std::clamp(ClockMhz() * 1e3 * static_cast<double>(kWatchdog.count()), 1.0, 1e9));
}

// As the register holds it: of a clock that is far from any it is not kWatchdog.
std::string RegisterDevice::WatchdogText() const {
  const uint32_t cycles = WatchdogCycles();
  const double us = std::round(cycles / ClockMhz());
  return StrCat(us / 1e3, " ms (", cycles, " cycles at ", ClockMhz(), " MHz)");
}

// A bus without anybody answers with ones.
uint32_t RegisterDevice::ReadStatus() {
  const uint32_t status = port_->Read(Register::kStatus);
  if (status & ~kStatusBits)
    throw Error(name_, "register status", Hex(status, 8), "no VTA answers there any more");
  return status;
}

void RegisterDevice::Reset() {
  port_->Write(Register::kControl, isa::kControlReset);
  const auto end = steady_clock::now() + kResetPatience;
  while (ReadStatus() & isa::kStatusBusy) {
    if (steady_clock::now() >= end)
      throw Error(name_, "register status", Hex(port_->Read(Register::kStatus), 8),
                  "the accelerator does not come out of its reset; load its bitstream again");
    std::this_thread::sleep_for(kPollInterval);
  }
}

void RegisterDevice::EndWhatRuns() {
  if (ReadStatus() & isa::kStatusBusy) Reset();
  may_run_ = false;
}

void RegisterDevice::WaitForInterrupt(nanoseconds limit) {
  std::this_thread::sleep_for(std::min(limit, kPollInterval));
}

void RegisterDevice::Launch(const isa::LaunchRequest& request) {
  VTA_CHECK(!launched_, "a launch is running");
  isa::CheckAlignment(config_, request);
  if (may_run_) EndWhatRuns();
  may_run_ = true;
  try {
    isa::WriteLaunch(*port_, request);
  } catch (...) {
    TryToEnd();
    throw;
  }
  launched_ = request;
}

isa::LaunchResult RegisterDevice::Wait(nanoseconds limit) {
  VTA_CHECK(launched_.has_value(), "nothing was launched");
  const isa::LaunchRequest request = *std::exchange(launched_, std::nullopt);
  try {
    isa::LaunchResult result = WaitForEnd(request, limit);
    may_run_ = false;
    return result;
  } catch (...) {
    TryToEnd();
    throw;
  }
}

isa::LaunchResult RegisterDevice::WaitForEnd(const isa::LaunchRequest& request, nanoseconds limit) {
  const auto begin = steady_clock::now();
  Progress progress{.looked = begin};
  for (uint32_t status = ReadStatus(); !(status & isa::kStatusDone); status = ReadStatus()) {
    if (!(status & isa::kStatusBusy))
      throw Error(name_, "register status", Hex(status, 8),
                  "the accelerator forgot its launch: was it reset?");
    const auto now = steady_clock::now();
    const nanoseconds left = limit == kForever ? kForever : nanoseconds(begin + limit - now);
    if (left <= nanoseconds::zero() || IsOver(steady_clock::time_point::max())) {
      Reset();
      isa::LaunchResult stopped;
      stopped.outcome = isa::Outcome::kStopped;
      return stopped;
    }
    RequireProgress(progress, now);
    WaitForInterrupt(std::min(left, kInterruptPatience));
  }
  return ReadResult(request);
}

// The lower word of a counter: enough to see it move.
uint32_t RegisterDevice::ReadCounter(isa::HardwareCounter counter) {
  return port_->Read(Register::kCounter, 2 * static_cast<int64_t>(counter));
}

// Instructions, micro-ops, elements and tokens: what changes while anything moves.
uint32_t RegisterDevice::WorkDone() {
  uint32_t sum = 0;
  for (auto counter = isa::HardwareCounter::kInstructions;
       counter < isa::HardwareCounter::kFetchBusy;
       counter = static_cast<isa::HardwareCounter>(static_cast<int>(counter) + 1))
    sum += ReadCounter(counter);
  return sum;
}

// A launch that can go no further says so by itself, and one whose memory is dead is ended by the
// watchdog; one that does neither is broken hardware. Time is the accelerator's own, unless it
// counts none.
void RegisterDevice::RequireProgress(Progress& progress, steady_clock::time_point now) {
  if (now - progress.looked < kLookInterval) return;
  progress.looked = now;
  const uint32_t work = WorkDone(), cycles = ReadCounter(isa::HardwareCounter::kCycles);
  if (work != progress.work) progress = {work, cycles, cycles, 0, now};
  progress.still_looks = cycles == progress.cycles ? progress.still_looks + 1 : 0;
  progress.cycles = cycles;
  if (progress.still_looks < kStuckLooks &&
      cycles - progress.work_cycles < kStuckWatchdogs * WatchdogCycles())
    return;
  const uint32_t status = ReadStatus();
  Reset();
  throw Error(name_, "register status", Hex(status, 8),
              "the accelerator is busy and does nothing; it was reset");
}

isa::LaunchResult RegisterDevice::ReadResult(const isa::LaunchRequest& request) {
  const uint32_t status = ReadStatus();
  isa::LaunchResult result = isa::ReadResult(*port_, config_);
  ReadStatus();  // or what was read is nobody's
  if (result.counters.time && result.counters.time->cycles == 0) result.counters.time.reset();
  port_->Write(Register::kInterruptStatus, 1);
  if (status & isa::kStatusWatchdog)
    throw Error(name_, "register status", Hex(status, 8),
                StrCat("memory answered nothing for ", WatchdogText(),
                       ", so the watchdog ended the launch"));
  if (!IsKnown(result))
    throw Error(name_, "register status", Hex(status, 8),
                "it, or a register module, says what no VTA does");
  for (isa::ModuleState& state : result.modules) {
    if (state.kind == isa::ModuleState::Kind::kDone) continue;
    if (state.index >= request.instruction_count)
      throw Error(name_, "register module", std::to_string(state.index),
                  StrCat("the program has ", Counted(request.instruction_count, "instruction")));
    std::array<uint8_t, isa::kInstructionBytes> bytes;
    CopyOut(request.instruction_address + static_cast<uint64_t>(state.index) * bytes.size(), bytes);
    state.word = isa::WordsOf(bytes).front();
  }
  return result;
}

// While an error is on its way: what cannot be ended is ended before the next launch.
void RegisterDevice::TryToEnd() noexcept {
  try {
    EndWhatRuns();
  } catch (const std::exception&) {
  }
}

void RegisterDevice::Detach() noexcept {
  if (!port_) return;
  try {
    EndWhatRuns();
    port_->Write(Register::kInterruptEnable, 0);
  } catch (const std::exception&) {  // it is gone, or was reported as broken
  }
}

}  // namespace vta::driver
