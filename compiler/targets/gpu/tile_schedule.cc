// Products of matrices in tiles: what blocks and threads make, what they share and when they bring
// it.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/codes.h"
#include "compiler/targets/gpu/schedule.h"
#include "compiler/targets/gpu/warp_product.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

namespace {

constexpr int64_t kMostAhead = 32;  // elements of a tensor that a thread reads before it needs them
constexpr int64_t kStepsAtOnce = 8;  // that are written out, so that none waits for another one

/// Steps that make one schedule of a product in tiles.
class Tiles {
 public:
  Tiles(const loop::Function& function, const GpuProduct& product, const GpuTile& tile)
      : s_(function, tile.tensor ? std::vector{WarpProduct(product)}
                                 : std::vector<tensorize::IntrinsicRef>{}),
        p_(product),
        t_(tile) {}

  loop::Function Run(const std::vector<OutAxis>& out_axes) {
    const OutLoops loops = p_.images > 1 ? LoopsOfImages() : LoopsOf(out_axes);
    const auto o = Split("out", loops.o, t_.outputs / Together("out"));
    Names tiles = Joined(loops.tasks, {o[0]}), places;
    for (const auto& [loop, size] : PlacesOfTile()) {
      const auto parts = Split("out", in_lines() ? loop : loops.p, size);
      tiles.push_back(parts[0]);
      places.push_back(parts[1]);
    }
    const Parts own = Cut("out", o[1], places);
    Order("out", Joined(tiles, own.all()));
    const std::string task = Fused("out", tiles);
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
      const Names all = s_.Loops("parts");  // task, s, n, o, places
      const Parts mine = Cut("parts", all[3], Names(all.begin() + 4, all.end()));
      Order("parts", Joined({all[2]}, mine.all()));
      Finish("parts", mine);
      s_.Do("bind", "parts", last, "blockIdx");
      Total();
    }
    Finish("out", own);
    ReadAhead();
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
  /// The loops around "out": those of tasks, of places, and of outputs that lie together.
  struct OutLoops {
    Names tasks;
    std::string p, o;
  };
  OutLoops LoopsOf(const std::vector<OutAxis>& axes) {
    if (axes.empty()) return {{"n"}, "p", "o"};
    OutLoops out;
    for (size_t i = 0; i < axes.size(); ++i) {
      const std::string loop = StrCat("d", i);
      if (axes[i].of == OutAxis::Of::kPlaces)
        out.p = loop;
      else if (axes[i].of == OutAxis::Of::kOutputs && axes[i].step == 1)
        out.o = loop;
      else
        out.tasks.push_back(loop);
    }
    return out;
  }
  /// All images' places are one loop.
  OutLoops LoopsOfImages() {
    Order("out", {"o", "n", "q", "p"});
    return {{}, Fused("out", {"n", "q", "p"}), "o"};
  }
  bool in_lines() const { return t_.tensor && p_.lines; }
  /// The loops of places, and how many of each a tile has.
  std::vector<std::pair<std::string, int64_t>> PlacesOfTile() const {
    if (!in_lines()) return {{"p", t_.places}};
    const LinesOfTile lines = LinesOf(p_, t_);
    return {{"y", lines.lines}, {"x", lines.beside}};
  }

