#include <filesystem>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/farm/kinds.h"

namespace vta::tools {
namespace {

constexpr char kPoint[] = "point";

bool IsKnown(const std::string& model) {
  const auto known = compiler::KnownModels();
  return std::ranges::find(known, model, &compiler::ModelInfo::name) != known.end();
}

/// The file that is sent for one here.
std::string SentAs(const std::string& what, size_t number, const std::string& file) {
  return StrCat(what, number, std::filesystem::path(file).extension().string());
}

/// The table of energies is sent with its file's name; the DRAM stays behind that.
std::string EnergyThere(const std::string& energy, const std::string& name) {
  const size_t comma = energy.find(',');
  return comma == std::string::npos ? name : name + energy.substr(comma);
}

}  // namespace

farm::Study ExploreStudy(const ExploreFacts& facts, const std::string& build, double limit_s) {
  farm::Study study{kExploreKind, build, limit_s, {}, {}};
  Json::Array models;
  for (size_t i = 0; i < facts.models.size(); ++i) {
    const std::string& model = facts.models[i];
    Json one = Json().Set("name", model);
    const auto own = facts.files.find(model);
    if (own != facts.files.end() || !IsKnown(model)) {
      const std::string file = own == facts.files.end() ? model : own->second;
      const std::string name = SentAs("model", i, file);
      study.files[name] = ReadFile(file);
      one.Set("file", name);
    }
    models.push_back(std::move(one));
  }
  study.facts.Set("models", std::move(models))
      .Set("dims", Json::Array(facts.dims.begin(), facts.dims.end()))
      .Set("assume", facts.assume);
  const std::string table = EnergyFile(facts.energy);
  if (table.empty()) return study.facts.Set("energy", facts.energy), study;
  const std::string name = std::filesystem::path(table).filename();
  study.files[name] = ReadFile(table);
  study.facts.Set("energy", EnergyThere(facts.energy, name)).Set("energy_file", name);
  return study;
}

std::string PointText(const isa::Config& config, int64_t effort) {
  return Json().Set("config", isa::ConfigToJson(config)).Set("effort", effort).Dump(-1);
}

void ServePoints(const Json& facts, const std::string& folder, const DoesJobs& serve) {
  JsonReader json(facts, kExploreKind);
  ExploreFacts here;
  for (const Json& one : json.Array("models")) {
    JsonReader model(one, kExploreKind, "models");
    here.models.push_back(model.String("name"));
    if (model.Has("file"))
      here.files[here.models.back()] = StrCat(folder, "/", model.String("file"));
    model.Finish();
  }
  for (const Json& dim : json.Array("dims"))
    if (dim.as_string()) here.dims.push_back(*dim.as_string());
  here.assume = json.String("assume");
  here.energy = json.String("energy");
  if (json.Has("energy_file")) {
    json.String("energy_file");
    here.energy = StrCat(folder, "/", here.energy);
  }
  json.Finish();
  const Workload workload(here.models, here.files, {}, {.dimensions = Dimensions(here.dims)},
                          here.assume, here.energy);
  serve([&](const std::string& text) {
    const Json parsed = Json::Parse(text, kPoint);
    JsonReader job(parsed, kPoint);
    const isa::Config config = isa::ParseConfig(job.String("config"), kPoint);
    const int64_t effort = job.Int("effort", 0, INT64_MAX);
    job.Finish();
    return ToJson(workload.CostOn(0, config, {.effort = effort})).Dump(-1);
  });
}

}  // namespace vta::tools
