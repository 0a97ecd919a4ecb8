#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/work.h"
#include "tools/report/flight.h"
#include "tools/report/hosts.h"
#include "tools/report/report.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

// Spec rows by their names, and what `value` says of each code.
template <typename Table, typename Value>
Json Named(const Table& table, const Value& value) {
  Json json;
  for (const auto& row : table)
    json.Set(std::string(row.name), value(static_cast<size_t>(row.code)));
  return json;
}

Json TimeJson(const isa::Time& time, bool with_fetch) {
  const auto json = [](const isa::ModuleCycles& spent) {
    return Json()
        .Set("busy", spent.busy)
        .Set("wait_token", spent.wait_token)
        .Set("wait_memory", spent.wait_memory);
  };
  Json modules;
  if (with_fetch) modules.Set("fetch", json(time.fetch));
  for (const isa::ModuleSpec& module : isa::kModuleTable)
    modules.Set(std::string(module.name), json(time.modules[static_cast<size_t>(module.code)]));
  return modules;
}

Json CountersJson(const isa::Counters& counters) {
  const auto of = [](const auto& values) {
    return [&values](size_t code) { return Json(values[code]); };
  };
  return Json()
      .Set("instructions", Named(isa::kInstructions, of(counters.instructions)))
      .Set("gemm_uops", counters.gemm_uops)
      .Set("alu_uops", counters.alu_uops)
      .Set("bytes", Named(isa::kCountedTypes, of(counters.bytes)))
      .Set("tokens", Named(isa::kQueueTable, of(counters.tokens)));
}

Json MemoryJson(const runtime::MemoryUse& use) {
  Json json = Json()
                  .Set("peak_bytes", use.peak())
                  .Set("activation_bytes", use.activations)
                  .Set("tensor_bytes", use.tensors)
                  .Set("constant_bytes", use.constants)
                  .Set("workspace_bytes", use.workspace)
                  .Set("code_bytes", use.code)
                  .Set("threads", use.threads);
  if (use.gpu > 0) json.Set("gpu_bytes", use.gpu);
  return json;
}

Json UnitsJson(const std::array<isa::CauseCycles, isa::kUnits>& cycles) {
  Json units;
  for (int unit = 0; unit < isa::kUnits; ++unit) {
    Json causes;
    for (int c = 0; c < isa::kCauses; ++c)
      causes.Set(std::string(isa::CauseName(static_cast<isa::Cause>(c))), cycles[unit][c]);
    units.Set(std::string(isa::UnitName(unit)), std::move(causes));
  }
  return units;
}

Json LayerJson(const RunReport& report, const LayerReport& layer) {
  Json json = Json()
                  .Set("name", layer.name)
                  .Set("op", layer.facts.op)
                  .Set("shape", layer.facts.shape)
                  .Set("where", layer.where)
                  .Set("macs", layer.facts.macs)
                  .Set("macs_executed", layer.counters.macs)
                  .Set("dram_bytes", layer.dram_bytes())
                  .Set("kernel_bytes", layer.kernel_bytes)
                  .Set("instructions", layer.instructions())
                  .Set("uops", layer.uops())
                  .Set("wall_ms", layer.wall_ms);
  if (!layer.facts.why.empty()) json.Set("why", layer.facts.why);
  if (layer.launch >= 0) json.Set("launch", layer.launch);
  if (layer.instructions() > 0) json.Set("counters", CountersJson(layer.counters));
  if (layer.time())
    json.Set("cycles", layer.time()->cycles)
        .Set("ms", ClockMilliseconds(report, layer.time()->cycles))
        .Set("fps", FramesPerSecond(report, layer.time()->cycles))
        .Set("peak", PeakShare(report, layer))
        .Set("modules", TimeJson(*layer.time(), !layer.shares_launch));
  if (const auto& bounds = layer.facts.bounds)
    json.Set("bound_ideal", bounds->ideal).Set("bound_machine", bounds->machine);
  if (layer.slow)
    json.Set("slow", Json().Set("ms", layer.slow->ms).Set("least_ms", layer.slow->least_ms));
  if (layer.facts.off_by > 0) json.Set("off_by", layer.facts.off_by);
  if (const auto share = BoundShare(layer)) json.Set("bound", *share);
  if (const std::string lost_to = LostTo(layer); !lost_to.empty()) json.Set("lost_to", lost_to);
  if (const auto& cycles = layer.counters.estimated_cycles) json.Set("estimated_cycles", *cycles);
  if (layer.energy_mj) json.Set("energy_mj", *layer.energy_mj);
  if (layer.facts.work) json.Set("work", isa::ToJson(*layer.facts.work));
  if (!layer.host_ms.empty()) json.Set("host_ms", HostMsJson(report, layer));
  if (layer.counters.causes)
    json.Set("causes", UnitsJson(layer.counters.causes->spent))
        .Set("path", UnitsJson(layer.counters.causes->path));
  return json;
}

}  // namespace

