// Source: Timeloop 4, problem specification of version 0.4, and what its front end makes of files.
#include <algorithm>
#include <filesystem>

#include "compiler/frontend/workload/formats.h"
#include "compiler/frontend/workload/loop_nest.h"
#include "isa/support/file.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kVersion = "0.4";
constexpr std::string_view kInclude = "{{include_text(", kIncludeEnd = ")}}";

constexpr int64_t kMostBytes = 1 << 20;  // with all that is included

/// With the lines of the files that it includes in place of those that do. `left`: bytes that may
/// be read yet.
std::string Included(std::string_view text, const std::filesystem::path& file, int64_t& left,
                     int depth = 0) {
  constexpr int kMostDepth = 8;
  left -= std::ssize(text) + 1;
  if (left < 0)
    throw Error(file.string(), "", "",
                StrCat("holds more than ", kMostBytes, " bytes, with all that is included"));
  std::string whole;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const size_t close = line.find(kIncludeEnd);
    if (!line.starts_with(kInclude) || close == std::string_view::npos) {
      if (line.find("{{") != std::string_view::npos)
        throw Error(file.string(), "", std::string(line),
                    "is of a template: only {{include_text('FILE')}} is read");
      whole += StrCat(line, "\n");
      continue;
    }
    std::string name(line.substr(kInclude.size(), close - kInclude.size()));
    if (name.size() < 3 || name.front() != name.back() ||
        std::string_view("'\"").find(name[0]) == std::string_view::npos)
      throw Error(file.string(), "", std::string(line), "must name a file in quotes");
    if (depth == kMostDepth) throw Error(file.string(), "", name, "is included too deep");
    name = name.substr(1, name.size() - 2);
    const std::filesystem::path other = file.parent_path() / name;
    std::error_code ignored;
    if (name[0] == '/' || !std::filesystem::is_regular_file(other, ignored))
      throw Error(file.string(), "include_text", name,
                  "must be a file, by its place beside this one");
    whole += Included(ReadTextFile(other.string(), kMostBytes), other, left, depth + 1);
  }
  return whole;
}

/// What `map` says, and where it does not, `base`.
Json Merged(const Json& base, const Json& map) {
  if (!base.as_object() || !map.as_object()) return map;
  Json merged = map;
  for (const auto& [key, value] : *base.as_object()) {
    if (const Json* own = map.Find(key)) {
      for (auto& [name, kept] : *merged.as_object())
        if (name == key) kept = Merged(value, *own);
    } else {
      merged.Set(key, value);
    }
  }
  return merged;
}

Json WithBase(const Json& map) {
  const Json* base = map.Find("<<<");
  if (!base) base = map.Find("<<");
  return base ? Merged(*base, map) : map;
}

struct DataSpace {
  std::string name;
  bool is_output = false;
  std::vector<LoopIndex> axes;

  bool HasWindow() const {
    return std::ranges::any_of(axes, [](const LoopIndex& index) { return index.size() > 1; });
  }
};

class ProblemReader {
 public:
  ProblemReader(const Json& problem, const std::string& file) : json_(problem, file, "problem") {}

  ShapeLayer Read() {
    const Json& version = json_.Any("version");
    if (!version.as_string() || *version.as_string() != kVersion)
      throw json_.Fail("version", StrCat("must be ", kVersion, ", of Timeloop 4"));
    JsonReader shape = json_.Object("shape");
    LoopNest nest{.name = shape.String("name"), .where = StrCat(json_.file(), ": problem.shape")};
    if (json_.Has("name") && json_.Any("name").as_string()) nest.name = json_.String("name");
    for (const Json& dimension : shape.Array("dimensions")) {
      if (!dimension.as_string()) throw shape.Fail("dimensions", "must hold names");
      nest.sizes[*dimension.as_string()] = InstanceOf(*dimension.as_string());
    }
    ReadCoefficients(shape);
    Assign(SpacesOf(shape), shape, &nest);
    return LayerOf(nest);
  }

