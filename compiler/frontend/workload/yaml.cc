#include <yaml-cpp/yaml.h>

#include <charconv>
#include <set>

#include "compiler/frontend/workload/formats.h"

namespace vta::compiler {
namespace {

class YamlReader {
 public:
  explicit YamlReader(const std::string& file) : file_(file) {}

  Json Read(const YAML::Node& node, int depth = 0) {
    constexpr int64_t kMostValues = 1'000'000;
    constexpr int kMostDepth = 64;
    if (++values_ > kMostValues || depth > kMostDepth)
      throw Fail(node, "", "holds more than a million values, or some of depth above 64");
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        return Scalar(node);
      case YAML::NodeType::Sequence: {
        Json::Array list;
        for (const YAML::Node& item : node) list.push_back(Read(item, depth + 1));
        return list;
      }
      case YAML::NodeType::Map: {
        Json::Object map;
        std::set<std::string> keys;
        for (const auto& entry : node) {
          const YAML::Node& key = entry.first;
          if (!key.IsScalar()) throw Fail(key, "", "has a key that is no word");
          if (!keys.insert(key.Scalar()).second) throw Fail(key, key.Scalar(), "is there twice");
          map.emplace_back(key.Scalar(), Read(entry.second, depth + 1));
        }
        return map;
      }
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        break;
    }
    return nullptr;
  }

  Error Fail(const YAML::Node& node, std::string value, std::string rule) const {
    return Fail(node.Mark(), std::move(value), std::move(rule));
  }
  Error Fail(const YAML::Mark& mark, std::string value, std::string rule) const {
    const bool known = !mark.is_null();
    return {known ? StrCat(file_, ":", mark.line + 1) : file_, "", std::move(value),
            std::move(rule)};
  }

 private:
  static Json Scalar(const YAML::Node& node) {
    constexpr const char* kQuoted = "!";
    const std::string& text = node.Scalar();
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (node.Tag() == kQuoted) return text;
    if (error == std::errc() && end == text.data() + text.size()) return number;
    for (const char* word : {"true", "True", "TRUE"})
      if (text == word) return true;
    for (const char* word : {"false", "False", "FALSE"})
      if (text == word) return false;
    return text;
  }

  const std::string& file_;
  int64_t values_ = 0;
};

}  // namespace

Json ParseYaml(std::string_view text, const std::string& file) {
  YamlReader reader(file);
  try {
    return reader.Read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    throw reader.Fail(error.mark, "", StrCat("is not YAML: ", error.msg));
  }
}

}  // namespace vta::compiler
