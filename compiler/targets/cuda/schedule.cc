#include "compiler/targets/cuda/schedule.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
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

namespace {

/// Steps that make one schedule of a product in tiles.
class Tiles {
 public:
  Tiles(const loop::Function& function, const GpuTile& tile) : s_(function), t_(tile) {}

  loop::Function Run() {
    const auto o = Split("out", "o", t_.outputs), p = Split("out", "p", t_.places);
    const std::vector<std::string> own = Cut("out", o[1], p[1]);
    Order("out", Joined({"n", o[0], p[0]}, own));
    const std::string task = Fused("out", {"n", o[0], p[0]});
    std::string last = task;  // of the loops around the sums
    if (t_.team > 1) {
      s_.Do("compute_at", "total", "out", task);
      s_.Do("compute_at", "parts", "out", task);
      last = s_.Loops("parts")[1];
      s_.Do("compute_at", "sums", "parts", last);
    } else {
      s_.Do("compute_at", "sums", "out", task);
    }
    Sum();
    if (t_.team > 1) {
      const std::vector<std::string> all = s_.Loops("parts");  // task, s, n, o, p
      const std::vector<std::string> mine = Cut("parts", all[3], all[4]);
      Order("parts", Joined({all[2]}, mine));
      Finish("parts", mine);
      s_.Do("bind", "parts", last, "blockIdx");
      Total();
    }
    Finish("out", own);
    s_.Do("bind", "out", task, "blockIdx");
    return s_.function();
  }

 private:
  using Names = std::vector<std::string>;

