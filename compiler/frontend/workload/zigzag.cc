// Source: ZigZag 3.9.1, zigzag/parser/workload_validator.py.
#include <algorithm>
#include <optional>
#include <regex>

#include "compiler/frontend/workload/formats.h"
#include "compiler/frontend/workload/loop_nest.h"

namespace vta::compiler {
namespace {

// Operators without products.
constexpr std::string_view kWithoutProducts[] = {
    "Pooling", "Pool", "MaxPool", "AveragePool", "GlobalAveragePool", "Max"};

/// A list of strings or integers; empty where there is none.
template <typename T>
std::vector<T> ListOf(JsonReader& json, std::string_view key) {
  std::vector<T> list;
  if (!json.Has(key) || json.Any(key).is_null()) return list;
  for (const Json& item : json.Array(key)) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!item.as_string()) throw json.Fail(key, "must hold names");
      list.push_back(Lower(*item.as_string()));
    } else {
      if (!item.as_int()) throw json.Fail(key, "must hold integers");
      list.push_back(*item.as_int());
    }
  }
  return list;
}

struct Operand {
  char name;
  std::vector<std::string> indices;
};

/// "o[b][k]+=w[k][c]*i[b][c]".
struct Equation {
  bool is_sum;  // "=" and "+" in place of "+=" and "*"
  std::vector<Operand> operands;

  const Operand* Find(char name) const {
    const auto found = std::ranges::find(operands, name, &Operand::name);
    return found == operands.end() ? nullptr : &*found;
  }
};

Equation EquationOf(const JsonReader& json, const std::string& text) {
  static const std::regex whole(
      R"((\w)((?:\[\w+\])+)(\+?)=(\w)((?:\[\w+\])+)([*+])(\w)((?:\[\w+\])+))");
  static const std::regex index(R"(\w+)");
  constexpr size_t kMostLetters = 1000;
  std::smatch match;
  if (text.size() > kMostLetters || !std::regex_match(text, match, whole) ||
      (match[3].length() > 0) != (match[6] == "*"))
    throw json.Fail("equation", "must be O[..]+=W[..]*I[..], or O[..]=W[..]+I[..]");
  Equation equation{match[6] == "+", {}};
  for (const size_t group : {1, 4, 7}) {
    const std::string list = match[group + 1];
    Operand& operand = equation.operands.emplace_back(Operand{match[group].str()[0], {}});
    for (std::sregex_iterator at(list.begin(), list.end(), index), end; at != end; ++at)
      operand.indices.push_back(at->str());
  }
  if (!equation.Find('o') || !equation.Find('w') || !equation.Find('i'))
    throw json.Fail("equation", "must be of O, W and I");
  return equation;
}

class LayerReader {
 public:
  explicit LayerReader(JsonReader json) : json_(std::move(json)) {}

  /// Nothing where no network is made of the layer: `left_out` says why.
  std::optional<ShapeLayer> Read(std::string* left_out) {
    const int64_t id = json_.Int("id", 0, kMostShape);
    const std::string type = json_.String("operator_type");
    const bool named = json_.Has("name") && !json_.Any("name").is_null();
    const std::string name = named ? json_.String("name") : StrCat(Lower(type), "_", id);
    std::string text = Lower(json_.String("equation"));
    std::erase(text, ' ');
    LoopNest nest{.name = name,
                  .where = StrCat(json_.file(), ": ", json_.Place("equation")),
                  .sizes = Sizes()};
    ReadRelations();
    const std::vector<std::string> padded = ListOf<std::string>(json_, "pr_loop_dims");
    const Json padding = json_.Has("padding") ? json_.Any("padding") : Json();
    for (const char* other : {"time_dim", "operand_precision", "operand_source", "pr_loop_sizes"})
      json_.Has(other);
    json_.Finish();
    if (std::ranges::find(kWithoutProducts, type) != std::end(kWithoutProducts)) {
      *left_out = StrCat("layer ", id, " (", type, ") has no products");
      return std::nullopt;
    }
    const Equation equation = EquationOf(json_, text);
    if (equation.is_sum) return Sum(nest, *equation.Find('o'));
    nest.output = Indices(*equation.Find('o'));
    nest.weights = Indices(*equation.Find('w'));
    nest.input = Indices(*equation.Find('i'));
    ReadPads(padded, padding, equation.Find('i')->indices, &nest);
    return LayerOf(nest);
  }

