#include "tools/vta/explore/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/explore/front.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

constexpr double kLeastShare = 0.005;  // of the variance, of an effect that is worth a line
constexpr size_t kMostEffects = 12;

std::string_view Name(Objective objective) { return kObjectives[static_cast<size_t>(objective)]; }

/// Means are of logarithms: a parameter that halves a time does so on fast and slow points alike.
std::vector<Effect> EffectsOf(const Exploration& exploration, const std::vector<PointRow>& rows,
                              Objective objective) {
  std::vector<SpacePoint> points;
  std::vector<int64_t> counts;
  std::vector<double> values;
  for (const SpaceParameter& parameter : exploration.space->parameters())
    counts.push_back(std::ssize(parameter.values));
  for (const PointRow& row : rows) {
    const double value = ValueOf(row, objective);
    if (value <= 0) return {};
    points.push_back(exploration.space->PointAt(row.facts->point));
    values.push_back(std::log(value));
  }
  std::vector<Effect> effects = Effects(points, counts, values);
  std::erase_if(effects, [](const Effect& effect) { return effect.share < kLeastShare; });
  if (effects.size() > kMostEffects) effects.resize(kMostEffects);
  for (Effect& effect : effects)
    for (double& mean : effect.means) mean = std::exp(mean);
  return effects;
}

std::string NamesOf(const Exploration& exploration, const Effect& effect) {
  std::string names;
  for (const size_t parameter : effect.parameters)
    names += StrCat(names.empty() ? "" : " x ", exploration.space->parameters()[parameter].name);
  return names;
}

std::string EffectsText(const Exploration& exploration, const std::vector<PointRow>& rows) {
  std::string text;
  for (const Objective objective : exploration.objectives) {
    const std::vector<Effect> effects = EffectsOf(exploration, rows, objective);
    if (effects.empty()) continue;
    TableRows cells = {{StrCat("what moves ", Name(objective)), "of its variance", "means"}};
    for (const Effect& effect : effects) {
      std::string means;
      for (size_t i = 0; i < effect.means.size(); ++i)
        if (!std::isnan(effect.means[i]))
          means +=
              fmt::format("{}{}: {:.4g}", means.empty() ? "" : ", ",
                          exploration.space->parameters()[effect.parameters[0]].values[i].Dump(-1),
                          effect.means[i]);
      cells.push_back(
          {NamesOf(exploration, effect), fmt::format("{:.1f} %", 100 * effect.share), means});
    }
    text += "\n" + FormatTable(cells, {false, true, false});
  }
  return text;
}

int64_t CountOf(const Exploration& exploration, PointResult::End end) {
  return std::ranges::count_if(exploration.results,
                               [&](const auto& result) { return result.second.end == end; });
}

Json::Array TextsOf(const std::vector<std::string>& texts) {
  Json::Array out;
  for (const std::string& text : texts) out.emplace_back(Visible(text));
  return out;
}

Json ResourcesJson(const AreaPrediction& area) {
  return ToJson(area.resources).Set("lut_error", area.lut_error).Set("ff_error", area.ff_error);
}

Json PointJson(const Exploration& exploration, const PointRow& row) {
  Json::Array values, networks;
  for (const int32_t value : exploration.space->PointAt(row.facts->point))
    values.emplace_back(int64_t{value});
  const Json result = ToJson(*row.result);
  Json json = Json()
                  .Set("point", row.facts->point)
                  .Set("config", row.facts->config.name)
                  .Set("values", std::move(values))
                  .Set("front", row.on_front)
                  .Set("confirmed", row.on_rtl)
                  .Set("latency_ms", row.latency_ms)
                  .Set("fps", row.fps)
                  .Set("energy_mj", row.energy_mj)
                  .Set("area", row.area)
                  .Set("scratchpad_bytes", ScratchpadBytes(row.facts->config))
                  .Set("networks", *result.Find("networks"));
  if (row.error) json.Set("error_percent", *row.error);
  if (row.facts->area) json.Set("predicted", ResourcesJson(*row.facts->area));
  if (const auto found = exploration.reports.find(row.facts->point);
      found != exploration.reports.end()) {
    Json::Array reports;
    for (size_t i = 0; i < exploration.workload->networks().size(); ++i)
      reports.emplace_back(found->second.contains(i) ? found->second.at(i) : "");
    json.Set("reports", std::move(reports));
  }
  if (const Json* on_part = result.Find("on_part")) json.Set("on_part", *on_part);
  return json;
}

}  // namespace

PointRow RowOf(const Exploration& exploration, const PointFacts& facts, const PointResult& result) {
  PointRow row{&facts, &result};
  const Workload::Means means = exploration.workload->MeansOf(facts.config, result.networks);
  row.latency_ms = means.ms, row.energy_mj = means.inference_mj;
  row.fps = means.inference_ms > 0 ? 1000 / means.inference_ms : 0;
  row.area = static_cast<double>(facts.config.macs_per_cycle());
  if (facts.area) {
    const Resources &takes = result.on_part ? result.on_part->takes : facts.area->resources,
                    &offers = FindPart(exploration.space->constraints().part).offers;
    row.area = 0;
    for (const ResourceKind& kind : kResourceKinds)
      row.area = std::max(row.area, takes.*kind.of / offers.*kind.of);
  }
  if (exploration.accuracy) row.error = exploration.accuracy->LeastErrorOf(facts.config);
  return row;
}

