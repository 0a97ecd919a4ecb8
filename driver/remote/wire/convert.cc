#include "driver/remote/wire/convert.h"

#include <algorithm>

#include "driver/remote/vta.pb.h"

namespace vta::driver::remote {
namespace {

using isa::kCauses;
using isa::kModules;
using isa::kUnits;

template <typename List, size_t kSize>
void Put(const std::array<int64_t, kSize>& values, List* list) {
  list->Add(values.begin(), values.end());
}

template <typename List, typename Value, size_t kSize>
void Get(const List& list, const char* what, std::array<Value, kSize>& values) {
  if (static_cast<size_t>(list.size()) != kSize)
    throw Malformed(what, StrCat("must have ", kSize, " values, and has ", list.size()));
  std::ranges::copy(list, values.begin());
}

/// Of an enumeration whose last value is `last`.
template <typename Enum>
Enum GetEnum(int64_t number, Enum last, const char* what) {
  if (number < 0 || number > static_cast<int64_t>(last))
    throw Malformed(what, StrCat("has no value ", number));
  return static_cast<Enum>(number);
}

void ToWire(const isa::ModuleCycles& cycles, wire::ModuleCycles* out) {
  out->set_busy(cycles.busy);
  out->set_wait_token(cycles.wait_token);
  out->set_wait_memory(cycles.wait_memory);
}

isa::ModuleCycles FromWire(const wire::ModuleCycles& message) {
  return {message.busy(), message.wait_token(), message.wait_memory()};
}

void ToWire(const isa::Time& time, wire::CycleTime* out) {
  out->set_cycles(time.cycles);
  ToWire(time.fetch, out->mutable_fetch());
  for (const isa::ModuleCycles& module : time.modules) ToWire(module, out->add_modules());
}

isa::Time FromWire(const wire::CycleTime& message) {
  isa::Time time{message.cycles(), FromWire(message.fetch()), {}};
  if (message.modules_size() != kModules)
    throw Malformed("time", StrCat("must have ", kModules, " modules"));
  for (int i = 0; i < kModules; ++i) time.modules[i] = FromWire(message.modules(i));
  return time;
}

void ToWire(const isa::Causes& causes, wire::Causes* out) {
  for (const isa::CauseCycles& unit : causes.spent) Put(unit, out->mutable_spent());
  for (const isa::CauseCycles& unit : causes.path) Put(unit, out->mutable_path());
}

template <typename List>
std::array<isa::CauseCycles, kUnits> CyclesOf(const List& list) {
  if (list.size() != kUnits * kCauses)
    throw Malformed("causes", StrCat("must have ", kUnits * kCauses, " values"));
  std::array<isa::CauseCycles, kUnits> units;
  for (int unit = 0; unit < kUnits; ++unit)
    std::copy_n(list.begin() + unit * kCauses, kCauses, units[unit].begin());
  return units;
}

isa::Causes FromWire(const wire::Causes& message) {
  return {CyclesOf(message.spent()), CyclesOf(message.path())};
}

void ToWire(const isa::ModuleState& state, wire::ModuleState* out) {
  out->set_kind(static_cast<int64_t>(state.kind));
  out->set_index(state.index);
  out->set_address(state.address);
  out->set_word_low(state.word.low);
  out->set_word_high(state.word.high);
  out->set_wait(static_cast<int64_t>(state.wait));
  out->set_queue(static_cast<int64_t>(state.queue));
  out->set_fault(static_cast<int64_t>(state.fault));
}

isa::ModuleState FromWire(const wire::ModuleState& message) {
  isa::ModuleState state;
  state.kind = GetEnum(message.kind(), isa::ModuleState::Kind::kHalted, "state of a module");
  state.index = message.index();
  state.address = message.address();
  state.word = {message.word_low(), message.word_high()};
  state.wait = GetEnum(message.wait(), isa::Wait::kBarrier, "wait");
  state.queue = GetEnum(message.queue(), isa::Queue::kStoreToCompute, "queue");
  state.fault = GetEnum(message.fault(), isa::Fault::kBusError, "fault");
  return state;
}

}  // namespace

Error Malformed(const std::string& what, const std::string& rule) {
  return Error("message", what, "", rule);
}

void ToWire(const isa::Counters& counters, wire::Counters* out) {
  Put(counters.instructions, out->mutable_instructions());
  out->set_gemm_uops(counters.gemm_uops);
  out->set_alu_uops(counters.alu_uops);
  out->set_macs(counters.macs);
  Put(counters.bytes, out->mutable_bytes());
  Put(counters.tokens, out->mutable_tokens());
  if (counters.time) ToWire(*counters.time, out->mutable_time());
  if (counters.causes) ToWire(*counters.causes, out->mutable_causes());
  if (counters.estimated_cycles) out->set_estimated_cycles(*counters.estimated_cycles);
}

isa::Counters FromWire(const wire::Counters& message) {
  isa::Counters counters;
  Get(message.instructions(), "instructions", counters.instructions);
  counters.gemm_uops = message.gemm_uops();
  counters.alu_uops = message.alu_uops();
  counters.macs = message.macs();
  Get(message.bytes(), "bytes", counters.bytes);
  Get(message.tokens(), "tokens", counters.tokens);
  if (message.has_time()) counters.time = FromWire(message.time());
  if (message.has_causes()) counters.causes = FromWire(message.causes());
  if (message.has_estimated_cycles()) counters.estimated_cycles = message.estimated_cycles();
  return counters;
}

void ToWire(const isa::LaunchResult& result, wire::LaunchResult* out) {
  out->set_outcome(static_cast<int64_t>(result.outcome));
  for (const isa::ModuleState& state : result.modules) ToWire(state, out->add_modules());
  out->set_fetched(result.fetch.fetched);
  out->set_fetch_fault(static_cast<int64_t>(result.fetch.fault));
  if (result.fetch.full) out->set_fetch_full(static_cast<int64_t>(*result.fetch.full));
  out->set_fetch_address(result.fetch.address);
  ToWire(result.counters, out->mutable_counters());
  for (const isa::PartTime& part : result.parts) {
    wire::PartTime* const added = out->add_parts();
    ToWire(part.time, added->mutable_time());
    if (part.causes) ToWire(*part.causes, added->mutable_causes());
  }
}

isa::LaunchResult FromWire(const wire::LaunchResult& message) {
  isa::LaunchResult result;
  result.outcome = GetEnum(message.outcome(), isa::Outcome::kStopped, "outcome");
  if (message.modules_size() != kModules)
    throw Malformed("launch", StrCat("must have ", kModules, " modules"));
  for (int i = 0; i < kModules; ++i) result.modules[i] = FromWire(message.modules(i));
  result.fetch.fetched = message.fetched();
  result.fetch.fault = GetEnum(message.fetch_fault(), isa::Fault::kBusError, "fault");
  if (message.has_fetch_full())
    result.fetch.full = GetEnum(message.fetch_full(), isa::Module::kStore, "module");
  result.fetch.address = message.fetch_address();
  result.counters = FromWire(message.counters());
  for (const wire::PartTime& part : message.parts()) {
    result.parts.push_back({FromWire(part.time()), {}});
    if (part.has_causes()) result.parts.back().causes = FromWire(part.causes());
  }
  return result;
}

void ToWire(const isa::LaunchRequest& request, wire::Request_Launch* out) {
  out->set_instruction_address(request.instruction_address);
  out->set_instruction_count(request.instruction_count);
  out->mutable_base()->Add(request.base.begin(), request.base.end());
  out->mutable_parts()->Add(request.parts.begin(), request.parts.end());
}

isa::LaunchRequest FromWire(const wire::Request_Launch& message) {
  isa::LaunchRequest request;
  request.instruction_address = message.instruction_address();
  request.instruction_count = message.instruction_count();
  if (request.instruction_count < 0) throw Malformed("launch", "has a negative count");
  Get(message.base(), "base registers", request.base);
  request.parts.assign(message.parts().begin(), message.parts().end());
  if (!request.parts.empty() && (request.parts[0] != 0 || !std::ranges::is_sorted(request.parts)))
    throw Malformed("launch", "has parts that do not begin with 0 and grow");
  return request;
}

void ToWire(const DeviceId& id, wire::Device* out) {
  out->set_name(id.name);
  out->set_arch_hash(id.arch_hash);
  if (id.timing_hash) out->set_timing_hash(*id.timing_hash);
  if (id.config) out->set_config(isa::ConfigToJson(*id.config));
  out->set_is_simulated(id.is_simulated);
  if (id.clock_mhz) out->set_clock_mhz(*id.clock_mhz);
}

DeviceId FromWire(const wire::Device& message) {
  DeviceId id;
  id.name = message.name();
  id.arch_hash = message.arch_hash();
  if (message.has_timing_hash()) id.timing_hash = message.timing_hash();
  if (!message.config().empty()) id.config = isa::ParseConfig(message.config(), "config");
  id.is_simulated = message.is_simulated();
  if (message.has_clock_mhz()) id.clock_mhz = message.clock_mhz();
  return id;
}

void ToWire(const Error& error, wire::Reply_Failure* out) {
  out->set_where(Visible(error.where()));
  out->set_subject(Visible(error.subject()));
  out->set_value(Visible(error.value()));
  out->set_rule(Visible(error.rule()));
  // Its detail is what stands behind all that.
  const Error plain(error.where(), error.subject(), error.value(), error.rule());
  out->set_detail(std::string(error.what()).substr(std::string_view(plain.what()).size()));
}

Error FromWire(const wire::Reply_Failure& message) {
  return Error(message.where(), message.subject(), message.value(), message.rule(),
               message.detail());
}

}  // namespace vta::driver::remote