Json InexactJson(const isa::Inexactness& inexact) {
  return Json().Set("programs", inexact.programs).Set("of", inexact.of).Set("codes", inexact.codes);
}

Json ReportJson(const RunReport& report) {
  Json::Array layers;
  for (const LayerReport& layer : report.layers) layers.push_back(LayerJson(report, layer));
  Json json = HeadOf(kReportDocument).Set("model", report.model);
  if (report.has_accelerator())
    json.Set("config", report.config).Set("arch_hash", Hex(report.arch_hash, 16));
  if (report.timing_hash) json.Set("timing_hash", Hex(*report.timing_hash, 16));
  if (report.package_hash) json.Set("package_hash", Hex(*report.package_hash, 16));
  if (report.has_accelerator())
    json.Set("engine", report.engine).Set("clock_mhz", report.clock_mhz);
  if (report.estimate) json.Set("clock_estimate", ClockJson(*report.estimate));
  if (report.has_accelerator()) json.Set("macs_per_cycle", report.macs_per_cycle);
  if (report.between_launches) json.Set("between_launches_cycles", *report.between_launches);
  if (report.energy) json.Set("energy", EnergyJson(*report.energy));
  AddFlight(report, json);
  if (!report.hosts.empty()) json.Set("hosts", HostedJson(report.hosts));
  if (report.has_accelerator())
    json.Set("host_bytes_bound", report.host_bytes_bound)
        .Set("host_steps_bound", report.host_steps_bound);
  if (report.load)
    json.Set("load", Json()
                         .Set("gpu", report.load->gpu)
                         .Set("ms", report.load->load_ms)
                         .Set("from_cache", report.load->is_from_cache)
                         .Set("first_run_ms", report.load->first_ms));
  if (report.assumed)
    json.Set("assumed",
             Json().Set("seed", report.assumed->seed).Set("weights", report.assumed->weights));
  if (report.inexact) json.Set("inexact", InexactJson(*report.inexact));
  json.Set("batch", report.batch)
      .Set("is_float", report.is_float)
      .Set("wall_ms", report.wall_ms)
      .Set("copy_ms", report.copy_ms)
      .Set("memory", MemoryJson(report.memory))
      .Set("layout_changes", Json()
                                 .Set("count", report.layout_changes.count)
                                 .Set("bytes", report.layout_changes.bytes))
      .Set("layers", std::move(layers))
      .Set("vta", LayerJson(report, Total(report, "on vta", OnVta)))
      .Set("cpu", LayerJson(report, Total(report, "on cpu", OnCpu)));
  if (!report.gpu.empty())
    json.Set("gpu", LayerJson(report, Total(report, "on " + report.gpu, OnGpu)))
        .Set("copies", LayerJson(report, Total(report, "copies", IsCopy)));
  json.Set("total", LayerJson(report, Total(report, "total", Anywhere)));
  return json;
}

}  // namespace vta::tools
