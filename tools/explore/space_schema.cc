#include "tools/explore/space_schema.h"

#include <string>
#include <utility>

#include "isa/config.h"
#include "isa/spec/parameters.h"
#include "isa/support/error.h"
#include "tools/area/area.h"

namespace vta::tools {
namespace {

constexpr char kExpression[] = "#/$defs/expression";

Json OfType(const char* type) { return Json().Set("type", type); }

Json OneOf(Json::Array values) { return Json().Set("enum", std::move(values)); }

Json ObjectOf(Json properties, const Json::Array& required = {}) {
  Json json = OfType("object").Set("properties", std::move(properties));
  if (!required.empty()) json.Set("required", required);
  return json.Set("additionalProperties", false);
}

Json ListOf(Json items) {
  return OfType("array").Set("items", std::move(items)).Set("minItems", 1).Set("uniqueItems", true);
}

template <typename Section>
Json ValueOf(const isa::Parameter<Section>& row) {
  Json::Array values;
  switch (row.kind) {
    case isa::kFlag:
      return OfType("boolean");
    case isa::kChoice:
      for (int64_t i = row.low; i <= row.high; ++i)
        values.emplace_back(std::string(row.choices[static_cast<size_t>(i)]));
      return OneOf(std::move(values));
    case isa::kPowerOfTwo:
      for (int64_t power = row.low; power <= row.high; power *= 2) values.emplace_back(power);
      return OneOf(std::move(values));
    case isa::kInteger:
      break;
  }
  return OfType("integer").Set("minimum", row.low).Set("maximum", row.high);
}

// A value, or the form that stands for several.
Json Several(const Json& value, bool is_power, bool is_number, const std::string& description) {
  Json::Array any = {value, ObjectOf(Json().Set("list", ListOf(value)), {"list"})};
  if (is_power)
    any.push_back(ObjectOf(Json().Set("pow2", Json().Set("$ref", "#/$defs/ends")), {"pow2"}));
  if (is_number)
    any.push_back(ObjectOf(Json().Set("expr", Json().Set("$ref", kExpression)), {"expr"}));
  return Json().Set("description", description).Set("anyOf", std::move(any));
}

template <typename Section, size_t kRows>
Json PropertiesOf(const isa::Parameter<Section> (&rows)[kRows]) {
  Json properties;
  for (const isa::Parameter<Section>& row : rows) {
    const std::string unit = row.unit.empty() ? "" : StrCat(" (", row.unit, ")");
    properties.Set(std::string(row.key),
                   Several(ValueOf(row), row.kind == isa::kPowerOfTwo || row.kind == isa::kInteger,
                           row.kind != isa::kChoice, StrCat(row.meaning, unit)));
  }
  return properties;
}

Json ConstraintsSchema() {
  const auto positive = [] { return OfType("number").Set("exclusiveMinimum", 0); };
  Json::Array parts;
  for (const std::string& name : PartNames()) parts.emplace_back(name);
  Json properties = Json().Set("part", OneOf(std::move(parts)));
  for (const ResourceKind& kind : kResourceKinds)
    properties.Set(std::string(kind.key),
                   positive()
                       .Set("maximum", 1)
                       .Set("description", StrCat("share of the part's ", kind.name, ", at most")));
  properties
      .Set("clock", positive()
                        .Set("maximum", 100)
                        .Set("description",
                             "of the clock that is predicted of the part, with its error, at most"))
      .Set("scratchpad_bytes", OfType("integer").Set("minimum", 1))
      .Set("where", OfType("array").Set("items", Json().Set("$ref", kExpression)))
      .Set("min_fps", positive())
      .Set("max_energy_mj", positive());
  return ObjectOf(std::move(properties));
}

}  // namespace

Json SpaceSchema() {
  Json::Array presets, versions;
  for (const isa::MemoryPreset& preset : isa::kMemoryPresets)
    presets.emplace_back(std::string(preset.name));
  for (const isa::Version version : {isa::Version::k002, isa::Version::k100})
    versions.emplace_back(std::string(isa::VersionName(version)));
  Json memory = PropertiesOf(isa::kMemoryParameters);
  memory.Set("preset", Several(OneOf(std::move(presets)), false, false,
                               "a memory's figures at the clock; other keys change it"));
  return Json()
      .Set("$schema", "https://json-schema.org/draft/2020-12/schema")
      .Set("$id", "vta-space.json")
      .Set("title", "An accelerator variant, or a space of them: -c, vta explore --space")
      .Set("$defs", Json()
                        .Set("expression",
                             OfType("string").Set(
                                 "description",
                                 "of parameters, as arch.block_in: + - * /, min, max, comparisons"))
                        .Set("ends", OfType("array")
                                         .Set("items", OfType("integer").Set("minimum", 1))
                                         .Set("minItems", 2)
                                         .Set("maxItems", 2)
                                         .Set("description",
                                              "the powers of two from the first to the second")))
      .Set("type", "object")
      .Set("required", Json::Array{"name", "isa"})
      .Set("properties", Json()
                             .Set("name", OfType("string"))
                             .Set("about", OfType("string"))
                             .Set("isa", OneOf(std::move(versions)))
                             .Set("arch", ObjectOf(PropertiesOf(isa::kArchParameters)))
                             .Set("uarch", ObjectOf(PropertiesOf(isa::kUarchParameters)))
                             .Set("memory", ObjectOf(std::move(memory)))
                             .Set("constraints", ConstraintsSchema()))
      .Set("additionalProperties", false);
}

}  // namespace vta::tools
