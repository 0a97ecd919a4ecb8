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

std::vector<int64_t> Divisors(int64_t number, int64_t most) {
  std::vector<int64_t> values = UpTo(number, most);
  std::erase_if(values, [&](int64_t value) { return number % value != 0; });
  return values;
}

tune::Point PointOf(const KernelPlan& plan) {
  if (const auto* p = std::get_if<BlockPlan>(&plan))
    return {p->group,       p->task_rows,     p->tile.rows, p->tile.columns,
            p->tile.blocks, p->blocks_inside, p->unrolled};
  if (const auto* p = std::get_if<RowPlan>(&plan))
    return {p->rows, p->blocks, p->tile_rows, p->tile_blocks, p->unrolled};
  const auto& p = std::get<WinogradPlan>(plan);
  return {p.rows,         p.parts,       p.blocks,        p.tile.rows,
          p.tile.columns, p.tile.blocks, p.blocks_inside, p.unrolled};
}

/// What is computed, and a hash of how it reads in loops.
std::string WordsOf(const Graph& graph, const Step& step, const StepExpression& e) {
  const isa::LayerFacts facts = FactsOf(graph, step);
  return StrCat(facts.op, e.sums.winograd ? " winograd " : " ", facts.shape, " ",
                Hex(Hasher().Text(loop::Print(e.function)).value(), 16));
}

std::vector<tune::Choice> ChoicesOf(const Graph& graph, const Step& step, const StepExpression& e,
                                    const KernelPlan& rule) {
  constexpr int64_t kMostUnrolled = 16;
  const tune::Choice unrolled{"unrolled", Divisors(LastReduced(e), kMostUnrolled)};
  // Several rows of a tile are whole ones.
  const auto rows = [](const Tile& all) {
    return UpTo(all.columns <= kMostTileSide ? all.rows : 1, kMostTileSide);
  };
  if (std::holds_alternative<RowPlan>(rule)) {
    const Tile all = MatrixOfResult(graph, step.nodes);
    return {{"task_rows", Divisors(all.columns, all.columns)},
            {"task_blocks", Divisors(all.blocks, all.blocks)},
            {"rows", UpTo(all.columns, kMostTileSide)},
            {"blocks", Divisors(all.blocks, kMostTileBlocks)},
            unrolled};
  }
  if (std::holds_alternative<WinogradPlan>(rule)) {
    const Tile tiles = WinogradTiles(graph, graph.nodes()[step.nodes.front()]);
    return {{"task_rows", Divisors(tiles.rows, tiles.rows)},
            {"parts", Divisors(tiles.blocks, tiles.blocks)},
            {"task_blocks", Divisors(tiles.blocks, kMostTileBlocks)},
            {"rows", rows(tiles)},
            {"columns", UpTo(tiles.columns, kMostTileSide)},
            {"blocks", Divisors(tiles.blocks, kMostTileBlocks)},
            {"blocks_inside", {0, 1}},
            {"unrolled", Divisors(kLanes, kMostUnrolled)}};
  }
  const Tile all = TilesOfResult(graph, step.nodes);
  return {{"group", Divisors(all.blocks, kMostTileBlocks)},
          {"task_rows", Divisors(all.rows, all.rows)},
          {"rows", rows(all)},
          {"columns", UpTo(all.columns, kMostTileSide)},
          {"blocks", Divisors(all.blocks, kMostTileBlocks)},
          {"blocks_inside", {0, 1}},
          unrolled};
}

}  // namespace

KernelPlan PlanAt(const tune::Point& point, const KernelPlan& rule) {
  if (std::holds_alternative<BlockPlan>(rule)) {
    VTA_CHECK(point.size() == 7, point.size());
    return BlockPlan{point[0], point[1], {point[2], point[3], point[4]}, point[5] != 0, point[6]};
  }
  if (std::holds_alternative<RowPlan>(rule)) {
    VTA_CHECK(point.size() == 5, point.size());
    return RowPlan{point[0], point[1], point[2], point[3], point[4]};
  }
  VTA_CHECK(point.size() == 8, point.size());
  return WinogradPlan{point[0],      point[1], point[2], {point[3], point[4], point[5]},
                      point[6] != 0, point[7]};
}

CpuSpace::CpuSpace(const Graph& graph, const Step& step, StepExpression expression,
                   const Registers& registers, int64_t threads)
    : graph_(graph),
      step_(step),
      expression_(std::move(expression)),
      registers_(registers.With(expression_.sums.lanes)),
      rule_(ChoosePlan(graph, step.nodes, expression_, registers_, threads)),
      fewest_tasks_(std::min({threads, kSomeThreads, TasksOf(graph, step.nodes, rule_)})),
      workload_(WordsOf(graph, step, expression_)),
      choices_(ChoicesOf(graph, step, expression_, rule_)) {}

