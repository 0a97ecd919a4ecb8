// What generated files call the codes that the host registers hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/launch.h"
#include "isa/spec/modules.h"
#include "isa/spec/registers.h"

namespace vta::isa {

struct NamedCode {
  template <typename Code>
  constexpr NamedCode(std::string_view name, Code code)
      : name(name), code(static_cast<int64_t>(code)) {}
  std::string_view name;
  int64_t code;
};

inline constexpr NamedCode kKindCodes[] = {{"done", ModuleState::Kind::kDone},
                                           {"waiting", ModuleState::Kind::kWaiting},
                                           {"halted", ModuleState::Kind::kHalted}};
inline constexpr NamedCode kWaitCodes[] = {{"none", Wait::kNone},
                                           {"token", Wait::kToken},
                                           {"space", Wait::kSpace},
                                           {"barrier", Wait::kBarrier}};
inline constexpr NamedCode kOutcomeCodes[] = {{"finished", Outcome::kFinished},
                                              {"fault", Outcome::kFault},
                                              {"deadlock", Outcome::kDeadlock},
                                              {"no_finish", Outcome::kNoFinish},
                                              {"stopped", Outcome::kStopped}};
/// The first counter of each kind.
inline constexpr NamedCode kCounterCodes[] = {
    {"cycles", HardwareCounter::kCycles},
    {"busy", HardwareCounter::kBusy},
    {"wait_token", HardwareCounter::kWaitToken},
    {"wait_memory", HardwareCounter::kWaitMemory},
    {"instructions", HardwareCounter::kInstructions},
    {"gemm_uops", HardwareCounter::kGemmUops},
    {"mac_uops", HardwareCounter::kMacUops},
    {"alu_uops", HardwareCounter::kAluUops},
    {"elements", HardwareCounter::kElements},
    {"tokens", HardwareCounter::kTokens},
    {"fetch_busy", HardwareCounter::kFetchBusy},
    {"fetch_wait_token", HardwareCounter::kFetchWaitToken},
    {"fetch_wait_memory", HardwareCounter::kFetchWaitMemory}};

/// "load_compute".
inline std::string QueueName(const QueueSpec& queue) {
  return std::string(Spec(queue.from).name) + "_" + std::string(Spec(queue.to).name);
}

}  // namespace vta::isa
