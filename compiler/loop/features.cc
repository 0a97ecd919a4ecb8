#include "compiler/loop/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "compiler/loop/analysis.h"
#include "compiler/tensorize/intrinsic.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::compiler::loop {
namespace {

constexpr size_t kBlocks = 4;   // that are described
constexpr size_t kBuffers = 4;  // of each of them
/// Bytes that may stay while a loop runs: of registers, and of caches.
constexpr std::array<double, 6> kStays = {1 << 9, 1 << 12, 1 << 15, 1 << 18, 1 << 20, 1 << 23};
constexpr ForKind kForKinds[] = {ForKind::kSerial, ForKind::kUnroll, ForKind::kVectorize,
                                 ForKind::kParallel, ForKind::kVthread};

/// Features with their names, while they are made.
struct FeatureList {
  std::vector<std::string> names;
  std::vector<int32_t> values;

  void Add(std::string name, double value) {
    constexpr double kOctave = 8;
    names.push_back(std::move(name));
    values.push_back(value > 0 ? static_cast<int32_t>(std::lround(kOctave * std::log2(value)))
                               : kNone);
  }
};

/// What is computed for a value, indices apart.
struct Operations {
  double products = 0, sums = 0, choices = 0, conversions = 0, functions = 0;

  double all() const { return products + sums + choices + conversions + functions; }
  void Count(const Expr& expr, double times) {
    switch (expr.op()) {
      case Op::kConst:
      case Op::kVar:
      case Op::kLoad:
        return;
      case Op::kMul:
      case Op::kDiv:
        products += times;
        break;
      case Op::kAdd:
      case Op::kSub:
        sums += times;
        break;
      case Op::kCast:
      case Op::kAbs:
      case Op::kFloor:
      case Op::kRoundEven:
      case Op::kShr:
      case Op::kRescaleSingle:
      case Op::kRescaleDouble:
      case Op::kRequantSingle:
      case Op::kRequantDouble:
      case Op::kHalfToFloat:
      case Op::kFloatToHalf:
        conversions += times;
        break;
      case Op::kExp:
      case Op::kLog:
      case Op::kSqrt:
      case Op::kTanh:
      case Op::kErf:
      case Op::kGelu:
      case Op::kPow:
        functions += times;
        break;
      default:
        choices += times;
    }
    for (const Expr& arg : expr->args) Count(arg, times);
  }
};

void CountBody(const Block& block, double times, Operations* operations) {
  for (const Stmt& leaf : Leaves(block.body))
    if (const Store* store = As<Store>(leaf)) {
      operations->Count(store->value, times);
    } else if (const Call* call = As<Call>(leaf)) {
      for (const Site& site : Sites(call->intrinsic->description.body)) {
        double points = times;
        for (const Iter& iter : site.block->iters) points *= static_cast<double>(iter.extent);
        CountBody(*site.block, points, operations);
      }
    }
}

/// Ranges of variables, few enough to look through.
using Ranges = std::vector<std::pair<const VarNode*, Interval>>;

Interval HullOf(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Of an index: the values that it may have, or more; unknown where it depends on data.
Interval RangeOf(const Expr& expr, const Ranges& ranges) {
  const auto arg = [&](size_t i) { return RangeOf(expr->args[i], ranges); };
  switch (expr.op()) {
    case Op::kConst:
      return {expr->int_value, expr->int_value};
    case Op::kVar:
      for (const auto& [var, range] : ranges)
        if (var == expr->var.get()) return range;
      return {};
    case Op::kCast:
      return arg(0);
    case Op::kSelect:
      return HullOf(arg(1), arg(2));
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kFloorDiv:
    case Op::kFloorMod:
    case Op::kMin:
    case Op::kMax:
      break;
    default:
      return {};
  }
  const Interval a = arg(0), b = arg(1);
  if (!a.Known() || !b.Known()) return {};
  const auto ends = [&](auto apply) {
    const auto [low, high] = std::minmax(
        {apply(a.low, b.low), apply(a.low, b.high), apply(a.high, b.low), apply(a.high, b.high)});
    return Interval{low, high};
  };
  const auto quotient = [](int64_t x, int64_t y) { return FoldInt64(Op::kFloorDiv, x, y); };
  switch (expr.op()) {
    case Op::kSub:
      return {a.low - b.high, a.high - b.low};
    case Op::kMul:
      return ends([](int64_t x, int64_t y) { return x * y; });
    case Op::kFloorDiv:
      return ends(quotient);
    case Op::kFloorMod:
      if (b.low < 1) return {};
      if (b.low < b.high || quotient(a.low, b.low) != quotient(a.high, b.low))
        return {0, b.high - 1};
      return {FoldInt64(Op::kFloorMod, a.low, b.low), FoldInt64(Op::kFloorMod, a.high, b.low)};
    case Op::kMin:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::kMax:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return {a.low + b.low, a.high + b.high};
  }
}

/// What a block touches of one buffer.
struct Touched {
  Buffer buffer;
  bool written = false, read = false;
  std::vector<Access> accesses;

  /// Of each dimension what is touched where variables have these ranges, no more than there is.
  std::vector<Interval> Hull(const Ranges& ranges) const {
    std::vector<Interval> hull;
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      const Interval all{0, buffer->shape[d] - 1};
      std::optional<Interval> touched;
      for (const Access& access : accesses) {
        Interval one = RangeOf(access.ranges[d].base, ranges);
        one.high += access.ranges[d].extent - 1;
        one = one.Known() ? Interval{std::clamp(one.low, all.low, all.high),
                                     std::clamp(one.high, all.low, all.high)}
                          : all;
        touched = touched ? HullOf(*touched, one) : one;
      }
      hull.push_back(*touched);
    }
    return hull;
  }
  double Elems(const Ranges& ranges) const {
    double elems = 1;
    for (const Interval& dim : Hull(ranges)) elems *= static_cast<double>(dim.Extent());
    return elems;
  }
  double Bytes(const Ranges& ranges) const {
    return Elems(ranges) * static_cast<double>(SizeBytes(buffer->dtype));
  }
  /// Elements from one to the next where the variable that has two values has the other one.
  double Stride(const Ranges& ranges) const {
    const std::vector<Interval> hull = Hull(ranges);
    double stride = 0;
    for (size_t d = 0; d < hull.size(); ++d)
      stride += static_cast<double>((hull[d].Extent() - 1) * buffer->Stride(d));
    return stride;
  }
};

/// A block in its loops. Level i is what the loops from the i-th on do, once.
struct Nest {
  const Block* block;
  std::vector<const For*> loops;
  std::vector<double> trips;  // of each level; the last is of the block alone, 1
  Operations operations;      // of a trip
  std::vector<Touched> touched;
  std::vector<Ranges> ranges;  // of each level
  size_t task = 0;             // the level inside of all parallel loops
  size_t tile = 0;             // the level of what is written out and in lanes