std::string Missed(const PointRow& row, const Constraints& constraints) {
  if (const double least = constraints.min_fps.value_or(0); row.fps < least)
    return fmt::format("{:.4g} fps, of {:.4g}", row.fps, least);
  if (const auto& most = constraints.max_energy_mj; most && row.energy_mj > *most)
    return fmt::format("{:.4g} mJ, of {:.4g}", row.energy_mj, *most);
  const auto& on_part = row.result->on_part;
  if (!on_part) return "";
  const Resources &takes = on_part->takes, &offers = FindPart(constraints.part).offers;
  for (const ResourceKind& kind : kResourceKinds)
    if (const double most = constraints.shares.*kind.of * offers.*kind.of; takes.*kind.of > most)
      return fmt::format("{:.0f} {} counted, of {:.0f}", takes.*kind.of, kind.name, most);
  const auto clock = static_cast<double>(row.facts->config.uarch.clock_mhz);
  if (clock > on_part->with_error_mhz)
    return fmt::format("reaches {:.0f} MHz, {:.0f} with the error against it, of {:.0f}",
                       on_part->mhz, on_part->with_error_mhz, clock);
  return "";
}

FrontChanges ChangesOf(const Exploration& exploration, const std::vector<PointRow>& before,
                       const std::vector<PointRow>& after) {
  const auto front = [](const std::vector<PointRow>& rows) {
    std::map<std::string, const PointRow*> front;
    for (const PointRow& row : rows)
      if (row.on_front) front[row.facts->config.name] = &row;
    return front;
  };
  const auto was = front(before), is = front(after);
  FrontChanges changes;
  for (const auto& [name, row] : was) {
    if (is.contains(name)) continue;
    const auto again = exploration.confirmed.results.find(row->facts->point);
    std::string why;
    if (again != exploration.confirmed.results.end())
      why =
          Missed(RowOf(exploration, *row->facts, again->second), exploration.space->constraints());
    changes.left.emplace_back(name, why.empty() ? "beaten" : why);
  }
  for (const auto& [name, row] : is)
    if (!was.contains(name)) changes.came.push_back(name);
  return changes;
}

double ValueOf(const PointRow& row, Objective objective) {
  switch (objective) {
    case Objective::kLatency:
      return row.latency_ms;
    case Objective::kArea:
      return row.area;
    case Objective::kEnergy:
      return row.energy_mj;
    case Objective::kError:
      return row.error.value();
  }
  VTA_CHECK(false, "an objective");
}

std::vector<PointRow> RowsOf(const Exploration& exploration) {
  std::vector<PointRow> rows;
  for (const PointFacts& facts : exploration.candidates.points) {
    const auto found = exploration.results.find(facts.point);
    if (found == exploration.results.end() || found->second.end != PointResult::End::kCosted)
      continue;
    const Confirmed& confirmed = exploration.confirmed;
    const auto again = confirmed.results.find(facts.point);
    PointRow row =
        RowOf(exploration, facts, again == confirmed.results.end() ? found->second : again->second);
    row.on_rtl = std::ranges::binary_search(confirmed.on_rtl, facts.point);
    if (Missed(row, exploration.space->constraints()).empty()) rows.push_back(row);
  }
  std::vector<std::vector<double>> values;
  for (const PointRow& row : rows) {
    std::vector<double>& own = values.emplace_back();
    for (const Objective objective : exploration.objectives) own.push_back(ValueOf(row, objective));
  }
  for (const size_t row : ParetoFront(values)) rows[row].on_front = true;
  std::ranges::stable_sort(
      rows, {}, [&](const PointRow& row) { return ValueOf(row, exploration.objectives.front()); });
  return rows;
}