  /// The loops of a tile: those of threads, then what a thread makes.
  struct Parts {
    Names threads, made;
    Names all() const { return Joined(threads, made); }
  };
  /// Some lie side by side: a thread has several of those where neighbours that read them would be
  /// too far apart.
  Parts Cut(const std::string& block, const std::string& o, const Names& places_in) {
    if (t_.tensor && p_.out_word > 1) {
      std::string words = o;
      Names codes;  // by matrices, then halves
      if (Together(block) == 1) {
        const Names parts = Split(block, o, p_.out_word);
        words = parts[0];
        codes = Split(block, parts[1], kTensorHalves);
      }
      // All rows are threads, also of what has fewer words.
      const Names rows = s_.Do("split", block, words, kTensorRows);
      return CutWarps(block, rows[0], p_.out_word, codes, rows[1], places_in);
    }
    if (t_.tensor) {
      const Names rows = Split(block, o, kTensorRows),
                  halves = Split(block, rows[0], kTensorHalves);
      return CutWarps(block, halves[0], kTensorHalves, {halves[1]}, rows[1], places_in);
    }
    const std::string& p = places_in[0];
    const int64_t together = Together(block);
    const Names outputs = CutAxis(block, o, t_.outputs, t_.thread_outputs, together),
                places = CutAxis(block, p, t_.places, t_.thread_places, 1);
    if (p_.rows)  // outputs lie side by side in the result
      return {{places[1], outputs[1]}, {places[0], places[2], outputs[0], outputs[2]}};
    return {{outputs[1], places[1]}, {outputs[0], outputs[2], places[0], places[2]}};
  }
  /// How many a thread has, threads, and how many of each lie side by side, so many together.
  Names CutAxis(const std::string& block, const std::string& loop, int64_t all, int64_t own,
                int64_t together) {
    const int64_t beside = std::min(own, kQuad) / together;
    const Names parts = Split(block, loop, beside), far = Split(block, parts[0], all / own);
    return {far[0], far[1], parts[1]};
  }
  /// Outputs that are one element of the block's result: those of a word.
  int64_t Together(const std::string& block) const { return block == "out" ? p_.out_word : 1; }
  /// For warps. `o`: of `own_of_row` outputs of each row, which `of_row` tell apart where they are
  /// several elements; `places`: as PlacesOfTile.
  Parts CutWarps(const std::string& block, const std::string& o, int64_t own_of_row,
                 const Names& of_row, const std::string& row, const Names& places_in) {
    constexpr int64_t kBeside = kTensorPlaces / kTensorThreads;
    int64_t own_steps = t_.thread_places / kBeside;
    const Names outputs = Split(block, o, t_.thread_outputs / own_of_row);
    Parts parts{{outputs[0]}, {outputs[1]}};
    if (in_lines()) {
      const LinesOfTile lines = LinesOf(p_, t_);
      own_steps = lines.own_steps;
      const Names own = Split(block, places_in[0], lines.own_lines);
      parts.threads.push_back(own[0]);
      parts.made.push_back(own[1]);
    }
    const Names beside = Split(block, places_in.back(), kBeside),
                threads = Split(block, beside[0], kTensorThreads),
                steps = Split(block, threads[0], own_steps);
    parts.threads = Joined(parts.threads, {steps[0], row, threads[1]});
    parts.made.push_back(steps[1]);
    parts.made = Joined(Joined(parts.made, of_row), {beside[1]});
    return parts;
  }
  /// The loops of a step's channels.
  size_t WarpReduced() const {
    const TensorStep step = TensorStepOf(p_);
    return 1 + (step.pairs > 1) + (step.beside > 1);
  }
  void Finish(const std::string& block, const Parts& parts) {
    for (const std::string& loop : parts.threads)
      if (Has(block, loop)) s_.Do("bind", block, loop, "threadIdx");
    UnrollOwn(block, parts.made);
  }
  /// What an element needs beside its sum would be waited for before the next one is looked for: a
  /// thread reads first what all of its own need.
  void ReadAhead() {
    const loop::Site site = loop::FindSite(s_.function(), "out");
    size_t at = site.loops.size();
    for (int64_t elements = 1; at-- > 0;) {
      const loop::For& loop = *loop::As<loop::For>(site.loops[at]);
      elements *= loop.extent;
      if (loop.kind == loop::ForKind::kThread || elements > kMostAhead) break;
    }
    Names read;
    for (const loop::Access& access : loop::Accesses(*site.block))
      if (!access.write && !access.guard && loop::IsParam(s_.function(), access.buffer) &&
          !std::ranges::count(read, access.buffer->name))
        read.push_back(access.buffer->name);
    Names own;
    for (; at < site.loops.size(); ++at)
      own.push_back(loop::As<loop::For>(site.loops[at])->var->name);
    const int64_t lanes = loop::As<loop::For>(site.loops.back())->extent;
    const int64_t beside = p_.rows      ? p_.outputs
                           : in_lines() ? p_.lines->width
                                        : p_.places / p_.images;
    for (const std::string& buffer : read) {
      Names copies;
      try {
        copies = s_.Do("read_at", "out", buffer, own[0], "local");
      } catch (const Error&) {  // it is read where it is needed
      }
      for (const std::string& copy : copies) {
        for (size_t i = 1; i + 1 < own.size(); ++i)
          if (Has(copy, own[i])) s_.Do("unroll", copy, own[i]);
        if (Has(copy, own.back()))
          s_.Do(beside % lanes == 0 ? "vectorize" : "unroll", copy, own.back());
      }
    }
  }
  void UnrollOwn(const std::string& block, const Names& made) {
    for (const std::string& loop : made)
      if (Has(block, loop)) s_.Do("unroll", block, loop);
  }
  /// Loops of one iteration may go.
  bool Has(const std::string& block, const std::string& loop) const {
    const Names there = s_.Loops(block);
    return std::count(there.begin(), there.end(), loop) > 0;
  }