  static Names Joined(Names a, const Names& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  Names Split(const std::string& block, const std::string& loop, int64_t factor) {
    return s_.Do("split", block, loop, std::min(factor, Extent(block, loop)));
  }
  int64_t Extent(const std::string& block, const std::string& name) {
    for (const loop::Stmt& stmt : loop::FindSite(s_.function(), block).loops)
      if (const loop::For& loop = *loop::As<loop::For>(stmt); loop.var->name == name)
        return loop.extent;
    throw Error("", "block", block, StrCat("has no loop ", name));
  }
  void Order(const std::string& block, const Names& loops) {
    loop::Step step{"reorder", {block}};
    step.args.insert(step.args.end(), loops.begin(), loops.end());
    s_.Apply(step);
  }
  std::string Fused(const std::string& block, const Names& loops) {
    std::string all = loops[0];
    for (size_t i = 1; i < loops.size(); ++i) all = s_.Do("fuse", block, all, loops[i])[0];
    return all;
  }
  /// Loops of a tile: those of threads, then what a thread makes: some side by side, of which it
  /// has several where neighbours that read them would be too far apart.
  Names Cut(const std::string& block, const std::string& o, const std::string& p) {
    const Names outputs = CutAxis(block, o, t_.outputs, t_.thread_outputs),
                places = CutAxis(block, p, t_.places, t_.thread_places);
    return {outputs[1], places[1], outputs[0], outputs[2], places[0], places[2]};
  }
  /// How many a thread has, threads, and how many of each lie side by side.
  Names CutAxis(const std::string& block, const std::string& loop, int64_t all, int64_t own) {
    const int64_t beside = std::min(own, kQuad);
    const Names parts = Split(block, loop, beside), far = Split(block, parts[0], all / own);
    return {far[0], far[1], parts[1]};
  }
  void Finish(const std::string& block, const Names& own) {
    for (const std::string& loop : {own[0], own[1]})
      if (Has(block, loop)) s_.Do("bind", block, loop, "threadIdx");
    UnrollOwn(block, own);
  }
  void UnrollOwn(const std::string& block, const Names& own) {
    for (size_t i = 2; i < own.size(); ++i)
      if (Has(block, own[i])) s_.Do("unroll", block, own[i]);
  }
  /// Loops of one iteration may go.
  bool Has(const std::string& block, const std::string& loop) const {
    const Names there = s_.Loops(block);
    return std::count(there.begin(), there.end(), loop) > 0;
  }

  /// What the team's blocks have, one after the other.
  void Total() {
    const Names all = s_.Loops("total");  // task, n, o, p, s
    const Names mine = Cut("total", all[2], all[3]);
    const Names made(mine.begin() + 2, mine.end());
    Order("total", Joined({all[1], mine[0], mine[1], all[4]}, made));
    const int64_t loads = std::max<int64_t>(1, t_.thread_outputs * t_.thread_places / kQuad);
    int64_t at_once = std::min(t_.team, std::max<int64_t>(1, kLoadsAtOnce / loads));
    while (t_.team % at_once != 0) --at_once;
    const Names parts = Split("total", all[4], at_once);
    Order("total", Joined({parts[0], parts[1]}, made));
    s_.Do("unroll", "total", parts[1]);
    const std::string start = s_.Do("decompose_reduction", "total", parts[0])[0];
    Finish("total", mine);
    UnrollOwn(start, mine);
  }

  /// Chunks of channels, whose factors the threads bring together.
  void Sum() {
    const Names all = s_.Loops("sums");
    const Names loops(all.end() - 6, all.end());  // n, o, p, c, ky, kx
    const int64_t columns = Extent("sums", loops[5]), taps = Extent("sums", loops[4]) * columns;
    const Names c = Split("sums", loops[3], t_.channels);
    const Names own = Cut("sums", loops[1], loops[2]);
    // LLVM makes registers of a buffer that is used at most so many times.
    constexpr int64_t kMostUses = 1000;
    const int64_t most = kMostUses / (2 * t_.thread_outputs * t_.thread_places) - 1;
    const Names steps =
        Split("sums", c[1], taps > 1 ? 1 : std::gcd(t_.channels, std::min(kStepsAtOnce, most)));
    Order("sums", Joined({loops[0], c[0], own[0], own[1], steps[0], steps[1], loops[4], loops[5]},
                         {own.begin() + 2, own.end()}));
    s_.Do("unroll", "sums", steps[1]);
    if (taps <= most) s_.Do("unroll", "sums", loops[4]);
    if (columns <= most) s_.Do("unroll", "sums", loops[5]);
    BringColumns(c[0]);
    BringWeights(c[0]);
    if (Extent("sums", c[0]) > 1)
      for (const char* brought : {"columns", "weights"}) {
        s_.Do("double_buffer", brought, c[0]);
        s_.Do("prefetch", brought, c[0]);
      }
    const std::string start = s_.Do("decompose_reduction", "sums", c[0])[0];
    Finish("sums", own);
    Finish(start, own);
  }

  /// By channel and place, so that a thread has one place for all taps.
  void BringColumns(const std::string& at) {
    s_.Do("compute_at", "columns", "sums", at);
    const Names all = s_.Loops("columns");
    const Names loops(all.end() - 5, all.end());  // n, c, ky, kx, p
    const int64_t across = std::min(t_.places, t_.threads());
    const Names rows = Split("columns", loops[1],
                             std::clamp<int64_t>(t_.threads() / across, 1, t_.channels)),
                places = Split("columns", loops[4], across);
    Order("columns", {loops[0], rows[0], loops[2], loops[3], places[0], rows[1], places[1]});
    for (const std::string& loop : {loops[2], loops[3], places[0]})
      s_.Do("unroll", "columns", loop);
    for (const std::string& loop : {rows[1], places[1]})
      s_.Do("bind", "columns", loop, "threadIdx");
  }

  /// As they lie, some side by side for a thread.
  void BringWeights(const std::string& at) {
    s_.Do("compute_at", "weights", "sums", at);
    const Names all = s_.Loops("weights");
    const Names loops(all.end() - 2, all.end());  // k, o
    const Names beside = Split("weights", loops[1], std::gcd(Extent("weights", loops[1]), kQuad));
    const std::string quads = Fused("weights", {loops[0], beside[0]});
    const int64_t count = Extent("weights", quads);
    // As many threads as leave no rest, if these are not few.
    int64_t threads = std::min(count, t_.threads());
    while (count % threads != 0 && 4 * threads > 3 * t_.threads()) --threads;
    if (count % threads != 0) threads = std::min(count, t_.threads());
    const Names own = Split("weights", quads, threads);
    const int64_t each = Extent("weights", own[0]);
    int64_t at_once = std::min(each, kLoadsAtOnce);
    while (each % at_once != 0) --at_once;
    const Names batches = Split("weights", own[0], at_once);
    s_.Do("unroll", "weights", batches[1]);
    if (Has("weights", beside[1])) s_.Do("vectorize", "weights", beside[1]);
    s_.Do("bind", "weights", own[1], "threadIdx");
  }

  loop::Schedule s_;
  const GpuTile& t_;
};

}  // namespace

loop::Function ScheduledInTiles(const loop::Function& function, const GpuTile& tile) {
  return Tiles(function, tile).Run();
}

}  // namespace vta::compiler::targets
