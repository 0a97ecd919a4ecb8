#include "tools/vta/common/trials/search_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::tools {

using compiler::tune::Candidate;
using compiler::tune::Task;

void SearchLines::Tell(const Task& task, int64_t trials) {
  if (task.key.workload != workload_) {
    End();
    workload_ = task.key.workload;
    ++number_;
    start_ = std::chrono::steady_clock::now();
  }
  line_ = Line(task, trials);
  progress_.Count(number_, count_);
  const Candidate* const best = compiler::tune::Best(task.candidates);
  progress_.At(best ? StrCat(task.step, ", ", WithCommas(*best->cost), " ", unit_.name)
                    : task.step);
}

void SearchLines::End() {
  if (line_.empty()) return;
  progress_.Hide();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  say_(fmt::format("{} | {:.2f} s Done.\n", line_, took.count()));
  line_.clear();
}

double SearchLines::Gops(const Task& task, int64_t cost) const {
  if (cost == 0) return 0;  // nothing ran
  return 2e-9 * static_cast<double>(task.macs) / (static_cast<double>(cost) * unit_.seconds);
}

std::string SearchLines::Line(const Task& task, int64_t trials) const {
  int64_t last = 0;
  for (const Candidate& candidate : task.candidates) last = candidate.cost.value_or(last);
  const Candidate* const best = compiler::tune::Best(task.candidates);
  const int64_t tried = TriedOf(task);
  return fmt::format("[Task {:2}/{}]  Current/Best: {:7.2f}/{:7.2f} GFLOPS | Progress: ({}/{})",
                     number_, count_, Gops(task, last), best ? Gops(task, *best->cost) : 0, tried,
                     std::max(trials, tried));
}

}  // namespace vta::tools
