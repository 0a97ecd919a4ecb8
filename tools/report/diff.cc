#include "tools/report/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "isa/support/error.h"
#include "tools/report/table.h"

namespace vta::tools {
namespace {

// Sums of a million layers are numbers.
constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / (1 << 20);

// {"compute": {"busy": 5}} as "compute busy" 5.
std::map<std::string, int64_t> PartsOf(JsonReader units) {
  std::map<std::string, int64_t> parts;
  for (const char* unit : {"fetch", "load", "compute", "store"}) {
    const Json& causes = units.Any(unit);
    JsonReader reader = units.Object(unit);
    for (const auto& [cause, cycles] : *causes.as_object())
      parts[StrCat(unit, " ", cause)] = reader.Int(cause, 0, kMost);
  }
  return parts;
}

TimedLayer LayerOf(JsonReader& reader) {
  TimedLayer layer{reader.String("name"), reader.Int("cycles", 0, kMost)};
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
  LayerChange sum{"total", 0, 0};
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

std::vector<std::string> RowOf(const LayerChange& change) {
  const auto cycles = [](const std::optional<int64_t>& value) {
    return value ? WithCommas(*value) : "";
  };
  const std::optional<double> percent = PercentOf(change);
  return {change.name,
          cycles(change.before),
          cycles(change.after),
          Signed(change.difference()),
          percent ? fmt::format("{:+.1f}", *percent) : "",
          change.moved.empty() ? "" : StrCat(change.moved, " ", Signed(change.moved_cycles))};
}

Json ChangeJson(const LayerChange& change) {
  Json json;
  json.Set("name", change.name);
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

}  // namespace

TimedReport ParseReport(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
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

std::vector<LayerChange> ChangesOf(const TimedReport& before, const TimedReport& after) {
  std::map<std::string, std::vector<const TimedLayer*>>
      rest;  // of `before`, the last of a name first
  for (auto layer = before.layers.rbegin(); layer != before.layers.rend(); ++layer)
    rest[layer->name].push_back(&*layer);
  std::vector<LayerChange> changes;
  for (const TimedLayer& layer : after.layers) {
    LayerChange& change = changes.emplace_back(LayerChange{layer.name, {}, layer.cycles});
    std::vector<const TimedLayer*>& same = rest[layer.name];
    if (same.empty()) continue;
    change.before = same.back()->cycles;
    FindMoved(*same.back(), layer, change);
    same.pop_back();
  }
  for (const TimedLayer& layer : before.layers) {
    std::vector<const TimedLayer*>& same = rest[layer.name];
    if (same.empty() || same.back() != &layer) continue;
    changes.push_back({layer.name, layer.cycles, {}});
    same.pop_back();
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
  const std::vector<LayerChange> changes = ChangesOf(before, after);
  std::vector<std::vector<std::string>> rows = {
      {"layer", "before", "after", "difference", "%", "moved most"}};
  for (const LayerChange& change : changes) rows.push_back(RowOf(change));
  rows.push_back(RowOf(SumOf(changes)));
  return text + "\n" + FormatTable(rows, {false, true, true, true, true, false});
}

std::string DiffJson(const TimedReport& before, const TimedReport& after) {
  const std::vector<LayerChange> changes = ChangesOf(before, after);
  Json::Array differ, layers;
  for (const auto& [name, member] : kFacts)
    if (before.*member != after.*member) differ.emplace_back(name);
  for (const LayerChange& change : changes) layers.push_back(ChangeJson(change));
  return Json()
             .Set("before", SideJson(before))
             .Set("after", SideJson(after))
             .Set("differ", std::move(differ))
             .Set("layers", std::move(layers))
             .Set("total", ChangeJson(SumOf(changes)))
             .Dump() +
         "\n";
}

}  // namespace vta::tools
