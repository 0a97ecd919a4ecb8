#include "compiler/targets/cuda/schedule.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cuda/tile.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kStepsAtOnce = 8;  // that are written out, so that none waits for another one

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
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      s.Do("compute_at", *name, last, parts[1]);
    s.Do("bind", last, parts[0], "blockIdx");
    s.Do("bind", last, parts[1], "threadIdx");
  } catch (const Error&) {
    return function;
  }
  return s.function();
}

loop::Function ScheduledInTiles(const loop::Function& function, const isa::GpuRow& gpu) {
  loop::Schedule s(function);
  const loop::Site made = loop::FindSite(function, "out"), sums = loop::FindSite(function, "sums");
  const auto extent = [](const loop::Site& site, size_t loop) {
    return loop::As<loop::For>(site.loops[loop])->extent;
  };
  const loop::Buffer& input = function.params[0];
  const std::optional<GpuTile> chosen =
      ChooseGpuTile({.batch = extent(made, 0),
                     .outputs = extent(made, 1),
                     .places = extent(made, 2),
                     .channels = extent(sums, 3),
                     .taps = extent(sums, 4) * extent(sums, 5),
                     .element_bytes = loop::SizeBytes(input->dtype),
                     .most_shared_bytes = gpu.most_shared_bytes});
  if (!chosen) throw Error("", "tile", "", "none fits into shared memory");
  const GpuTile& t = *chosen;
  const int64_t across = t.places / t.thread_places;  // threads that are neighbours
  // Loops of a tile: those of threads, then what a thread makes, its places `across` apart.
  const auto cut = [&](const std::string& block, const std::string& o, const std::string& p) {
    const auto outputs = s.Do("split", block, o, t.thread_outputs);
    const auto places = s.Do("split", block, p, across);
    return std::vector<std::string>{outputs[0], places[1], outputs[1], places[0]};
  };
  const auto finish = [&](const std::string& block, const std::vector<std::string>& tile) {
    const std::vector<std::string> there = s.Loops(block);  // loops of one iteration may go
    for (size_t i = 0; i < tile.size(); ++i) {
      if (std::count(there.begin(), there.end(), tile[i]) == 0) continue;
      if (i < 2)
        s.Do("bind", block, tile[i], "threadIdx");
      else
        s.Do("unroll", block, tile[i]);
    }
  };
  const auto order = [&](const std::string& block, const std::vector<std::string>& loops) {
    loop::Step step{"reorder", {block}};
    step.args.insert(step.args.end(), loops.begin(), loops.end());
    s.Apply(step);
  };
  const auto o = s.Do("split", "out", "o", t.outputs), p = s.Do("split", "out", "p", t.places);
  const std::vector<std::string> tile = cut("out", o[1], p[1]);
  order("out", {"n", o[0], p[0], tile[0], tile[1], tile[2], tile[3]});
  const std::string task = s.Do("fuse", "out", s.Do("fuse", "out", "n", o[0])[0], p[0])[0];
  s.Do("compute_at", "sums", "out", task);
  std::vector<std::string> loops = s.Loops("sums");  // task, n, o, p, c, ky, kx
  loops.erase(loops.begin());
  const auto c = s.Do("split", "sums", loops[3], t.channels);
  const std::vector<std::string> sum = cut("sums", loops[1], loops[2]);
  const int64_t columns = extent(sums, 5), taps = extent(sums, 4) * columns;
  // LLVM makes registers of a buffer that is used at most so many times.
  constexpr int64_t kMostUses = 1000;
  const int64_t most = kMostUses / (2 * t.thread_outputs * t.thread_places) - 1;
  const auto steps = s.Do("split", "sums", c[1],
                          taps > 1 ? 1 : std::gcd(t.channels, std::min(kStepsAtOnce, most)));
  order("sums",
        {loops[0], c[0], sum[0], sum[1], steps[0], steps[1], loops[4], loops[5], sum[2], sum[3]});
  // What threads bring: columns by channel and place, so that a thread has one place for all taps;
  // weights one after the other, as they lie.
  s.Do("compute_at", "columns", "sums", c[0]);
  std::vector<std::string> brought = s.Loops("columns");  // .., n, c, ky, kx, p
  brought.erase(brought.begin(), brought.end() - 5);
  const auto rows = s.Do("split", "columns", brought[1],
                         std::clamp<int64_t>(t.threads() / t.places, 1, t.channels));
  order("columns", {brought[0], rows[0], brought[2], brought[3], rows[1], brought[4]});
  for (const std::string& loop : {brought[2], brought[3]}) s.Do("unroll", "columns", loop);
  for (const std::string& loop : {rows[1], brought[4]}) s.Do("bind", "columns", loop, "threadIdx");
  const std::string weights = s.Do("cache_read", "sums", function.params[1]->name, "shared")[0];
  s.Do("compute_at", weights, "sums", c[0]);
  brought = s.Loops(weights);
  const auto rank = std::ssize(function.params[1]->shape);
  std::string fused = *(brought.end() - rank);
  for (auto loop = brought.end() - rank + 1; loop != brought.end(); ++loop)
    fused = s.Do("fuse", weights, fused, *loop)[0];
  // As many threads as leave no rest, if these are not few.
  const int64_t elements = t.outputs * t.channels * taps;
  int64_t threads = std::min(elements, t.threads());
  while (elements % threads != 0 && 4 * threads > 3 * t.threads()) --threads;
  if (elements % threads != 0) threads = t.threads();
  const auto own = s.Do("split", weights, fused, threads);
  const int64_t each = (elements - 1) / threads + 1;
  int64_t at_once = std::min(each, kLoadsAtOnce);
  while (each % at_once != 0) --at_once;
  s.Do("unroll", weights, s.Do("split", weights, own[0], at_once)[1]);
  s.Do("bind", weights, own[1], "threadIdx");
  s.Do("unroll", "sums", steps[1]);
  if (taps <= most) s.Do("unroll", "sums", loops[4]);
  if (columns <= most) s.Do("unroll", "sums", loops[5]);
  // Neighbours in outputs read different banks.
  s.Do("storage_align", weights, 0, kWarp, 1);
  const std::string start = s.Do("decompose_reduction", "sums", c[0])[0];
  finish("sums", sum);
  finish(start, sum);
  finish("out", tile);
  s.Do("bind", "out", task, "blockIdx");
  return s.function();
}

}  // namespace vta::compiler::targets
