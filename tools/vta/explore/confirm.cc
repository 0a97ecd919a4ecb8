#include "tools/vta/explore/confirm.h"

#include <algorithm>
#include <chrono>

#include "isa/support/error.h"
#include "tools/vta/common/processes.h"

namespace vta::tools {

Confirmed Confirm(const Workload& workload, const std::vector<PointRow>& rows,
                  const ConfirmOptions& options,
                  const std::function<void(const std::string&, int64_t, int64_t)>& at) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<const PointRow*> front;
  for (const PointRow& row : rows)
    if (row.on_front) front.push_back(&row);
  Confirmed confirmed;
  const auto is_on_rtl = [&](int64_t job) { return job < options.on_rtl; };
  // A model of the RTL is built first, in a minute or several.
  const ProcessLimits limits{options.jobs, std::chrono::hours(2)};
  RunInProcesses(
      std::ssize(front), limits,
      [&](int64_t job) {
        const PointFacts& facts = *front[static_cast<size_t>(job)]->facts;
        PointResult result{facts.point};
        result.networks = workload.CostOn(facts.config, {options.effort, is_on_rtl(job)});
        return ToJson(result).Dump(-1);
      },
      [&](int64_t job, const JobEnd& end) {
        const PointFacts& facts = *front[static_cast<size_t>(job)]->facts;
        if (!end.failure.empty()) throw Error(facts.config.name, "confirming", "", end.failure);
        confirmed.results[facts.point] =
            ReadPointResult(Json::Parse(end.said, facts.config.name), facts.config.name);
        if (is_on_rtl(job)) confirmed.on_rtl.push_back(facts.point);
        at(facts.config.name, std::ssize(confirmed.results), std::ssize(front));
        return true;
      });
  std::ranges::sort(confirmed.on_rtl);
  confirmed.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return confirmed;
}

}  // namespace vta::tools
