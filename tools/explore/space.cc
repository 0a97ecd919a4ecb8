#include "tools/explore/space.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::tools {
namespace {

constexpr int64_t kMostPoints = int64_t{1} << 62;
constexpr std::string_view kSections[] = {"arch", "uarch", "memory"};

/// The one member of {"list": ...} and its like; nothing of any other value.
const std::pair<std::string, Json>* FormOf(const Json& value) {
  const Json::Object* const object = value.as_object();
  return object && object->size() == 1 ? &object->front() : nullptr;
}

Json WithValue(const std::string& name, const Json& value) {
  const size_t dot = name.find('.');
  return Json().Set(name.substr(0, dot), Json().Set(name.substr(dot + 1), value));
}

/// Errors: throws Error where no config can have that value of it, whatever else it has.
void RequireValue(const std::string& name, const Json& value, const std::string& file) {
  Json config = WithValue(name, value);
  config.Set("name", "value").Set("isa", std::string(isa::VersionName(isa::Version::k100)));
  try {
    isa::ParseConfig(config.Dump(-1), file);
  } catch (const Error& error) {
    if (error.subject() == name && error.rule().starts_with("must be")) throw;
  }
}

std::vector<Json> PowersOfTwo(const Json& value, const Error& wrong) {
  const Json::Array* const ends = value.as_array();
  if (!ends || ends->size() != 2) throw wrong;
  const int64_t *const low = (*ends)[0].as_int(), *const high = (*ends)[1].as_int();
  const auto is_power = [](const int64_t* of) {
    return of && *of > 0 && std::has_single_bit(static_cast<uint64_t>(*of));
  };
  if (!is_power(low) || !is_power(high) || *low > *high) throw wrong;
  std::vector<Json> values;
  for (int64_t power = *low;; power *= 2) {
    values.emplace_back(power);
    if (power == *high) return values;
  }
}

SpaceParameter ParameterOf(const std::string& name, const std::string& form, const Json& value,
                           const std::string& file) {
  const std::string place = StrCat(name, ".", form);
  if (form == "expr") {
    const std::string* const text = value.as_string();
    if (!text) throw Error(file, place, value.Dump(-1), "must be text");
    return {name, {}, Expression::Parse(*text, file, place)};
  }
  if (form != "list" && form != "pow2")
    throw Error(file, name, form, R"(must be one of "list", "pow2", "expr")");
  SpaceParameter parameter{name, {}, {}};
  if (form == "pow2") {
    parameter.values =
        PowersOfTwo(value, Error(file, place, value.Dump(-1),
                                 "must be [LOW, HIGH], powers of two with LOW at most HIGH"));
  } else {
    const Json::Array* const list = value.as_array();
    if (!list || list->empty())
      throw Error(file, place, value.Dump(-1), "must be a list of one value at least");
    parameter.values = *list;
  }
  std::set<std::string> seen;
  for (const Json& one : parameter.values) {
    RequireValue(name, one, file);
    if (!seen.insert(one.Dump(-1)).second)
      throw Error(file, place, one.Dump(-1), "must stand there once");
  }
  return parameter;
}

double Share(JsonReader& json, std::string_view key, double otherwise) {
  if (!json.Has(key)) return otherwise;
  const double share = json.Double(key);
  if (!(share > 0 && share <= 1)) throw json.Fail(key, "must be a share: more than 0, at most 1");
  return share;
}

std::optional<double> Positive(JsonReader& json, std::string_view key) {
  if (!json.Has(key)) return {};
  const double value = json.Double(key);
  if (!(value > 0 && std::isfinite(value))) throw json.Fail(key, "must be more than 0");
  return value;
}

Constraints ParseConstraints(JsonReader json) {
  Constraints out;
  if (json.Has("part")) out.part = json.String("part");
  if (json.Has("part") && out.part.empty()) throw json.Fail("part", "must name a part");
  for (const ResourceKind& kind : kResourceKinds) {
    if (out.part.empty() && json.Has(kind.key)) throw json.Fail(kind.key, "needs a part");
    double& share = out.shares.*kind.of;
    share = Share(json, kind.key, share);
  }
  if (out.part.empty() && json.Has("clock")) throw json.Fail("clock", "needs a part");
  out.clock = Positive(json, "clock").value_or(out.clock);
  constexpr double kMostClock = 100;
  if (out.clock > kMostClock) throw json.Fail("clock", "must be at most 100");
  if (json.Has("scratchpad_bytes"))
    out.scratchpad_bytes = json.Int("scratchpad_bytes", 1, INT64_MAX);
  out.min_fps = Positive(json, "min_fps");
  out.max_energy_mj = Positive(json, "max_energy_mj");
  if (json.Has("where"))
    for (const Json& one : json.Array("where")) {
      const std::string place = json.Place(StrCat("where[", out.where.size(), "]"));
      const std::string* const text = one.as_string();
      if (!text) throw Error(json.file(), place, one.Dump(-1), "must be text");
      out.where.push_back(Expression::Parse(*text, json.file(), place));
    }
  json.Finish();
  return out;
}

template <typename Section, size_t kRows>
std::optional<double> ValueIn(const isa::Parameter<Section> (&rows)[kRows], const Section& section,
                              std::string_view key) {
  for (const isa::Parameter<Section>& row : rows)
    if (row.key == key) return static_cast<double>(section.*row.member);
  return {};
}

bool IsFlag(std::string_view name) {
  return std::ranges::any_of(isa::kArchParameters, [&](const auto& row) {
    return row.kind == isa::kFlag && name == StrCat("arch.", row.key);
  });
}

/// Errors: throws Error at a name that no config has.
void RequireNames(const Expression& expression, const std::string& file, const std::string& place) {
  for (const std::string& name : expression.names())
    if (!ValueOf(isa::Config(), name))
      throw Error(file, place, name, "must be a parameter, as arch.block_in");
}

}  // namespace