std::string TextOf(const Exploration& exploration, const std::vector<PointRow>& rows) {
  const Space& space = *exploration.space;
  TableRows cells = {
      {"config", "ms", "fps", "RTL", "mJ (a model)", "error", "area", "LUT", "FF", "DSP", "BRAM"}};
  std::vector<bool> right(cells[0].size(), true);
  right[0] = false;
  for (const SpaceParameter& parameter : space.parameters()) {
    cells[0].push_back(parameter.name.substr(parameter.name.find('.') + 1));
    right.push_back(true);
  }
  int64_t on_front = 0;
  for (const PointRow& row : rows) {
    if (!row.on_front) continue;
    ++on_front;
    std::vector<std::string>& line = cells.emplace_back();
    line = {row.facts->config.name,
            fmt::format("{:.3f}", row.latency_ms),
            fmt::format("{:.1f}", row.fps),
            row.on_rtl ? "equal" : "",
            fmt::format("{:.3f}", row.energy_mj),
            row.error ? fmt::format("{:.2f} %", *row.error) : ""};
    if (const auto& area = row.facts->area) {
      const Resources& takes = row.result->on_part ? row.result->on_part->takes : area->resources;
      line.insert(line.end(),
                  {fmt::format("{:.0f} %", 100 * row.area), WithCommas(std::llround(takes.lut)),
                   WithCommas(std::llround(takes.ff)), fmt::format("{:.0f}", takes.dsp),
                   fmt::format("{:.1f}", takes.bram)});
    } else {
      line.insert(line.end(),
                  {StrCat(row.facts->config.macs_per_cycle(), " MACs"), "", "", "", ""});
    }
    const SpacePoint point = space.PointAt(row.facts->point);
    for (size_t i = 0; i < point.size(); ++i)
      line.push_back(space.parameters()[i].values[static_cast<size_t>(point[i])].Dump(-1));
  }
  using End = PointResult::End;
  std::string text = FormatTable(cells, right) + EffectsText(exploration, rows);
  text += fmt::format(
      "\n{}, {} on the front; {} pruned, {} refused, {} failed; {} in {:.1f} s: {:.1f} a second\n",
      CountedWithCommas(CountOf(exploration, End::kCosted), "point"), on_front,
      WithCommas(CountOf(exploration, End::kPruned)),
      WithCommas(CountOf(exploration, End::kRefused)),
      WithCommas(CountOf(exploration, End::kFailed)), WithCommas(exploration.costed),
      exploration.seconds,
      exploration.seconds > 0 ? static_cast<double>(exploration.costed) / exploration.seconds : 0);
  if (const Confirmed& confirmed = exploration.confirmed; !confirmed.results.empty())
    text += fmt::format("{} of the front with searched schedules, {} on the RTL, in {:.1f} s\n",
                        CountedWithCommas(std::ssize(confirmed.results), "point"),
                        std::ssize(confirmed.on_rtl), confirmed.seconds);
  for (const auto& [name, why] : exploration.changes.left)
    text += fmt::format("{} left the front: {}\n", name, why);
  for (const std::string& name : exploration.changes.came) text += name + " came to the front\n";
  return text;
}

Json JsonOf(const Exploration& exploration, const std::vector<PointRow>& rows) {
  const Space& space = *exploration.space;
  Json::Array parameters, networks, objectives, survivors, points, left_out, effects;
  for (const SpaceParameter& one : space.parameters())
    parameters.push_back(Json().Set("name", one.name).Set("values", Json::Array(one.values)));
  for (const WorkloadNetwork& one : exploration.workload->networks())
    networks.push_back(Json().Set("name", Visible(one.name)).Set("weight", one.weight));
  for (const Survivors& one : exploration.candidates.survivors)
    survivors.push_back(Json().Set("what", Visible(one.what)).Set("left", one.left));
  for (const PointRow& row : rows) points.push_back(PointJson(exploration, row));
  for (const auto& [point, result] : exploration.results)
    if (result.end != PointResult::End::kCosted) left_out.push_back(ToJson(result));
  for (const Objective objective : exploration.objectives) {
    objectives.emplace_back(std::string(Name(objective)));
    for (const Effect& effect : EffectsOf(exploration, rows, objective)) {
      Json::Array names, means;
      for (const size_t parameter : effect.parameters)
        names.emplace_back(space.parameters()[parameter].name);
      for (const double mean : effect.means) {
        means.emplace_back(nullptr);
        if (!std::isnan(mean)) means.back() = mean;
      }
      effects.push_back(Json()
                            .Set("objective", std::string(Name(objective)))
                            .Set("parameters", std::move(names))
                            .Set("share", effect.share)
                            .Set("means", std::move(means)));
    }
  }
  Json::Array left;
  for (const auto& [name, why] : exploration.changes.left)
    left.push_back(Json().Set("config", name).Set("why", why));
  return HeadOf(kExploreDocument)
      .Set("space", Json()
                        .Set("name", space.name())
                        .Set("hash", Hex(space.hash(), 16))
                        .Set("size", space.size())
                        .Set("part", space.constraints().part)
                        .Set("parameters", std::move(parameters)))
      .Set("networks", std::move(networks))
      .Set("assume", exploration.read_with.assume)
      .Set("dims", TextsOf(exploration.read_with.dims))
      .Set("effort", exploration.read_with.effort)
      .Set("objectives", std::move(objectives))
      .Set("survivors", std::move(survivors))
      .Set("sampled", exploration.candidates.sampled)
      .Set("search", exploration.search)
      .Set("seconds", exploration.seconds)
      .Set("costed", exploration.costed)
      .Set("confirmed_seconds", exploration.confirmed.seconds)
      .Set("changes",
           Json().Set("left", std::move(left)).Set("came", TextsOf(exploration.changes.came)))
      .Set("points", std::move(points))
      .Set("left_out", std::move(left_out))
      .Set("effects", std::move(effects));
}

}  // namespace vta::tools