  explicit Nest(const Site& site) : block(site.block), trips(site.loops.size() + 1, 1) {
    for (const Stmt& loop : site.loops) loops.push_back(As<For>(loop));
    for (size_t i = loops.size(); i > 0; --i)
      trips[i - 1] = trips[i] * static_cast<double>(loops[i - 1]->extent);
    CountBody(*block, 1, &operations);
    for (const Access& access : Accesses(*block)) {
      if (access.init) continue;
      auto found = std::ranges::find(touched, access.buffer, &Touched::buffer);
      if (found == touched.end()) found = touched.insert(found, {access.buffer});
      (access.write ? found->written : found->read) = true;
      found->accesses.push_back(access);
    }
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i]->kind == ForKind::kParallel) task = i + 1;
    for (tile = loops.size(); tile > task && (loops[tile - 1]->kind == ForKind::kUnroll ||
                                              loops[tile - 1]->kind == ForKind::kVectorize);)
      --tile;
    for (size_t level = 0; level <= loops.size(); ++level) ranges.push_back(RangesAt(level, false));
  }
  double work() const { return trips[0] * operations.all(); }
  double Bytes(size_t level) const {
    double bytes = 0;
    for (const Touched& one : touched) bytes += one.Bytes(ranges[level]);
    return bytes;
  }
  /// What comes from beyond a memory of so many bytes, which keeps what the outermost loop that
  /// fits touches. Units: bytes.
  double Traffic(double stays) const {
    size_t level = 0;
    while (level < loops.size() && Bytes(level) > stays) ++level;
    return trips[0] / trips[level] * Bytes(level);
  }
  /// Loops outside of the level stand in their middles; those inside run, or take two steps.
  Ranges RangesAt(size_t level, bool step) const {
    Ranges at;
    for (size_t i = 0; i < loops.size(); ++i) {
      const int64_t extent = loops[i]->extent, middle = (extent - 1) / 2;
      at.emplace_back(loops[i]->var.get(), i < level ? Interval{middle, middle}
                                           : step
                                               ? Interval{middle, std::min(middle + 1, extent - 1)}
                                               : Interval{0, extent - 1});
    }
    for (const Iter& iter : block->iters) {
      const Interval bound = RangeOf(iter.binding, at);
      at.emplace_back(iter.var.get(), bound.Known() ? bound : Interval{0, iter.extent - 1});
    }
    return at;
  }
};