std::optional<double> ValueOf(const isa::Config& config, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view section = name.substr(0, dot), key = name.substr(dot + 1);
  if (section == "arch") return ValueIn(isa::kArchParameters, config.arch, key);
  if (section == "uarch") return ValueIn(isa::kUarchParameters, config.uarch, key);
  if (section == "memory") return ValueIn(isa::kMemoryParameters, config.memory, key);
  return {};
}

Space Space::Parse(std::string_view text, const std::string& file) {
  Space space;
  space.file_ = file;
  const Json json = Json::Parse(text, file);
  const Json::Object* const top = json.as_object();
  if (!top) throw Error(file, "", "", "must be an object: a config whose values may be lists");
  Hasher hasher;
  for (const auto& [key, value] : *top) {
    if (key != "name" && key != "about") hasher.Text(key).Text(value.Dump(-1));
    if (key == "constraints") {
      space.constraints_ = ParseConstraints(JsonReader(value, file, "constraints"));
      continue;
    }
    const Json::Object* const section = value.as_object();
    if (section && std::ranges::find(kSections, key) == std::end(kSections))
      throw Error(file, key, value.Dump(-1), "must be arch, uarch, memory or constraints");
    if (!section) {
      space.fixed_.Set(key, value);
      continue;
    }
    Json kept{Json::Object{}};
    for (const auto& [member, own] : *section) {
      const std::string name = StrCat(key, ".", member);
      const auto* const form = FormOf(own);
      if (!form && own.as_object())
        throw Error(file, name, own.Dump(-1), R"(must have one of "list", "pow2", "expr")");
      if (!form) {
        kept.Set(member, own);
        continue;
      }
      if (name != "memory.preset" && !ValueOf(isa::Config(), name))
        throw Error(file, name, "", "is no parameter of a config");
      SpaceParameter parameter = ParameterOf(name, form->first, form->second, file);
      (parameter.expression ? space.followers_ : space.parameters_).push_back(std::move(parameter));
    }
    space.fixed_.Set(key, std::move(kept));
  }
  const bool clock_follows =
      std::ranges::count(space.followers_, "uarch.clock_mhz", &SpaceParameter::name) > 0;
  for (const SpaceParameter& one : space.followers_) {
    RequireNames(*one.expression, file, StrCat(one.name, ".expr"));
    for (const std::string& name : one.expression->names())
      if (clock_follows && name.starts_with("memory."))
        throw Error(file, StrCat(one.name, ".expr"), name,
                    "must not be named where uarch.clock_mhz follows from an expression, too");
  }
  for (size_t i = 0; i < space.constraints_.where.size(); ++i)
    RequireNames(space.constraints_.where[i], file, StrCat("constraints.where[", i, "]"));
  for (const SpaceParameter& one : space.parameters_) {
    const int64_t values = std::ssize(one.values);
    if (space.size_ > kMostPoints / values)
      throw Error(file, one.name, "", "must leave at most 2^62 points");
    space.size_ *= values;
  }
  // What is fixed is wrong in every point, or in none: its own errors come first. Where parameters
  // do not go together a point is refused, not the space.
  for (const auto& [key, value] : *space.fixed_.as_object())
    if (const Json::Object* const section = value.as_object())
      for (const auto& [member, own] : *section) RequireValue(StrCat(key, ".", member), own, file);
  const std::string* const name =
      space.fixed_.Find("name") ? space.fixed_.Find("name")->as_string() : nullptr;
  if (!name) throw Error(file, "name", "", "is missing, or is no text");
  space.name_ = *name;
  space.hash_ = hasher.value();
  return space;
}

