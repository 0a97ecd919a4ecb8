#include "compiler/targets/vta/lower/sum_steps.h"

#include <algorithm>
#include <set>

#include "compiler/targets/vta/tasks/uop_memory.h"

namespace vta::compiler::targets {
namespace {

/// What they may take of micro-op memory.
constexpr int64_t kFirstStepShare = 4;

struct Loops {
  std::vector<NestLoop> rows, sums;

  explicit Loops(const NestSpace& space) {
    for (const NestLoop& loop : space.loops)
      if (loop.extent > 1) (loop.dst ? rows : sums).push_back(loop);
  }
};

std::vector<int64_t> AllDst(const NestSpace& space) {
  std::vector<int64_t> rows;
  for (const isa::Uop& uop : Unrolled(space, Loops(space).rows)) rows.push_back(uop.dst);
  std::ranges::sort(rows);
  return rows;
}

/// The points of the loops behind the first one, as micro-ops.
NestSpace AsPoints(const NestSpace& space, const Loops& loops) {
  NestSpace others{space.first, loops.rows, {}};
  for (const isa::Uop& uop : space.kernel) {
    const UopKernel points = Unrolled({uop, {}}, loops.sums);
    others.kernel.insert(others.kernel.end(), points.begin() + 1, points.end());
  }
  return others;
}

/// A kernel's first product of each row, and the others.
SumSteps SplitKernel(const NestSpace& space) {
  SumSteps steps{{space.first, space.loops, {}}, {{space.first, space.loops, {}}}};
  std::set<int64_t> started;
  for (const isa::Uop& uop : space.kernel)
    (started.insert(uop.dst).second ? steps.first : steps.others[0]).kernel.push_back(uop);
  return steps;
}

/// The same, a box for each loop: it past its start, the loops before it at theirs.
std::vector<NestSpace> InBoxes(const NestSpace& space, const Loops& loops) {
  std::vector<NestSpace> boxes;
  for (size_t past = 0; past < loops.sums.size(); ++past) {
    NestSpace box{space.first, loops.rows, space.kernel};
    box.loops.insert(box.loops.end(), loops.sums.begin() + static_cast<int64_t>(past),
                     loops.sums.end());
    NestLoop& loop = box.loops[loops.rows.size()];
    --loop.extent;
    box.first.src += loop.src, box.first.wgt += loop.wgt;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace

std::vector<int64_t> DstRows(const NestSpace& space) {
  std::vector<int64_t> rows = AllDst(space);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

bool InMicroOps(const isa::Config& config, int64_t uops, int64_t loops_that_sum) {
  return loops_that_sum > 1 && uops <= UopDepth(config) / kFirstStepShare;
}

std::optional<SumSteps> SplitSum(const isa::Config& config, const NestSpace& space) {
  const auto several = [](const NestSpace& one) {
    const std::vector<int64_t> rows = AllDst(one);
    return std::ranges::adjacent_find(rows) != rows.end();
  };
  const Loops loops(space);
  if (several(space)) {
    SumSteps steps = SplitKernel(space);
    if (!loops.sums.empty() || several(steps.first)) return std::nullopt;
    return steps;
  }
  SumSteps steps{{space.first, loops.rows, space.kernel}, InBoxes(space, loops)};
  if (loops.sums.empty()) return steps;
  NestSpace others = AsPoints(space, loops);
  if (InMicroOps(config, FewestUops(config, others), std::ssize(loops.sums)))
    steps.others = {std::move(others)};
  return steps;
}

std::vector<NestSpace> WaitingResets::Add(const NestSpace& space) {
  std::vector<int64_t> rows = DstRows(space);
  std::vector<NestSpace> met = Take(rows);
  waiting_.push_back({space, std::move(rows)});
  return met;
}

bool WaitingResets::Drop(const std::vector<int64_t>& rows) {
  return std::erase_if(waiting_, [&](const Reset& reset) { return reset.rows == rows; }) > 0;
}

std::vector<NestSpace> WaitingResets::Take(const std::vector<int64_t>& rows) {
  std::vector<NestSpace> taken;
  std::erase_if(waiting_, [&](const Reset& reset) {
    const bool meets = std::ranges::any_of(
        reset.rows, [&](int64_t row) { return std::ranges::binary_search(rows, row); });
    if (meets) taken.push_back(reset.space);
    return meets;
  });
  return taken;
}

std::vector<NestSpace> WaitingResets::TakeAll() {
  std::vector<NestSpace> taken;
  for (Reset& reset : waiting_) taken.push_back(std::move(reset.space));
  waiting_.clear();
  return taken;
}

}  // namespace vta::compiler::targets