  /// What the team's blocks have, one after the other.
  void Total() {
    const Names all = s_.Loops("total");  // task, n, o, places, s
    const std::string member = all.back();
    const Parts mine = Cut("total", all[2], Names(all.begin() + 3, all.end() - 1));
    const Names& made = mine.made;
    Order("total", Joined(Joined({all[1]}, mine.threads), Joined({member}, made)));
    const int64_t loads = std::max<int64_t>(1, t_.thread_outputs * t_.thread_places / kQuad);
    const int64_t at_once =
        DivisorsUpTo(t_.team, std::max<int64_t>(1, kLoadsAtOnce / loads)).back();
    const Names parts = Split("total", member, at_once);
    Order("total", Joined({parts[0], parts[1]}, made));
    s_.Do("unroll", "total", parts[1]);
    const std::string start = s_.Do("decompose_reduction", "total", parts[0])[0];
    Finish("total", mine);
    UnrollOwn(start, made);
  }

  /// Chunks of channels, whose factors the threads bring together.
  void Sum() {
    const Names all = s_.Loops("sums");
    const size_t reduced =
        t_.tensor ? 3 + WarpReduced() : 3;  // c, ky, kx, and those of a warp's step
    const Names loops(all.end() - static_cast<int64_t>(reduced), all.end());
    const Names around(all.begin(), all.end() - static_cast<int64_t>(reduced));  // ..., n, o, p
    const int64_t columns = Extent("sums", loops[2]), taps = Extent("sums", loops[1]) * columns;
    const int64_t step = t_.tensor ? TensorStepOf(p_).channels() : 1;
    const Names c = Split("sums", loops[0], t_.channels / step);
    const size_t n = around.size() - 1 - PlacesOfTile().size() - (t_.tensor ? 3 : 1);
    const Names places(around.end() - static_cast<int64_t>(PlacesOfTile().size()), around.end());
    const Parts own = t_.tensor ? CutWarps("sums", around[n + 1], kTensorHalves, {around[n + 2]},
                                           around[n + 3], places)
                                : Cut("sums", around[n + 1], places);
    // LLVM makes registers of a buffer that is used at most so many times.
    constexpr int64_t kMostUses = 1000;
    const int64_t most = kMostUses / (2 * t_.thread_outputs * t_.thread_places) - 1;
    const Names steps = Split(
        "sums", c[1], taps > 1 ? 1 : std::gcd(t_.channels / step, std::min(kStepsAtOnce, most)));
    Names order =
        Joined(Joined({around[n], c[0]}, own.threads), {steps[0], steps[1], loops[1], loops[2]});
    order = Joined(order, own.made);
    Order("sums", Joined(order, Names(loops.begin() + 3, loops.end())));
    s_.Do("unroll", "sums", steps[1]);
    if (taps <= most) s_.Do("unroll", "sums", loops[1]);
    if (columns <= most) s_.Do("unroll", "sums", loops[2]);
    BringColumns(c[0]);
    BringWeights(c[0]);
    if (Extent("sums", c[0]) > 1)
      for (const char* brought : {"columns", "weights"}) {
        s_.Do("double_buffer", brought, c[0], t_.stages);
        s_.Do("prefetch", brought, c[0]);
      }
    const std::string start = s_.Do("decompose_reduction", "sums", c[0])[0];
    Finish("sums", own);
    Finish(start, own);
    if (t_.tensor) s_.Do("tensorize", "sums", own.made.end()[-2], WarpProduct(p_)->name);
  }

