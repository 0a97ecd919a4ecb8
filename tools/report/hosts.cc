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
  return HostedLines(report.hosts, report.batch > 1
                                       ? StrCat("a run of ", Counted(report.batch, "inference"))
                                       : "");
}

Json HostMsJson(const RunReport& report, const LayerReport& layer) {
  Json json;
  for (size_t i = 0; i < layer.host_ms.size(); ++i)
    json.Set(std::string(report.hosts[i].cpu.key), layer.host_ms[i]);
  return json;
}

}  // namespace vta::tools