SpacePoint Space::PointAt(int64_t index) const {
  VTA_CHECK(index >= 0 && index < size_, index);
  SpacePoint point(parameters_.size());
  for (size_t i = parameters_.size(); i-- > 0;) {
    const int64_t values = std::ssize(parameters_[i].values);
    point[i] = static_cast<int32_t>(index % values);
    index /= values;
  }
  return point;
}

int64_t Space::IndexOf(const SpacePoint& point) const {
  int64_t index = 0;
  for (size_t i = 0; i < parameters_.size(); ++i)
    index = index * std::ssize(parameters_[i].values) + point[i];
  return index;
}

std::vector<double> Space::Follow(const isa::Config& known) const {
  // Names of other expressions are worked out first, each once.
  std::vector<std::optional<double>> values(followers_.size());
  std::vector<bool> begun(followers_.size());
  std::function<double(size_t)> value_of = [&](size_t i) {
    const SpaceParameter& one = followers_[i];
    if (values[i]) return *values[i];
    if (begun[i])
      throw Error(file_, StrCat(one.name, ".expr"), one.expression->text(),
                  "must not follow from itself");
    begun[i] = true;
    values[i] = one.expression->Evaluate([&](const std::string& name) {
      const auto other = std::ranges::find(followers_, name, &SpaceParameter::name);
      return other != followers_.end() ? value_of(static_cast<size_t>(other - followers_.begin()))
                                       : ValueOf(known, name).value();
    });
    return *values[i];
  };
  std::vector<double> out;
  for (size_t i = 0; i < followers_.size(); ++i) out.push_back(value_of(i));
  return out;
}

Json Space::Fill(const SpacePoint& point) const {
  Json json = fixed_;
  const auto set = [&json](const std::string& name, const Json& value) {
    const size_t dot = name.find('.');
    for (auto& [key, section] : *json.as_object())
      if (key == name.substr(0, dot)) section.Set(name.substr(dot + 1), value);
  };
  for (auto& [key, value] : *json.as_object())
    if (key == "name") value = StrCat(name_, "_", IndexOf(point));
  for (size_t i = 0; i < parameters_.size(); ++i)
    set(parameters_[i].name, parameters_[i].values[static_cast<size_t>(point[i])]);
  if (followers_.empty()) return json;
  const std::vector<double> values = Follow(isa::ReadConfig(json, file_));
  for (size_t i = 0; i < followers_.size(); ++i) {
    const SpaceParameter& one = followers_[i];
    const double value = values[i];
    if (value != std::floor(value) || std::abs(value) > 1e15)
      throw Error(file_, one.name, StrCat(value),
                  StrCat("must be an integer: ", one.expression->text()));
    if (IsFlag(one.name))
      set(one.name, value != 0);
    else
      set(one.name, static_cast<int64_t>(value));
  }
  return json;
}

isa::Config Space::ConfigOf(const SpacePoint& point) const {
  return isa::ParseConfig(Fill(point).Dump(-1), file_);
}

std::string Space::Describe(const SpacePoint& point) const {
  std::string text;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& name = parameters_[i].name;
    text += StrCat(i > 0 ? " " : "", name.substr(name.find('.') + 1), "=",
                   parameters_[i].values[static_cast<size_t>(point[i])].Dump(-1));
  }
  return text;
}

}  // namespace vta::tools