  /// By channel and place, so that a thread has one place for all taps; four at once where they
  /// lie side by side.
  void BringColumns(const std::string& at) {
    s_.Do("compute_at", "columns", "sums", at);
    const Names all = s_.Loops("columns");
    Names order, unrolled;
    std::string channel, place, quad;
    if (in_lines()) {
      const Names loops(all.end() - 5, all.end());  // n, c, y, s, x
      order = {loops[0]};
      channel = loops[1];
      place = Fused("columns", {loops[2], loops[3], loops[4]});
    } else {
      const Names loops(all.end() - 5, all.end());  // n, ky, kx, c, p
      order = {loops[0]};
      unrolled = {loops[1], loops[2]};
      channel = loops[3];
      place = loops[4];
      if (p_.quads && t_.places % kQuad == 0) {
        const Names quads = Split("columns", place, kQuad);
        place = quads[0];
        quad = quads[1];
      }
    }
    // Neighbours bring what lies side by side.
    const std::string &beside = p_.rows ? channel : place, &other = p_.rows ? place : channel;
    const int64_t across = std::min(Extent("columns", beside), t_.threads());
    Names rows = Split("columns", other,
                       std::clamp<int64_t>(t_.threads() / across, 1, Extent("columns", other)));
    const Names places = Split("columns", beside, across);
    // What is not copied aside is waited for: some together.
    if (p_.rows || p_.of_tap > 0 || p_.in_word > 1) {
      const Names together =
          Split("columns", rows[0], DivisorsUpTo(Extent("columns", rows[0]), kLoadsAtOnce).back());
      rows[0] = together[0];
      unrolled.insert(unrolled.begin(), together[1]);
    }
    unrolled.push_back(places[0]);
    order = Joined(Joined(order, {rows[0]}), Joined(unrolled, {rows[1], places[1]}));
    if (!quad.empty()) order.push_back(quad);
    Order("columns", order);
    if (t_.tensor)
      s_.Do("storage_align", "columns", in_lines() ? 1 : 3, kBanks, kTensorRows);
    else if (p_.rows)
      s_.Do("storage_align", "columns", 3, kBanks, kQuad);
    for (const std::string& loop : unrolled)
      if (Has("columns", loop)) s_.Do("unroll", "columns", loop);
    if (!quad.empty() && Has("columns", quad)) s_.Do("vectorize", "columns", quad);
    for (const std::string& loop : {rows[1], places[1]})
      s_.Do("bind", "columns", loop, "threadIdx");
  }

  /// As they lie, some side by side for a thread.
  void BringWeights(const std::string& at) {
    s_.Do("compute_at", "weights", "sums", at);
    const Names all = s_.Loops("weights");
    const int64_t rank = t_.tensor ? 8 : 2;  // as WarpWeightsShape; or k, o
    const Names loops(all.end() - rank, all.end());
    std::string own_of_thread = loops.back();
    Names quads_in(loops.begin(), loops.end() - 1);
    if (t_.tensor) {
      own_of_thread = Fused("weights", {loops[5], loops[6], loops[7]});
      quads_in.resize(5);
    }
    const int64_t together = Extent("weights", own_of_thread);
    const bool quads_lie = !p_.own_weights || p_.outputs % kQuad == 0;
    const Names beside = Split("weights", own_of_thread,
                               t_.tensor   ? together
                               : quads_lie ? std::gcd(together, kQuad)
                                           : 1);
    quads_in.push_back(beside[0]);
    const std::string quads = Fused("weights", quads_in);
    const int64_t count = Extent("weights", quads);
    // As many threads as leave no rest, if these are not few.
    int64_t threads = std::min(count, t_.threads());
    while (count % threads != 0 && (t_.tensor || 4 * threads > 3 * t_.threads())) --threads;
    if (count % threads != 0) threads = std::min(count, t_.threads());
    const Names own = Split("weights", quads, threads);
    const Names batches =
        Split("weights", own[0], DivisorsUpTo(Extent("weights", own[0]), kLoadsAtOnce).back());
    s_.Do("unroll", "weights", batches[1]);
    if (Has("weights", beside[1])) s_.Do("vectorize", "weights", beside[1]);
    s_.Do("bind", "weights", own[1], "threadIdx");
  }

  loop::Schedule s_;
  const GpuProduct& p_;
  const GpuTile& t_;
};

}  // namespace

loop::Function ScheduledInTiles(const loop::Function& function, const GpuProduct& product,
                                const GpuTile& tile, const std::vector<OutAxis>& out_axes) {
  return Tiles(function, product, tile).Run(out_axes);
}

}  // namespace vta::compiler::targets
