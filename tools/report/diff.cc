#include "tools/report/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <limits>
#include <tuple>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

// Sums of a million layers are numbers.
constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / (1 << 20);

// {"compute": {"busy": 5}} as "compute busy" 5.
std::map<std::string, int64_t> PartsOf(JsonReader units) {
  std::map<std::string, int64_t> parts;
  for (const char* unit : {"fetch", "load", "compute", "store"}) {
    if (!units.Has(unit)) continue;  // fetch, of layers that share a launch
    const Json& causes = units.Any(unit);
    JsonReader reader = units.Object(unit);
    for (const auto& [cause, cycles] : *causes.as_object())
      parts[StrCat(unit, " ", cause)] = reader.Int(cause, 0, kMost);
  }
  return parts;
}

TimedLayer LayerOf(JsonReader& reader) {
  const auto text = [&](const char* key) { return reader.Has(key) ? reader.String(key) : ""; };
  TimedLayer layer{reader.String("name"), text("op"), text("shape"),
                   reader.Int("cycles", 0, kMost)};
  layer.has_path = reader.Has("path");
  layer.parts = PartsOf(reader.Object(layer.has_path ? "path" : "modules"));
  return layer;
}

// The part that changed most; the first of several by name.
void FindMoved(const TimedLayer& before, const TimedLayer& after, LayerChange& change) {
  if (before.has_path != after.has_path) return;
  std::map<std::string, int64_t> parts = after.parts;
  for (const auto& [part, cycles] : before.parts) parts[part] -= cycles;
  for (const auto& [part, cycles] : parts)
    if (std::abs(cycles) > std::abs(change.moved_cycles))
      change.moved = part, change.moved_cycles = cycles;
}

LayerChange SumOf(const std::vector<LayerChange>& changes) {
  LayerChange sum{"total", "total", 0, 0};
  for (const LayerChange& change : changes) {
    *sum.before += change.before.value_or(0);
    *sum.after += change.after.value_or(0);
  }
  return sum;
}

std::optional<double> PercentOf(const LayerChange& change) {
  if (!change.before || !change.after || *change.before == 0) return std::nullopt;
  return 100.0 * static_cast<double>(change.difference()) / static_cast<double>(*change.before);
}

// More than this is easier to read as a factor.
constexpr double kMostPercent = 1000;

std::string ChangeText(const LayerChange& change) {
  if (!change.before) return "new";
  if (!change.after) return "gone";
  const std::optional<double> percent = PercentOf(change);
  if (!percent) return "";
  return *percent > kMostPercent ? fmt::format("x {:.1f}", 1 + *percent / 100)
                                 : fmt::format("{:+.1f} %", *percent);
}

std::string Signed(int64_t value) { return (value > 0 ? "+" : "") + WithCommas(value); }

using Fact = std::pair<const char*, std::string TimedReport::*>;
constexpr Fact kFacts[] = {{"model", &TimedReport::model},
                           {"config", &TimedReport::config},
                           {"engine", &TimedReport::engine},
                           {"timing_hash", &TimedReport::timing_hash}};

std::string TitleOf(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::vector<std::string> RowOf(const LayerChange& change, bool by_place) {
  const auto cycles = [](const std::optional<int64_t>& value) {
    return value ? WithCommas(*value) : "";
  };
  std::vector<std::string> row = {
      change.name,
      cycles(change.before),
      cycles(change.after),
      Signed(change.difference()),
      ChangeText(change),
      change.moved.empty() ? "" : StrCat(change.moved, " ", Signed(change.moved_cycles))};
  if (!by_place) return row;
  if (!change.after) row[0] = "";
  row.insert(row.begin(), change.before ? change.was : "");
  return row;
}

Json ChangeJson(const LayerChange& change) {
  Json json;
  json.Set("name", change.name);
  if (change.was != change.name) json.Set("was", change.was);
  if (change.before) json.Set("before", *change.before);
  if (change.after) json.Set("after", *change.after);
  json.Set("difference", change.difference());
  if (const auto percent = PercentOf(change)) json.Set("percent", *percent);
  if (!change.moved.empty())
    json.Set("moved", Json().Set("cause", change.moved).Set("difference", change.moved_cycles));
  return json;
}

Json SideJson(const TimedReport& report) {
  Json json;
  json.Set("file", report.file);
  for (const auto& [name, member] : kFacts) json.Set(name, report.*member);
  return json;
}

// What has to be equal for two layers to meet.
using LayerKey = std::tuple<std::string, std::string, std::string>;

LayerKey ByName(const TimedLayer& layer) { return {layer.name, "", ""}; }
LayerKey ByPlace(const TimedLayer& layer) { return {"", layer.op, ""}; }
LayerKey ByAll(const TimedLayer& layer) { return {layer.name, layer.op, layer.shape}; }

// The layers of both reports, or of one: the n-th of a key meets the n-th. In the order of `after`,
// behind them those that only `before` has.
using Pair = std::pair<const TimedLayer*, const TimedLayer*>;
std::vector<Pair> Pairs(const TimedReport& before, const TimedReport& after,
                        LayerKey (*key)(const TimedLayer&)) {
  std::map<LayerKey, std::deque<const TimedLayer*>> rest;  // of `before`
  for (const TimedLayer& layer : before.layers) rest[key(layer)].push_back(&layer);
  std::vector<Pair> pairs;
  for (const TimedLayer& layer : after.layers) {
    std::deque<const TimedLayer*>& same = rest[key(layer)];
    pairs.emplace_back(same.empty() ? nullptr : same.front(), &layer);
    if (!same.empty()) same.pop_front();
  }
  for (const TimedLayer& layer : before.layers)
    if (std::ranges::count(rest[key(layer)], &layer) > 0) pairs.emplace_back(&layer, nullptr);
  return pairs;
}

bool AreOtherNames(const TimedReport& before, const TimedReport& after) {
  const auto met = std::ranges::count_if(
      Pairs(before, after, ByAll), [](const Pair& pair) { return pair.first && pair.second; });
  return 2 * met < std::min(std::ssize(before.layers), std::ssize(after.layers));
}

}  // namespace