 private:
  int64_t InstanceOf(const std::string& name) {
    return json_.Object("instance").Int(name, 1, kMostShape);
  }

  void ReadCoefficients(JsonReader& shape) {
    if (!shape.Has("coefficients")) return;
    const Json::Array& rows = shape.Array("coefficients");
    for (size_t i = 0; i < rows.size(); ++i) {
      JsonReader row(rows[i], shape.file(), StrCat(shape.Place("coefficients"), "[", i, "]"));
      const std::string name = row.String("name");
      coefficients_[name] =
          json_.Object("instance").Has(name) ? InstanceOf(name) : row.Int("default", 1, kMostShape);
    }
  }

  /// A list of terms: [dimension] or [dimension, coefficient].
  LoopIndex IndexOf(const JsonReader& space, const Json& axis) const {
    constexpr char kRule[] = "must be axes, each a list of [dimension] or [dimension, coefficient]";
    if (!axis.as_array()) throw space.Fail("projection", kRule);
    LoopIndex index;
    for (const Json& term : *axis.as_array()) {
      const Json::Array* words = term.as_array();
      if (!words || words->empty() || words->size() > 2 || !words->front().as_string() ||
          !words->back().as_string())
        throw space.Fail("projection", kRule);
      LoopTerm& added = index.emplace_back(LoopTerm{*words->front().as_string()});
      if (words->size() == 1) continue;
      const auto found = coefficients_.find(*words->back().as_string());
      if (found == coefficients_.end())
        throw space.Fail("projection", StrCat(*words->back().as_string(), " is no coefficient"));
      added.factor = found->second;
    }
    return index;
  }

  std::vector<DataSpace> SpacesOf(JsonReader& shape) const {
    std::vector<DataSpace> spaces;
    const Json::Array& rows = shape.Array("data_spaces");
    for (size_t i = 0; i < rows.size(); ++i) {
      JsonReader row(rows[i], shape.file(), StrCat(shape.Place("data_spaces"), "[", i, "]"));
      DataSpace& space = spaces.emplace_back(DataSpace{row.String("name")});
      space.is_output = row.Has("read_write") && row.Bool("read_write");
      for (const Json& axis : row.Array("projection")) space.axes.push_back(IndexOf(row, axis));
    }
    return spaces;
  }

  /// The space that is written is the output; of the others the weights are called that, or have no
  /// window, or come last.
  static void Assign(std::vector<DataSpace> spaces, const JsonReader& shape, LoopNest* nest) {
    std::ranges::stable_partition(spaces, [](const DataSpace& space) { return !space.is_output; });
    if (spaces.size() != 3 || !spaces[2].is_output || spaces[1].is_output)
      throw shape.Fail("data_spaces", "must be three, of which one is read_write");
    if (spaces[0].name == "Weights" || spaces[1].HasWindow()) std::swap(spaces[0], spaces[1]);
    nest->input = std::move(spaces[0].axes);
    nest->weights = std::move(spaces[1].axes);
    nest->output = std::move(spaces[2].axes);
  }

  JsonReader json_;
  std::map<std::string, int64_t> coefficients_;
};

}  // namespace

bool IsTimeloop(std::string_view text) {
  return text.starts_with("problem:") || text.find("\nproblem:") != std::string_view::npos;
}

ShapeLayers ParseTimeloop(std::string_view text, const std::string& file) {
  int64_t left = kMostBytes;
  const Json document = ParseYaml(Included(text, file, left), file);
  const Json* problem = document.Find("problem");
  if (!problem || !problem->as_object()) throw Error(file, "problem", "", "must be a map");
  ShapeLayers workload;
  workload.name = "problem";
  workload.layers.push_back(ProblemReader(WithBase(*problem), file).Read());
  return workload;
}

}  // namespace vta::compiler
