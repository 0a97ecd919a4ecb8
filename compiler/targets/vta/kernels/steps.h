// Applies schedule primitives by the position of loops, which keep their order but not their names.
#pragma once

#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"

namespace vta::compiler::targets {

class ScheduleSteps {
 public:
  explicit ScheduleSteps(loop::Schedule* schedule) : schedule_(*schedule) {}

  template <typename... Args>
  std::vector<std::string> Do(const std::string& primitive, const Args&... args) {
    return schedule_.Do(primitive, args...);
  }
  void Reorder(const std::string& block, const std::vector<std::string>& loops) {
    std::vector<std::string> args = {block};
    args.insert(args.end(), loops.begin(), loops.end());
    schedule_.Apply({"reorder", args});
  }
  /// The loops around a block, outermost first.
  std::vector<std::string> Loops(const std::string& block) const {
    std::vector<std::string> names;
    for (const loop::Stmt& stmt : loop::FindSite(schedule_.function(), block).loops)
      names.push_back(loop::As<loop::For>(stmt)->var->name);
    return names;
  }
  /// The i-th of the last `count` loops around a block.
  std::string Inner(const std::string& block, size_t count, size_t i = 0) const {
    const std::vector<std::string> names = Loops(block);
    return names.at(names.size() - count + i);
  }

 private:
  loop::Schedule& schedule_;
};

}  // namespace vta::compiler::targets
