#include "isa/launch.h"

#include "isa/support/error.h"

namespace vta::isa {

std::string_view OutcomeName(Outcome outcome) {
  constexpr std::string_view kNames[] = {"finished", "fault", "deadlock", "no FINISH", "stopped"};
  return kNames[static_cast<int>(outcome)];
}

ModuleCycles& ModuleCycles::operator+=(const ModuleCycles& other) {
  busy += other.busy;
  wait_token += other.wait_token;
  wait_memory += other.wait_memory;
  return *this;
}

Time& Time::operator+=(const Time& other) {
  cycles += other.cycles;
  fetch += other.fetch;
  for (size_t i = 0; i < modules.size(); ++i) modules[i] += other.modules[i];
  return *this;
}

Causes& Causes::operator+=(const Causes& other) {
  for (int u = 0; u < kUnits; ++u)
    for (int c = 0; c < kCauses; ++c) {
      spent[u][c] += other.spent[u][c];
      path[u][c] += other.path[u][c];
    }
  return *this;
}

Counters& Counters::operator+=(const Counters& other) {
  for (size_t i = 0; i < instructions.size(); ++i) instructions[i] += other.instructions[i];
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] += other.bytes[i];
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] += other.tokens[i];
  gemm_uops += other.gemm_uops;
  alu_uops += other.alu_uops;
  macs += other.macs;
  if (other.time) time = time.value_or(Time()) += *other.time;
  if (other.causes) causes = causes.value_or(Causes()) += *other.causes;
  if (other.estimated_cycles)
    estimated_cycles = estimated_cycles.value_or(0) + *other.estimated_cycles;
  return *this;
}

std::string_view UnitName(int unit) {
  return unit == kFetchUnit ? "fetch" : Spec(static_cast<Module>(unit - 1)).name;
}

std::string_view CauseName(Cause cause) {
  constexpr std::string_view kNames[kCauses] = {
      "busy",    "pipeline", "uops",       "token",     "space",       "barrier",
      "latency", "row_miss", "contention", "bandwidth", "instruction", "nothing"};
  return kNames[static_cast<int>(cause)];
}

std::string Describe(Module module, const ModuleState& state) {
  std::string text(Spec(module).name);
  if (state.kind == ModuleState::Kind::kDone) return text + ": done";
  if (state.kind == ModuleState::Kind::kHalted)
    text += StrCat(": halted with ", Spec(state.fault).name);
  else if (state.wait == Wait::kToken)
    text += StrCat(": waits for a token of ", Spec(state.queue).name);
  else if (state.wait == Wait::kSpace)
    text += StrCat(": waits for space in ", Spec(state.queue).name);
  else if (state.wait == Wait::kBarrier)
    text += ": FINISH waits for the other modules";
  else
    text += ": stopped";
  return text + StrCat(" at instruction ", state.index, " (", Hex(state.address), ")");
}

std::string Describe(const LaunchResult& result) {
  std::string text(OutcomeName(result.outcome));
  if (result.outcome == Outcome::kFinished) return text;
  if (result.fetch.fault != Fault::kNone)
    text += StrCat("\n  fetch: halted with ", Spec(result.fetch.fault).name, " at instruction ",
                   result.fetch.fetched, " (", Hex(result.fetch.address), ")");
  if (result.fetch.full)
    text +=
        StrCat("\n  fetch: waits for space in the command queue of ", Spec(*result.fetch.full).name,
               " at instruction ", result.fetch.fetched, " (", Hex(result.fetch.address), ")");
  for (int m = 0; m < kModules; ++m)
    if (result.modules[m].kind != ModuleState::Kind::kDone)
      text += "\n  " + Describe(static_cast<Module>(m), result.modules[m]);
  return text;
}

}  // namespace vta::isa