TimedReport ParseReport(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  ReadHead(reader, kReportDocument);
  TimedReport report{file, reader.String("model"), reader.String("config"),
                     reader.String("engine")};
  if (!reader.Has("timing_hash"))
    throw Error(file, "engine", report.engine, "counts no cycles: there is nothing to compare");
  report.timing_hash = reader.String("timing_hash");
  const Json::Array& layers = reader.Array("layers");
  for (size_t i = 0; i < layers.size(); ++i) {
    JsonReader layer(layers[i], file, StrCat("layers[", i, "]"));
    if (layer.Has("cycles")) report.layers.push_back(LayerOf(layer));
  }
  return report;
}

Changes ChangesOf(const TimedReport& before, const TimedReport& after) {
  Changes changes{AreOtherNames(before, after)};
  for (const auto& [old, layer] : Pairs(before, after, changes.by_place ? ByPlace : ByName)) {
    LayerChange& change = changes.layers.emplace_back(
        LayerChange{(layer ? layer : old)->name, (old ? old : layer)->name});
    if (old) change.before = old->cycles;
    if (layer) change.after = layer->cycles;
    if (old && layer) FindMoved(*old, *layer, change);
  }
  return changes;
}

std::string DiffText(const TimedReport& before, const TimedReport& after) {
  std::string text;
  for (const auto& [name, member] : kFacts)
    if (before.*member != after.*member)
      text += StrCat("differ: ", TitleOf(name), " ", Visible(before.*member), " and ",
                     Visible(after.*member), "\n");
  for (const auto& [name, member] : kFacts)
    if (before.*member == after.*member)
      text += StrCat("both: ", TitleOf(name), " ", Visible(before.*member), "\n");
  const auto& [by_place, layers] = ChangesOf(before, after);
  std::vector<std::vector<std::string>> rows = {
      {"layer", "before", "after", "difference", "change", "moved most"}};
  std::vector<bool> right = {false, true, true, true, true, false};
  if (by_place) {
    text +=
        "layers: by place, the n-th of an op beside the n-th: by name, op and shape not half of "
        "them are the same\n";
    rows[0][0] = "layer after";
    rows[0].insert(rows[0].begin(), "layer before");
    right.insert(right.begin(), false);
  }
  for (const LayerChange& change : layers) rows.push_back(RowOf(change, by_place));
  rows.push_back(RowOf(SumOf(layers), by_place));
  return text + "\n" + FormatTable(rows, right);
}

std::string DiffJson(const TimedReport& before, const TimedReport& after) {
  const Changes changes = ChangesOf(before, after);
  Json::Array differ, layers;
  for (const auto& [name, member] : kFacts)
    if (before.*member != after.*member) differ.emplace_back(name);
  for (const LayerChange& change : changes.layers) layers.push_back(ChangeJson(change));
  return HeadOf(kReportDiffDocument)
             .Set("before", SideJson(before))
             .Set("after", SideJson(after))
             .Set("differ", std::move(differ))
             .Set("layers_by", changes.by_place ? "place" : "name")
             .Set("layers", std::move(layers))
             .Set("total", ChangeJson(SumOf(changes.layers)))
             .Dump() +
         "\n";
}

}  // namespace vta::tools
