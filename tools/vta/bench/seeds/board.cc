// The table of vta bench seeds of an accelerator beside the CPU of its board, by the model of that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"
#include "tools/host/host_time.h"
#include "tools/host/published.h"
#include "tools/vta/bench/seeds/network.h"
#include "tools/vta/bench/seeds/seeds.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/run_cost.h"

namespace vta::tools {
namespace {

/// PYNQ's.
constexpr const HostCpu& kSeedsHost = kHostCpus[0];

/// Of the convolutions behind the first one, on the CPU alone. Units: ms.
double MillisecondsOfOffloaded(const isa::Package& package) {
  double ms = 0;
  bool is_first = true;
  for (const isa::PackageStep& step : package.steps) {
    if (!step.facts.op.starts_with("conv2d")) continue;
    if (!is_first)
      ms += KernelMilliseconds(kSeedsHost, HostBytesOf(package, step), step.facts.work.value());
    is_first = false;
  }
  return ms;
}

}  // namespace

SeedsTable SeedsHeterogeneous(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"part", "part"},
                    {"ms", "ms", 2},
                    {"published", "measured there", 1},
                    {"error", "error %", 1},
                    {"times", "times as quick", 2}},
                   {}};
  const isa::Config pynq = FindConfig("pynq");
  double worst = 0;
  for (const std::string& name : SeedsNetworks(options, {"resnet18", "resnet50", "mobilenet_v1"})) {
    progress.At(StrCat("heterogeneous, ", name));
    const isa::Package on_cpu = PackageOf({.name = name, .exact = true});
    const double alone = HostMilliseconds(kSeedsHost, on_cpu).value();
    const auto published = std::ranges::find(kPublished, name, &PublishedNetwork::network);
    const bool is_published = published != std::end(kPublished) && published->ms[0] > 0;
    const double measured = is_published ? published->ms[0] : 0;
    const double error = is_published ? 100 * (alone / measured - 1) : 0;
    worst = std::max(worst, std::abs(error));
    table.rows.push_back({name, StrCat("all in float on the ", kSeedsHost.name), alone,
                          is_published ? SeedsCell(measured) : SeedsCell(),
                          is_published ? SeedsCell(error) : SeedsCell(), SeedsCell()});
    if (!name.starts_with("resnet")) continue;
    const isa::Package both = PackageOf({.name = name,
                                         .type = compiler::ModelType::kInt8,
                                         .targets = "vta,cpu",
                                         .config = pynq,
                                         .places = "conv1=cpu"});
    const RunCost cost = CostOf(both, pynq);
    const HostedRun& run = cost.hosts.at(0);
    const double offloaded = MillisecondsOfOffloaded(on_cpu);
    table.rows.push_back({name, "its convolutions but the first there", offloaded, SeedsCell(),
                          SeedsCell(), SeedsCell()});
    table.ratios.push_back({name + ": what pynq takes", offloaded / cost.accelerator_ms});
    table.ratios.push_back({name + ": all", (is_published ? measured : alone) / run.alone_ms()});
    table.rows.push_back({name, "all but the first on pynq, int8", cost.accelerator_ms, SeedsCell(),
                          SeedsCell(), offloaded / cost.accelerator_ms});
    table.rows.push_back({name, "what is left to the CPU, with the first", run.host_ms, SeedsCell(),
                          SeedsCell(), SeedsCell()});
    table.rows.push_back({name, "both, one after the other", run.alone_ms(), SeedsCell(),
                          SeedsCell(), (is_published ? measured : alone) / run.alone_ms()});
  }
  table.notes = {
      StrCat(TextOf(kSeedsHost), " by the model of docs/host.md; pynq by the cycle model at ",
             pynq.uarch.clock_mhz, " MHz"),
      "times as quick: than the same convolutions on the CPU by the model, and than the whole "
      "network as it was measured there; there: 40 times on offloaded convolutions, 10 on the "
      "board"};
  if (worst == 0)
    table.claims = {{16, "none of the networks was measured on that CPU there"}};
  else
    table.claims = {{16,
                     fmt::format("the model of the CPU is off by {:.1f} % at most of what was "
                                 "measured, 25 are allowed",
                                 worst),
                     worst <= 25}};
  return table;
}

}  // namespace vta::tools