bool CpuSpace::Has(const tune::Point& point) const {
  const KernelPlan plan = PlanAt(point, rule_);
  if (TasksOf(graph_, step_.nodes, plan) < fewest_tasks_) return false;
  if (const auto* p = std::get_if<RowPlan>(&plan)) {
    const Tile all = MatrixOfResult(graph_, step_.nodes);
    const bool even = all.columns % p->rows == 0 && p->rows % p->tile_rows == 0;
    return (even || p->rows == all.columns) && all.blocks % p->blocks == 0 &&
           HasTile({1, p->rows, p->blocks}, {1, p->tile_rows, p->tile_blocks}, registers_);
  }
  if (const auto* p = std::get_if<WinogradPlan>(&plan))
    return HasWinograd(graph_, graph_.nodes()[step_.nodes.front()], *p, registers_);
  const auto& p = std::get<BlockPlan>(plan);
  const Tile all = TilesOfResult(graph_, step_.nodes), task{p.task_rows, all.columns, p.group};
  return all.blocks % p.group == 0 && (expression_.sums.shares || p.group == 1) &&
         (p.task_rows == all.rows || p.task_rows % p.tile.rows == 0) &&
         HasTile(task, p.tile, registers_) && (!p.blocks_inside || HasOrder(task, p.tile));
}

int64_t CpuSpace::Estimate(const tune::Point& point) const {
  constexpr int64_t kHalfCycles = 6;  // in a nanosecond
  // What no count says is taken to be better as the rule has it, by a twentieth each.
  const auto unlike = [](int64_t cost, int64_t choices) { return cost + choices * cost / 20; };
  const Node& anchor = graph_.nodes()[step_.nodes.front()];
  const KernelPlan plan = PlanAt(point, rule_);
  if (const auto* p = std::get_if<WinogradPlan>(&plan))
    return unlike(2 * WinogradCycles(graph_, anchor, *p),
                  int64_t{p->blocks_inside} +
                      (p->unrolled != std::get<WinogradPlan>(rule_).unrolled)) /
           kHalfCycles;
  const int64_t reduced = StepsOfSum(expression_);
  if (const auto* p = std::get_if<RowPlan>(&plan)) {
    const Tile all = MatrixOfResult(graph_, step_.nodes);
    const int64_t matrices =
        Elements(graph_.shape(graph_.nodes()[step_.nodes.back()].output)) /
        (all.columns * graph_.shape(graph_.nodes()[step_.nodes.back()].output).back());
    const int64_t cost =
        TileCost({1, p->rows, p->blocks}, {1, p->tile_rows, p->tile_blocks}, false, registers_) *
        (all.columns / p->rows) * (all.blocks / p->blocks) * matrices * reduced;
    const auto& rule = std::get<RowPlan>(rule_);
    return unlike(cost, int64_t{p->rows != rule.rows || p->blocks != rule.blocks} +
                            (p->unrolled != rule.unrolled)) /
           kHalfCycles;
  }
  const auto &p = std::get<BlockPlan>(plan), &rule = std::get<BlockPlan>(rule_);
  const Tile all = TilesOfResult(graph_, step_.nodes);
  const int64_t samples = graph_.shape(graph_.nodes()[step_.nodes.back()].output)[0];
  int64_t cost = TileCost({p.task_rows, all.columns, p.group}, p.tile,
                          expression_.sums.shares && IsCold(graph_, anchor), registers_);
  cost *= all.blocks / p.group * (all.rows / p.task_rows) * samples * reduced;
  return unlike(cost, int64_t{p.group != rule.group || p.task_rows != rule.task_rows} +
                          p.blocks_inside + (p.unrolled != rule.unrolled)) /
         kHalfCycles;
}

std::vector<tune::Point> CpuSpace::AllPoints() const {
  std::vector<tune::Point> points;
  const auto add = [&](const KernelPlan& cut) {
    std::visit(
        [&](auto plan) {
          if constexpr (!std::is_same_v<decltype(plan), std::monostate>)
            for (const int64_t unrolled : choices_.back().values) {
              plan.unrolled = unrolled;
              if (tune::Point point = PointOf(plan); Has(point)) points.push_back(std::move(point));
              if constexpr (!std::is_same_v<decltype(plan), RowPlan>) {
                plan.blocks_inside = true;
                if (tune::Point point = PointOf(plan); Has(point))
                  points.push_back(std::move(point));
                plan.blocks_inside = false;
              }
            }
        },
        cut);
  };
  const auto values = [&](size_t choice) -> const std::vector<int64_t>& {
    return choices_[choice].values;
  };
  if (std::holds_alternative<RowPlan>(rule_)) {
    for (const int64_t rows : values(0))
      for (const int64_t blocks : values(1))
        ForEachTile({1, rows, blocks}, registers_, [&](const Tile& tile) {
          add(RowPlan{rows, blocks, tile.columns, tile.blocks});
        });
  } else if (std::holds_alternative<WinogradPlan>(rule_)) {
    const Tile all = WinogradTiles(graph_, graph_.nodes()[step_.nodes.front()]);
    for (const int64_t rows : values(0))
      for (const int64_t parts : values(1))
        for (const int64_t blocks : values(2))
          ForEachTile({rows, all.columns, blocks}, registers_, [&](const Tile& tile) {
            add(WinogradPlan{rows, parts, blocks, tile});
          });
  } else {
    const Tile all = TilesOfResult(graph_, step_.nodes);
    for (const int64_t group : values(0))
      for (const int64_t rows : values(1))
        ForEachTile({rows, all.columns, group}, registers_, [&](const Tile& tile) {
          add(BlockPlan{group, rows, tile});
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
