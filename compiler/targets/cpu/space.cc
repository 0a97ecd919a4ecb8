#include "compiler/targets/cpu/space.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/graph/facts.h"
#include "compiler/loop/analysis.h"
#include "compiler/targets/cpu/layout.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::compiler::targets {
namespace {

std::vector<int64_t> UpTo(int64_t last, int64_t most) {
  std::vector<int64_t> values(std::min(last, most));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

tune::Point PointOf(const KernelPlan& plan) {
  if (const auto* p = std::get_if<BlockPlan>(&plan))
    return {p->group, p->by_rows, p->tile.rows, p->tile.columns, p->tile.blocks};
  if (const auto* p = std::get_if<RowPlan>(&plan))
    return {p->rows, p->blocks, p->tile_rows, p->tile_blocks};
  const auto& p = std::get<WinogradPlan>(plan);
  return {p.rows, p.parts, p.blocks, p.tile.rows, p.tile.columns, p.tile.blocks};
}

/// What is computed, and a hash of how it reads in loops.
std::string WordsOf(const Graph& graph, const Step& step, const StepExpression& e) {
  const isa::LayerFacts facts = FactsOf(graph, step);
  return StrCat(facts.op, e.sums.winograd ? " winograd " : " ", facts.shape, " ",
                Hex(Hasher().Text(loop::Print(e.function)).value(), 16));
}

std::vector<tune::Choice> ChoicesOf(const Graph& graph, const Step& step, const KernelPlan& rule) {
  if (std::holds_alternative<RowPlan>(rule)) {
    const Tile all = MatrixOfResult(graph, step.nodes);
    return {{"task_rows", UpTo(all.columns, all.columns)},
            {"task_blocks", UpTo(all.blocks, all.blocks)},
            {"rows", UpTo(all.columns, kMostTileSide)},
            {"blocks", UpTo(all.blocks, kMostTileBlocks)}};
  }
  if (std::holds_alternative<WinogradPlan>(rule)) {
    const Tile tiles = WinogradTiles(graph, graph.nodes()[step.nodes.front()]);
    return {{"task_rows", UpTo(tiles.rows, tiles.rows)},
            {"parts", UpTo(tiles.blocks, tiles.blocks)},
            {"task_blocks", UpTo(tiles.blocks, kMostTileBlocks)},
            {"rows", UpTo(tiles.rows, kMostTileSide)},
            {"columns", UpTo(tiles.columns, kMostTileSide)},
            {"blocks", UpTo(tiles.blocks, kMostTileBlocks)}};
  }
  const Tile all = TilesOfResult(graph, step.nodes);
  return {{"group", UpTo(all.blocks, kMostTileBlocks)},
          {"by_rows", {0, 1}},
          {"rows", UpTo(all.rows, kMostTileSide)},
          {"columns", UpTo(all.columns, kMostTileSide)},
          {"blocks", UpTo(all.blocks, kMostTileBlocks)}};
}

}  // namespace

KernelPlan PlanAt(const tune::Point& point, const KernelPlan& rule) {
  if (std::holds_alternative<BlockPlan>(rule)) {
    VTA_CHECK(point.size() == 5, point.size());
    return BlockPlan{point[0], point[1] != 0, {point[2], point[3], point[4]}};
  }
  if (std::holds_alternative<RowPlan>(rule)) {
    VTA_CHECK(point.size() == 4, point.size());
    return RowPlan{point[0], point[1], point[2], point[3]};
  }
  VTA_CHECK(point.size() == 6, point.size());
  return WinogradPlan{point[0], point[1], point[2], {point[3], point[4], point[5]}};
}

CpuSpace::CpuSpace(const Graph& graph, const Step& step, StepExpression expression,
                   const Registers& registers)
    : graph_(graph),
      step_(step),
      expression_(std::move(expression)),
      registers_(registers.With(expression_.sums.lanes)),
      rule_(ChoosePlan(graph, step.nodes, expression_, registers_)),
      workload_(WordsOf(graph, step, expression_)),
      choices_(ChoicesOf(graph, step, rule_)) {}

bool CpuSpace::Has(const tune::Point& point) const {
  const KernelPlan plan = PlanAt(point, rule_);
  if (const auto* p = std::get_if<RowPlan>(&plan)) {
    const Tile all = MatrixOfResult(graph_, step_.nodes);
    const bool even = all.columns % p->rows == 0 && p->rows % p->tile_rows == 0;
    return (even || p->rows == all.columns) && all.blocks % p->blocks == 0 &&
           HasTile({1, p->rows, p->blocks}, {1, p->tile_rows, p->tile_blocks}, registers_);
  }
  if (const auto* p = std::get_if<WinogradPlan>(&plan))
    return HasWinograd(graph_, graph_.nodes()[step_.nodes.front()], *p, registers_);
  const auto& p = std::get<BlockPlan>(plan);
  const Tile all = TilesOfResult(graph_, step_.nodes);
  return all.blocks % p.group == 0 && (expression_.sums.shares || (p.group == 1 && p.by_rows)) &&
         HasTile({p.by_rows ? 1 : all.rows, all.columns, p.group}, p.tile, registers_);
}

int64_t CpuSpace::Estimate(const tune::Point& point) const {
  constexpr int64_t kHalfCycles = 6;  // in a nanosecond
  const Node& anchor = graph_.nodes()[step_.nodes.front()];
  const KernelPlan plan = PlanAt(point, rule_);
  if (const auto* p = std::get_if<WinogradPlan>(&plan))
    return 2 * WinogradCycles(graph_, anchor, *p) / kHalfCycles;
  int64_t reduced = 1;  // steps of the sum
  for (const loop::Site& site : loop::Sites(expression_.function.body))
    if (site.block->name == "sums")
      for (const loop::Iter& iter : site.block->iters)
        if (iter.kind == loop::IterKind::kReduce) reduced *= iter.extent;
  if (!expression_.sums.dot.empty()) reduced = (reduced + kDot - 1) / kDot;
  if (const auto* p = std::get_if<RowPlan>(&plan)) {
    const Tile all = MatrixOfResult(graph_, step_.nodes);
    const int64_t matrices =
        Elements(graph_.shape(graph_.nodes()[step_.nodes.back()].output)) /
        (all.columns * graph_.shape(graph_.nodes()[step_.nodes.back()].output).back());
    int64_t cost =
        TileCost({1, p->rows, p->blocks}, {1, p->tile_rows, p->tile_blocks}, false, registers_) *
        (all.columns / p->rows) * (all.blocks / p->blocks) * matrices * reduced;
    const auto& rule = std::get<RowPlan>(rule_);
    if (p->rows != rule.rows || p->blocks != rule.blocks) cost += cost / 20;  // as below
    return cost / kHalfCycles;
  }
  const auto &p = std::get<BlockPlan>(plan), &rule = std::get<BlockPlan>(rule_);
  const Tile all = TilesOfResult(graph_, step_.nodes);
  const int64_t samples = graph_.shape(graph_.nodes()[step_.nodes.back()].output)[0];
  int64_t cost = TileCost({p.by_rows ? 1 : all.rows, all.columns, p.group}, p.tile,
                          expression_.sums.shares && IsCold(graph_, anchor), registers_);
  cost *= all.blocks / p.group * (p.by_rows ? all.rows : 1) * samples * reduced;
  // What other tasks change no count says: the rule's are taken to be better by a twentieth.
  if (p.group != rule.group || p.by_rows != rule.by_rows) cost += cost / 20;
  return cost / kHalfCycles;
}

std::vector<tune::Point> CpuSpace::AllPoints() const {
  std::vector<tune::Point> points;
  const auto add = [&](const KernelPlan& plan) {
    tune::Point point = PointOf(plan);
    if (Has(point)) points.push_back(std::move(point));
  };
  const auto last = [&](size_t choice) { return choices_[choice].values.back(); };
  if (std::holds_alternative<RowPlan>(rule_)) {
    const Tile all = MatrixOfResult(graph_, step_.nodes);
    for (int64_t rows = 1; rows <= all.columns; ++rows)
      for (int64_t blocks = 1; all.columns % rows == 0 && blocks <= all.blocks; ++blocks)
        if (all.blocks % blocks == 0)
          ForEachTile({1, rows, blocks}, registers_, [&](const Tile& tile) {
            add(RowPlan{rows, blocks, tile.columns, tile.blocks});
          });
  } else if (std::holds_alternative<WinogradPlan>(rule_)) {
    const Tile all = WinogradTiles(graph_, graph_.nodes()[step_.nodes.front()]);
    for (int64_t rows = 1; rows <= all.rows; ++rows)
      for (int64_t parts = 1; all.rows % rows == 0 && parts <= all.blocks; ++parts)
        for (int64_t blocks = 1; all.blocks % parts == 0 && blocks <= last(2); ++blocks)
          ForEachTile({rows, all.columns, blocks}, registers_, [&](const Tile& tile) {
            add(WinogradPlan{rows, parts, blocks, tile});
          });
  } else {
    const Tile all = TilesOfResult(graph_, step_.nodes);
    for (int64_t group = 1; group <= last(0); ++group)
      for (const bool by_rows : {false, true})
        ForEachTile({by_rows ? 1 : all.rows, all.columns, group}, registers_,
                    [&](const Tile& tile) {
                      add(BlockPlan{group, by_rows, tile});
                    });
  }
  return points;
}

std::vector<tune::Point> CpuSpace::Cheapest(int64_t count) const {
  const tune::Point first = PointOf(rule_);
  if (count == 1) return {first};
  std::vector<std::pair<int64_t, tune::Point>> all;
  for (tune::Point& point : AllPoints())
    if (point != first) all.emplace_back(Estimate(point), std::move(point));
  std::ranges::sort(all);
  std::vector<tune::Point> points = {first};
  for (auto& [estimate, point] : all) {
    if (std::ssize(points) == count) break;
    points.push_back(std::move(point));
  }
  return points;
}

loop::Function CpuSpace::FunctionAt(const tune::Point& point) const {
  return Scheduled(graph_, step_.nodes, expression_, PlanAt(point, rule_), memo_);
}

loop::Features CpuSpace::FeaturesOf(const tune::Point& point) const {
  return loop::FeaturesOf(FunctionAt(point));
}

tune::Trial CpuSpace::Try(const tune::Point& point) const {
  KernelCode code{{FunctionAt(point)}, expression_.inputs};
  return {.code = std::move(code), .workload = workload_};
}

}  // namespace vta::compiler::targets