void DescribeBuffer(const Nest* nest, const Touched* one, const std::string& name,
                    FeatureList* list) {
  const auto add = [&](const char* what, auto value) {
    list->Add(StrCat(name, " ", what), one ? value() : 0);
  };
  add("element bytes", [&] { return static_cast<double>(SizeBytes(one->buffer->dtype)); });
  add("access", [&] { return one->written ? one->read ? 4.0 : 2.0 : 1.0; });
  add("local", [&] { return one->buffer->scope == "global" ? 1.0 : 2.0; });
  add("bytes", [&] { return one->Bytes(nest->ranges[0]); });
  add("bytes of a task", [&] { return one->Bytes(nest->ranges[nest->task]); });
  add("elements of a tile", [&] { return one->Elems(nest->ranges[nest->tile]); });
  add("bytes around a tile", [&] {
    return one->Bytes(nest->ranges[std::max(nest->task, nest->tile - (nest->tile > 0))]);
  });
  add("stride", [&] {
    const size_t inner = nest->loops.size() - !nest->loops.empty();
    return one->Stride(nest->RangesAt(inner, true));
  });
  add("trips an element", [&] { return nest->trips[0] / one->Elems(nest->ranges[0]); });
}

void DescribeBlock(const Nest* nest, const std::string& name, FeatureList* list) {
  const auto add = [&](const std::string& what, auto value) {
    list->Add(StrCat(name, " ", what), nest ? value() : 0);
  };
  add("trips", [&] { return nest->trips[0]; });
  for (const ForKind kind : kForKinds)
    add(StrCat("trips ", loop::Name(kind)), [&] {
      double trips = 1;
      for (const For* loop : nest->loops)
        if (loop->kind == kind) trips *= static_cast<double>(loop->extent);
      return trips;
    });
  add("trips of a task", [&] { return nest->trips[nest->task]; });
  add("trips of a tile", [&] { return nest->trips[nest->tile]; });
  add("trips around a tile", [&] {
    return nest->tile > nest->task ? static_cast<double>(nest->loops[nest->tile - 1]->extent) : 1;
  });
  add("trips a point", [&] {
    double points = 1;
    for (const Iter& iter : nest->block->iters) points *= static_cast<double>(iter.extent);
    return nest->trips[0] / points;
  });
  add("conditions", [&] { return static_cast<double>(Conjuncts(nest->block->where).size()); });
  add("products", [&] { return nest->operations.products; });
  add("sums", [&] { return nest->operations.sums; });
  add("choices", [&] { return nest->operations.choices; });
  add("conversions", [&] { return nest->operations.conversions; });
  add("functions", [&] { return nest->operations.functions; });
  add("trips of a tile an element read", [&] {
    double read = 0;
    for (const Touched& one : nest->touched)
      if (!one.written) read += one.Elems(nest->ranges[nest->tile]);
    return read > 0 ? nest->trips[nest->tile] / read : 0;
  });
  for (const double stays : kStays)
    add(StrCat("bytes an operation from beyond ", static_cast<int64_t>(stays)),
        [&] { return nest->Traffic(stays) / std::max(nest->work(), 1.0); });
  for (size_t i = 0; i < kBuffers; ++i)
    DescribeBuffer(nest, nest && i < nest->touched.size() ? &nest->touched[i] : nullptr,
                   StrCat(name, " buffer", i), list);
}

void DescribeAll(const std::vector<Nest>& nests, const Function& function, FeatureList* list) {
  double work = 0, tasks = 0, code = 0, local = 0;
  for (const Nest& nest : nests) {
    double written_out = std::max(nest.operations.all(), 1.0);
    for (const For* loop : nest.loops)
      if (loop->kind == ForKind::kUnroll) written_out *= static_cast<double>(loop->extent);
    work += nest.work(), code += written_out;
    tasks = std::max(tasks, nest.trips[0] / nest.trips[nest.task]);
  }
  VisitStmts(function.body, [&](const Stmt& stmt) {
    if (const Allocate* made = As<Allocate>(stmt))
      local += static_cast<double>(made->buffer->SizeElems() * SizeBytes(made->buffer->dtype));
  });
  list->Add("blocks", static_cast<double>(nests.size()));
  list->Add("operations", work);
  list->Add("tasks", tasks);
  list->Add("operations written out", code);
  list->Add("bytes allocated", local);
  for (const double stays : kStays) {
    double traffic = 0;
    for (const Nest& nest : nests) traffic += nest.Traffic(stays);
    list->Add(StrCat("bytes an operation from beyond ", static_cast<int64_t>(stays)),
              traffic / std::max(work, 1.0));
  }
}

FeatureList Describe(const Function& function) {
  std::vector<Nest> nests;
  if (function.body)
    for (const Site& site : Sites(function.body)) nests.emplace_back(site);
  std::ranges::stable_sort(nests, std::greater(), &Nest::work);
  FeatureList list;
  DescribeAll(nests, function, &list);
  for (size_t i = 0; i < kBlocks; ++i)
    DescribeBlock(i < nests.size() ? &nests[i] : nullptr, StrCat("block", i), &list);
  return list;
}

}  // namespace

Features FeaturesOf(const Function& function) {
  FeatureList list = Describe(function);
  Hasher hasher;
  for (const std::string& name : list.names) hasher.Text(name);
  return {hasher.value(), std::move(list.values)};
}

std::vector<std::string> FeatureNames() { return Describe({}).names; }

}  // namespace vta::compiler::loop
