#include "compiler/lower/starts.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::As;
using loop::For;
using loop::Stmt;

loop::Function WithStartsApart(const loop::Function& function) {
  loop::Schedule schedule(function);
  for (const loop::Site& site : loop::Sites(function.body)) {
    if (!site.block->init) continue;
    const auto reduces = [&](const Stmt& loop) {
      return std::any_of(
          site.block->iters.begin(), site.block->iters.end(), [&](const loop::Iter& iter) {
            return iter.kind == loop::IterKind::kReduce && Uses(iter.binding, As<For>(loop)->var);
          });
    };
    const auto at = std::find_if(site.loops.begin(), site.loops.end(), reduces);
    if (at == site.loops.end()) continue;
    try {
      schedule.Do("decompose_reduction", site.block->name, As<For>(*at)->var->name);
    } catch (const Error&) {  // it stays where it is
    }
  }
  return schedule.function();
}

}  // namespace vta::compiler::lower
