#include "tools/vta/explore/confirm.h"

#include <algorithm>
#include <chrono>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

/// Costs points again, and keeps that.
void CostAgain(const std::vector<const PointFacts*>& points, const Workload::Costing& costing,
               int64_t jobs, Exploration* exploration,
               const std::function<void(const std::string&)>& at) {
  // A model of the RTL is built first, in a minute or several.
  const ProcessLimits limits{jobs, std::chrono::hours(2)};
  RunPoints(
      std::ssize(points), limits,
      [&](int64_t job) {
        const PointFacts& facts = *points[static_cast<size_t>(job)];
        return exploration->workload->CostOn(facts.point, facts.config, costing);
      },
      [&](int64_t job, PointResult result) {
        const PointFacts& facts = *points[static_cast<size_t>(job)];
        const std::string& name = facts.config.name;
        if (result.end != PointResult::End::kCosted)
          throw Error(name, "the front again", "", result.why);
        exploration->confirmed.results[facts.point] = std::move(result);
        if (costing.on_rtl) exploration->confirmed.on_rtl.push_back(facts.point);
        at(StrCat(name, costing.on_rtl ? " on the RTL" : " with searched schedules"));
        return true;
      });
}

}  // namespace

void Confirm(const ConfirmOptions& options, Exploration* exploration,
             const std::function<void(const std::string&)>& at) {
  const auto start = std::chrono::steady_clock::now();
  const auto front = [&](int64_t most, bool fresh) {
    std::vector<const PointFacts*> points;
    for (const PointRow& row : RowsOf(*exploration))
      if (row.on_front && std::ssize(points) < most &&
          !(fresh && exploration->confirmed.results.contains(row.facts->point)))
        points.push_back(row.facts);
    return points;
  };
  if (options.effort > 0)
    for (auto points = front(INT64_MAX, true); !points.empty(); points = front(INT64_MAX, true))
      CostAgain(points, {.effort = options.effort}, options.jobs, exploration, at);
  CostAgain(front(options.on_rtl, false), {.effort = options.effort, .on_rtl = true}, options.jobs,
            exploration, at);
  std::ranges::sort(exploration->confirmed.on_rtl);
  exploration->confirmed.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace vta::tools
