#include "compiler/tune/space.h"

#include <algorithm>
#include <charconv>

#include "isa/support/error.h"

namespace vta::compiler::tune {
namespace {

std::string DomainOf(const Choice& choice) {
  return StrCat("must be one of ", choice.values.size(), " values from ", choice.values.front(),
                " to ", choice.values.back());
}

int64_t ParseValue(const Choice& choice, std::string_view word) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() ||
      !std::ranges::binary_search(choice.values, value))
    throw Error(choice.name, "value", std::string(word), DomainOf(choice));
  return value;
}

}  // namespace

double SizeOf(const Space& space) {
  double size = 1;
  for (const Choice& choice : space.Choices()) size *= static_cast<double>(choice.values.size());
  return size;
}

std::string Print(const std::vector<Choice>& choices, const Point& point) {
  VTA_CHECK(choices.size() == point.size());
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += StrCat(i == 0 ? "" : " ", choices[i].name, "=", point[i]);
  return text;
}

Point ParsePoint(const std::vector<Choice>& choices, std::string_view text) {
  std::vector<std::optional<int64_t>> values(choices.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const auto choice = std::ranges::find(choices, name, &Choice::name);
    if (choice == choices.end() || equals == word.size())
      throw Error("point", "choice", std::string(word), "must be NAME=VALUE of the space");
    std::optional<int64_t>& value = values[choice - choices.begin()];
    if (value) throw Error("point", "choice", choice->name, "is given twice");
    value = ParseValue(*choice, word.substr(equals + 1));
  }
  Point point;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!values[i]) throw Error("point", "choice", choices[i].name, "is missing");
    point.push_back(*values[i]);
  }
  return point;
}

}  // namespace vta::compiler::tune
