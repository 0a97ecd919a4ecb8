#include "tools/report/hosts.h"

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::tools {

void AddHosts(const isa::Package& package, RunReport& report) {
  const auto time = Total(report, "", OnVta).time();
  report.hosts =
      HostedRunsOf(*package.config, package, time ? ClockMilliseconds(report, time->cycles) : 0);
  for (const HostedRun& host : report.hosts)
    for (LayerReport& layer : report.layers)
      if (OnCpu(layer))
        layer.host_ms.push_back(
            KernelMilliseconds(host.cpu, layer.kernel_bytes, layer.facts.work.value()));
}

std::string HostsText(const RunReport& report) {
  if (report.hosts.empty()) return "";
  const std::string of =
      report.batch > 1 ? StrCat("a run of ", Counted(report.batch, "inference")) : "";
  return StrCat(HostedLines(report.hosts, of), "  ~: of a layer, by the same model",
                report.hosts.size() > 1 ? StrCat(" on a ", report.hosts[0].cpu.name) : "", "\n");
}

Json HostMsJson(const RunReport& report, const LayerReport& layer) {
  Json json;
  for (size_t i = 0; i < layer.host_ms.size(); ++i)
    json.Set(std::string(report.hosts[i].cpu.key), layer.host_ms[i]);
  return json;
}

}  // namespace vta::tools
