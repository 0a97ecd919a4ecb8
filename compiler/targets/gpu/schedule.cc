#include "compiler/targets/gpu/schedule.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/codes.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

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

bool Reduces(const loop::Site& site, const loop::For& loop) {
  return std::ranges::any_of(site.block->iters, [&](const loop::Iter& iter) {
    return iter.kind == loop::IterKind::kReduce && Uses(iter.binding, loop.var);
  });
}

/// One loop of all that run over the elements of a block's result.
std::string FuseElements(loop::Schedule& s, const std::string& block) {
  const loop::Site site = loop::FindSite(s.function(), block);
  std::vector<std::string> loops;
  for (const loop::Stmt& stmt : site.loops) {
    const loop::For& loop = *loop::As<loop::For>(stmt);
    if (!Reduces(site, loop)) loops.push_back(loop.var->name);
  }
  std::string all = loops.at(0);
  for (size_t i = 1; i < loops.size(); ++i) all = s.Do("fuse", block, all, loops[i])[0];
  return all;
}

/// The elements of a block that a thread needs, in the loops `around`, of what is reduced: written
/// out, inside of that.
void KeepInRegisters(loop::Schedule& s, const std::string& block,
                     const std::vector<std::string>& around) {
  constexpr int64_t kMost = 16;
  const loop::Site site = loop::FindSite(s.function(), block);
  std::vector<std::string> elements, reduced;
  int64_t count = 1;
  for (const loop::Stmt& stmt : site.loops) {
    const loop::For& loop = *loop::As<loop::For>(stmt);
    if (Reduces(site, loop))
      reduced.push_back(loop.var->name);
    else if (loop.extent > 1 && !std::ranges::count(around, loop.var->name))
      elements.push_back(loop.var->name), count *= loop.extent;
  }
  if (elements.empty() || reduced.empty() || count > kMost) return;
  loop::Step order{"reorder", {block}};
  for (const auto* const names : {&reduced, &elements})
    order.args.insert(order.args.end(), names->begin(), names->end());
  s.Apply(order);
  for (const std::string& loop : elements) s.Do("unroll", block, loop);
}

/// A block's share of the elements, without a rest where that is not few: whole warps, if there is
/// such a number.
int64_t ThreadsFor(int64_t elements) {
  if (elements <= kMostBlockThreads) return elements;
  for (const int64_t step : {kWarp, int64_t{1}})
    for (int64_t threads = kMostBlockThreads; threads >= 2 * kWarp; threads -= step)
      if (elements % threads == 0) return threads;
  return kMostBlockThreads;
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
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      s.Do("compute_at", *name, last, parts[1]);
      KeepInRegisters(s, *name, parts);
    }
    s.Do("bind", last, parts[0], "blockIdx");
    s.Do("bind", last, parts[1], "threadIdx");
  } catch (const Error&) {
    return function;
  }
  return s.function();
}

namespace {

/// The sum, or another fold, over a block's last loop, as many steps of it at once as hide that
/// each waits for the one before.
void FoldSteps(loop::Schedule& s, const std::string& block) {
  constexpr int64_t kAtOnce = 16;
  const std::string all = s.Loops(block).back();
  const int64_t steps =
      loop::As<loop::For>(loop::FindSite(s.function(), block).loops.back())->extent;
  const std::vector<std::string> parts = s.Do("split", block, all, std::gcd(steps, kAtOnce));
  s.Do("unroll", block, parts[1]);
  s.Do("decompose_reduction", block, parts[0]);
}

}  // namespace

loop::Function ScheduledInLines(const loop::Function& function, const GpuLines& lines) {
  loop::Schedule s(function);
  std::vector<std::string> tasks = s.Loops("out");
  const std::vector<std::string> places = s.Do("split", "out", tasks.back(), lines.threads);
  tasks.pop_back();
  s.Do("reorder", "out", places[1], places[0]);
  std::string task = tasks[0];
  for (size_t i = 1; i < tasks.size(); ++i) task = s.Do("fuse", "out", task, tasks[i])[0];
  std::map<std::string, std::string> threads = {{"out", places[1]}};
  for (auto block = lines.blocks.rbegin(); block != lines.blocks.rend(); ++block) {
    if (block->reader.empty()) {
      s.Do("compute_at", block->name, "out", task);
      const std::vector<std::string> loops = s.Loops(block->name);
      threads[block->name] = loops.end()[-2];
    } else {
      s.Do("compute_at", block->name, block->reader, threads.at(block->reader));
    }
  }
  for (const auto& [name, reader] : lines.blocks) FoldSteps(s, name);
  for (const auto& [block, loop] : threads) s.Do("bind", block, loop, "threadIdx");
  s.Do("bind", "out", task, "blockIdx");
  return s.function();
}

}  // namespace vta::compiler::targets
