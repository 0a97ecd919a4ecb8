#include "tools/vta/explore/confirm.h"

#include <algorithm>
#include <chrono>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

/// Costs points again, and keeps that.
void CostAgain(const std::vector<const PointFacts*>& points, const Workload::Costing& costing,
               const ConfirmOptions& options, Exploration* exploration,
               const std::function<void(const std::string&)>& at) {
  // A model of the RTL is built first, in a minute or several.
  const ProcessLimits limits{options.jobs, std::chrono::hours(2), options.on_wait};
  CostPoints(
      EachOf(std::ssize(points)), limits, options.farm, *exploration->workload, costing,
      [&](int64_t job) -> const PointFacts& { return *points[static_cast<size_t>(job)]; },
      [&](const PointFacts& facts, PointResult result) {
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
  const auto front = [&](const auto& seen) {
    std::vector<const PointFacts*> points;
    for (const PointRow& row : RowsOf(*exploration))
      if (row.on_front && !seen(row.facts->point)) points.push_back(row.facts);
    return points;
  };
  const auto tuned = [&](int64_t point) { return exploration->confirmed.results.contains(point); };
  auto& confirmed = exploration->confirmed.on_rtl;
  const auto seen = [&](int64_t point) { return std::ranges::count(confirmed, point) > 0; };
  Workload::Costing on_rtl{.effort = options.effort, .on_rtl = true};
  if (const std::string& part = exploration->space->constraints().part; !part.empty())
    on_rtl.part = &FindPart(part);
  // What comes to the front where others leave it is next, as long as there are runs left.
  for (;;) {
    if (options.effort > 0)
      for (auto points = front(tuned); !points.empty(); points = front(tuned))
        CostAgain(points, {.effort = options.effort}, options, exploration, at);
    auto points = front(seen);
    const int64_t left = options.on_rtl - std::ssize(confirmed);
    if (points.empty() || left <= 0) break;
    points.resize(static_cast<size_t>(std::min(left, std::ssize(points))));
    CostAgain(points, on_rtl, options, exploration, at);
  }
  std::ranges::sort(exploration->confirmed.on_rtl);
  exploration->confirmed.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace vta::tools
