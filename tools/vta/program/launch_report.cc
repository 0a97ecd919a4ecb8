#include "tools/vta/program/launch_report.h"

#include "isa/asm.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

// What a counter is called, and its value; zeros are left out.
using CounterRow = std::pair<std::string_view, int64_t>;

std::vector<CounterRow> InstructionRows(const isa::Counters& counters) {
  std::vector<CounterRow> rows;
  for (const isa::InstructionSpec& spec : isa::kInstructions)
    rows.push_back({spec.name, counters.instructions[static_cast<size_t>(spec.code)]});
  return rows;
}

std::vector<CounterRow> ByteRows(const isa::Counters& counters) {
  std::vector<CounterRow> rows;
  for (const isa::MemorySpec& spec : isa::kCountedTypes)
    rows.push_back({spec.name, counters.bytes[static_cast<size_t>(spec.code)]});
  return rows;
}

std::vector<CounterRow> TokenRows(const isa::Counters& counters) {
  std::vector<CounterRow> rows;
  for (const isa::QueueSpec& spec : isa::kQueueTable)
    rows.push_back({spec.name, counters.tokens[static_cast<size_t>(spec.code)]});
  return rows;
}

std::vector<CounterRow> WorkRows(const isa::Counters& counters) {
  return {{"gemm micro-ops", counters.gemm_uops},
          {"alu micro-ops", counters.alu_uops},
          {"MACs", counters.macs}};
}

std::vector<CounterRow> TimeRows(const isa::ModuleCycles& spent) {
  return {
      {"busy", spent.busy}, {"wait_token", spent.wait_token}, {"wait_memory", spent.wait_memory}};
}

std::vector<CounterRow> CauseRows(const isa::CauseCycles& spent) {
  std::vector<CounterRow> rows;
  for (int c = 0; c < isa::kCauses; ++c)
    rows.push_back({isa::CauseName(static_cast<isa::Cause>(c)), spent[static_cast<size_t>(c)]});
  return rows;
}

std::string RowsLine(std::string_view title, const std::vector<CounterRow>& rows) {
  std::string values;
  for (const auto& [name, value] : rows)
    if (value) values += StrCat(values.empty() ? "" : ", ", name, " ", value);
  const std::string padding(title.size() < 14 ? 14 - title.size() : 1, ' ');
  return StrCat(title, padding, values.empty() ? "none" : values, "\n");
}

Json Object(const std::vector<CounterRow>& rows) {
  Json out{Json::Object{}};
  for (const auto& [name, value] : rows) out.Set(std::string(name), value);
  return out;
}

Json ModuleToJson(const isa::Layout& layout, isa::Module module, const isa::ModuleState& state) {
  Json out;
  out.Set("module", std::string(isa::Spec(module).name))
      .Set("instruction", state.index)
      .Set("address", static_cast<int64_t>(state.address))
      .Set("text", isa::Disassemble(layout, state.word))
      .Set("state", isa::Describe(module, state));
  if (state.fault != isa::Fault::kNone) out.Set("fault", std::string(isa::Spec(state.fault).name));
  return out;
}

}  // namespace

std::string LaunchToText(const isa::Config& config, const isa::LaunchResult& result) {
  std::string text = isa::Describe(result) + "\n";
  const isa::Layout layout(config);
  for (int m = 0; m < isa::kModules; ++m) {
    const isa::ModuleState& state = result.modules[m];
    const auto module = static_cast<isa::Module>(m);
    if (state.kind != isa::ModuleState::Kind::kDone)
      text += StrCat("  ", isa::Spec(module).name,
                     " stands at: ", isa::Disassemble(layout, state.word), "\n");
  }
  text += RowsLine("instructions", InstructionRows(result.counters));
  text += RowsLine("work", WorkRows(result.counters));
  text += RowsLine("bytes", ByteRows(result.counters));
  text += RowsLine("tokens", TokenRows(result.counters));
  if (result.counters.time) {
    text += RowsLine("time", {{"cycles", result.counters.time->cycles}});
    text += StrCat("timing hash   ", Hex(isa::TimingHash(config), 16), "\n");
    text += RowsLine("  fetch", TimeRows(result.counters.time->fetch));
    for (const isa::ModuleSpec& module : isa::kModuleTable)
      text += RowsLine(StrCat("  ", module.name),
                       TimeRows(result.counters.time->modules[static_cast<size_t>(module.code)]));
  }
  if (const auto& cycles = result.counters.estimated_cycles)
    text += RowsLine("time", {{"cycles by pragmas' intervals", *cycles}});
  if (result.counters.causes) {
    text += "why\n";
    for (int u = 0; u < isa::kUnits; ++u)
      text += RowsLine(StrCat("  ", isa::UnitName(u)), CauseRows(result.counters.causes->spent[u]));
    text += "critical path\n";
    for (int u = 0; u < isa::kUnits; ++u)
      text += RowsLine(StrCat("  ", isa::UnitName(u)), CauseRows(result.counters.causes->path[u]));
  }
  return text;
}

Json LaunchToJson(const isa::Config& config, const isa::LaunchResult& result) {
  const isa::Layout layout(config);
  Json::Array modules;
  for (int m = 0; m < isa::kModules; ++m)
    if (result.modules[m].kind != isa::ModuleState::Kind::kDone)
      modules.push_back(ModuleToJson(layout, static_cast<isa::Module>(m), result.modules[m]));
  Json out;
  out.Set("outcome", std::string(isa::OutcomeName(result.outcome)))
      .Set("fetched", result.fetch.fetched);
  if (result.fetch.fault != isa::Fault::kNone)
    out.Set("fetch_fault", std::string(isa::Spec(result.fetch.fault).name))
        .Set("fetch_address", static_cast<int64_t>(result.fetch.address));
  if (result.fetch.full)
    out.Set("fetch_waits_for", std::string(isa::Spec(*result.fetch.full).name))
        .Set("fetch_address", static_cast<int64_t>(result.fetch.address));
  out.Set("modules", std::move(modules))
      .Set("instructions", Object(InstructionRows(result.counters)))
      .Set("work", Object(WorkRows(result.counters)))
      .Set("bytes", Object(ByteRows(result.counters)))
      .Set("tokens", Object(TokenRows(result.counters)));
  if (result.counters.time) {
    Json times;
    times.Set("fetch", Object(TimeRows(result.counters.time->fetch)));
    for (const isa::ModuleSpec& module : isa::kModuleTable)
      times.Set(std::string(module.name),
                Object(TimeRows(result.counters.time->modules[static_cast<size_t>(module.code)])));
    out.Set("cycles", result.counters.time->cycles)
        .Set("timing_hash", Hex(isa::TimingHash(config), 16))
        .Set("module_cycles", std::move(times));
  }
  if (const auto& cycles = result.counters.estimated_cycles) out.Set("estimated_cycles", *cycles);
  if (result.counters.causes) {
    Json spent, path;
    for (int u = 0; u < isa::kUnits; ++u) {
      const std::string unit(isa::UnitName(u));
      spent.Set(unit, Object(CauseRows(result.counters.causes->spent[u])));
      path.Set(unit, Object(CauseRows(result.counters.causes->path[u])));
    }
    out.Set("causes", std::move(spent)).Set("path", std::move(path));
  }
  return out;
}

}  // namespace vta::tools
