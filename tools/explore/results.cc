#include "tools/explore/results.h"

#include <algorithm>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::tools {
namespace {

using compiler::tune::Sealed, compiler::tune::Unsealed, compiler::tune::LinesOf;

constexpr std::string_view kEnds[] = {"costed", "refused", "pruned", "failed"};
constexpr char kSum[] = "sum";  // of a sealed line
constexpr char kOnPart[] = "on_part";

Json HeadJson(const ResultsHead& head) {
  return Json()
      .Set("explores", Hex(head.space, 16))
      .Set("workload", Hex(head.workload, 16))
      .Set("tool", head.tool);
}

/// Errors: throws Error naming what is another.
void RequireHead(const Json& json, const std::string& where, const ResultsHead& head) {
  const Json wanted = HeadJson(head);
  for (const auto& [key, value] : *wanted.as_object()) {
    const Json* const found = json.Find(key);
    if (!found) throw Error(where, key, "", "is missing: it is no line of vta explore");
    if (found->Dump(-1) != value.Dump(-1))
      throw Error(where, key, found->Dump(-1),
                  StrCat("must be ", value.Dump(-1), ": the results are of another ",
                         key == "explores" ? "space" : key, "; name another folder"));
  }
}

NetworkCost ReadNetwork(const Json& json, const std::string& where) {
  JsonReader reader(json, where, "networks");
  NetworkCost cost;
  cost.cycles = reader.Int("cycles", 0, INT64_MAX);
  cost.ideal_cycles = reader.Int("ideal_cycles", 0, INT64_MAX);
  cost.dram_bytes = reader.Int("dram_bytes", 0, INT64_MAX);
  cost.energy_mj = reader.Double("energy_mj");
  cost.macs_share = reader.Double("macs_share");
  reader.Finish();
  return cost;
}

}  // namespace

std::string_view Name(PointResult::End end) { return kEnds[static_cast<size_t>(end)]; }

Json ToJson(const PointResult& result) {
  Json json = Json().Set("point", result.point).Set("end", std::string(Name(result.end)));
  if (!result.why.empty()) json.Set("why", Visible(result.why));
  if (const auto& on_part = result.on_part)
    json.Set(kOnPart, ToJson(on_part->takes)
                          .Set("mhz", on_part->mhz)
                          .Set("with_error_mhz", on_part->with_error_mhz));
  if (result.networks.empty()) return json;
  Json::Array networks;
  for (const NetworkCost& one : result.networks)
    networks.push_back(Json()
                           .Set("cycles", one.cycles)
                           .Set("ideal_cycles", one.ideal_cycles)
                           .Set("dram_bytes", one.dram_bytes)
                           .Set("energy_mj", one.energy_mj)
                           .Set("macs_share", one.macs_share));
  return json.Set("networks", std::move(networks));
}

PointResult ReadPointResult(const Json& json, const std::string& where) {
  JsonReader reader(json, where);
  PointResult result;
  result.point = reader.Int("point", 0, INT64_MAX);
  const std::string end = reader.String("end");
  const auto* const found = std::ranges::find(kEnds, end);
  if (found == std::end(kEnds)) throw reader.Fail("end", "must be a point's");
  result.end = static_cast<PointResult::End>(found - kEnds);
  if (reader.Has("why")) result.why = reader.String("why");
  if (reader.Has("networks"))
    for (const Json& one : reader.Array("networks"))
      result.networks.push_back(ReadNetwork(one, where));
  if (reader.Has(kOnPart)) {
    JsonReader on_part = reader.Object(kOnPart);
    const Resources takes = ReadResources(on_part);
    result.on_part = {takes, on_part.Double("mhz"), on_part.Double("with_error_mhz")};
    on_part.Finish();
  }
  if (reader.Has(kSum)) reader.String(kSum);
  reader.Finish();
  return result;
}

std::vector<PointResult> ReadResults(const std::string& path, const ResultsHead& head) {
  if (!std::filesystem::exists(path)) return {};
  const std::string text = ReadTextFile(path);
  const auto lines = LinesOf(text, path);
  if (!text.empty() && Sealed(HeadJson(head)).starts_with(text)) {
    std::filesystem::resize_file(path, 0);
    return {};
  }
  std::vector<PointResult> results;
  for (size_t i = 0; i < lines.size(); ++i) {
    try {
      const Json json = Unsealed(lines[i].text, lines[i].where);
      if (i == 0)
        RequireHead(json, lines[i].where, head);
      else
        results.push_back(ReadPointResult(json, lines[i].where));
    } catch (const Error&) {
      if (i == 0) throw;
    }
  }
  return results;
}

ResultsWriter::ResultsWriter(const std::string& path, const ResultsHead& head) : lines_(path) {
  if (std::filesystem::file_size(path) == 0) lines_.Append(Sealed(HeadJson(head)));
}

void ResultsWriter::Append(const PointResult& result) { lines_.Append(Sealed(ToJson(result))); }

}  // namespace vta::tools
