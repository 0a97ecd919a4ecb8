#include "compiler/targets/cuda/schedule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kMostThreads = 256, kWarp = 32;

std::vector<std::string> BlockNames(const loop::Schedule& s) {
  std::vector<std::string> names;
  for (const loop::Site& site : loop::Sites(s.function().body)) names.push_back(site.block->name);
  return names;
}

/// Elements that a reader may as well compute itself disappear.
void InlineAll(loop::Schedule& s) {
  std::vector<std::string> names = BlockNames(s);
  names.pop_back();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (loop::FindSite(s.function(), *name).block->init) continue;
    try {
      s.Do("compute_inline", *name);
    } catch (const Error&) {  // it is computed where it is read
    }
  }
}

/// One loop of all that run over the elements of a block's result.
std::string FuseElements(loop::Schedule& s, const std::string& block) {
  const loop::Site site = loop::FindSite(s.function(), block);
  std::vector<std::string> loops;
  for (const loop::Stmt& stmt : site.loops) {
    const loop::For& loop = *loop::As<loop::For>(stmt);
    const bool reduces =
        std::any_of(site.block->iters.begin(), site.block->iters.end(), [&](const loop::Iter& i) {
          return i.kind == loop::IterKind::kReduce && Uses(i.binding, loop.var);
        });
    if (!reduces) loops.push_back(loop.var->name);
  }
  std::string all = loops.at(0);
  for (size_t i = 1; i < loops.size(); ++i) all = s.Do("fuse", block, all, loops[i])[0];
  return all;
}

/// A block's share of the elements, without a rest where that is not few: whole warps, if there is
/// such a number.
int64_t ThreadsFor(int64_t elements) {
  if (elements <= kMostThreads) return elements;
  for (const int64_t step : {kWarp, int64_t{1}})
    for (int64_t threads = kMostThreads; threads >= 2 * kWarp; threads -= step)
      if (elements % threads == 0) return threads;
  return kMostThreads;
}

}  // namespace

loop::Function ScheduledForGpu(const loop::Function& function) {
  loop::Schedule s(function);
  try {
    InlineAll(s);
    std::vector<std::string> names = BlockNames(s);
    const std::string last = names.back();
    names.pop_back();
    const std::string all = FuseElements(s, last);
    const loop::Site site = loop::FindSite(s.function(), last);
    const int64_t elements = loop::As<loop::For>(site.loops[0])->extent;
    const std::vector<std::string> parts = s.Do("split", last, all, ThreadsFor(elements));
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      s.Do("compute_at", *name, last, parts[1]);
    s.Do("bind", last, parts[0], "blockIdx");
    s.Do("bind", last, parts[1], "threadIdx");
  } catch (const Error&) {
    return function;
  }
  return s.function();
}

}  // namespace vta::compiler::targets