 private:
  std::map<std::string, int64_t> Sizes() {
    const std::vector<std::string> names = ListOf<std::string>(json_, "loop_dims");
    const std::vector<int64_t> sizes = ListOf<int64_t>(json_, "loop_sizes");
    if (names.size() != sizes.size()) throw json_.Fail("loop_sizes", "must be one a loop_dim");
    std::map<std::string, int64_t> map;
    for (size_t i = 0; i < names.size(); ++i)
      if (!map.emplace(names[i], sizes[i]).second)
        throw json_.Fail("loop_dims", StrCat("must not have ", names[i], " twice"));
    return map;
  }

  /// Of "ix=2*ox+1*fx".
  void ReadRelations() {
    static const std::string term = R"((?:(\d{1,9})\s*\*\s*)?(\w+))";
    static const std::regex relation(R"((\w+)\s*=\s*)" + term + R"(\s*\+\s*)" + term);
    for (const std::string& text : ListOf<std::string>(json_, "dimension_relations")) {
      std::smatch match;
      if (text.size() > 100 || !std::regex_match(text, match, relation))
        throw json_.Fail("dimension_relations", StrCat(text, " must be as ix=2*ox+1*fx"));
      const auto factor = [](const auto& digits) {
        return digits.length() > 0 ? std::stoll(digits.str()) : 1;
      };
      relations_[match[1]] = {{match[3], factor(match[2])}, {match[5], factor(match[4])}};
    }
  }

  std::vector<LoopIndex> Indices(const Operand& operand) const {
    std::vector<LoopIndex> indices;
    for (const std::string& name : operand.indices) {
      const auto related = relations_.find(name);
      indices.push_back(related == relations_.end() ? LoopIndex{{name, 1}} : related->second);
    }
    return indices;
  }

  void ReadPads(const std::vector<std::string>& names, const Json& padding,
                const std::vector<std::string>& axes, LoopNest* nest) const {
    if (padding.is_null()) return;
    const Json::Array* rows = padding.as_array();
    if (!rows || rows->size() != names.size())
      throw json_.Fail("padding", "must be one pair of each of pr_loop_dims");
    for (size_t i = 0; i < rows->size(); ++i) {
      const Json::Array* pair = (*rows)[i].as_array();
      const auto axis = std::ranges::find(axes, names[i]);
      if (!pair || pair->size() != 2 || axis == axes.end())
        throw json_.Fail("padding", "must be pairs, of indices of I");
      std::array<int64_t, 2>& pads = nest->pads[static_cast<size_t>(axis - axes.begin())];
      for (size_t end = 0; end < 2; ++end) {
        const int64_t* pad = (*pair)[end].as_int();
        if (!pad || *pad < 0 || *pad > kMostShape)
          throw json_.Fail("padding", StrCat("must be 0 to ", kMostShape));
        pads[end] = *pad;
      }
    }
  }

  ShapeLayer Sum(const LoopNest& nest, const Operand& output) const {
    constexpr size_t kMostAxes = 4;
    if (output.indices.size() > kMostAxes)
      throw json_.Fail("equation", StrCat("must have at most ", kMostAxes, " axes"));
    ShapeLayer layer{.name = nest.name, .where = nest.where, .kind = ShapeLayer::Kind::kSum};
    int64_t* const places[] = {&layer.batch, &layer.channels, &layer.input[0], &layer.input[1]};
    for (size_t axis = 0; axis < output.indices.size(); ++axis) {
      const auto size = nest.sizes.find(output.indices[axis]);
      if (size == nest.sizes.end() || size->second < 1 || size->second > kMostShape)
        throw json_.Fail("loop_sizes",
                         StrCat("must have one of ", output.indices[axis], ", 1 to ", kMostShape));
      *places[axis] = size->second;
    }
    return layer;
  }

  JsonReader json_;
  std::map<std::string, LoopIndex> relations_;
};

}  // namespace

bool IsZigZag(std::string_view text) {
  return text.find("loop_dims:") != std::string_view::npos &&
         text.find("equation:") != std::string_view::npos;
}

ShapeLayers ParseZigZag(std::string_view text, const std::string& file) {
  const Json document = ParseYaml(text, file);
  if (!document.as_array()) throw Error(file, "workload", "", "must be a list of layers");
  ShapeLayers workload;
  workload.name = "workload";
  for (size_t i = 0; i < document.as_array()->size(); ++i) {
    std::string left_out;
    LayerReader reader(JsonReader((*document.as_array())[i], file, StrCat("[", i, "]")));
    if (auto layer = reader.Read(&left_out))
      workload.layers.push_back(std::move(*layer));
    else
      workload.left_out.push_back(left_out);
  }
  return workload;
}

}  // namespace vta::compiler
