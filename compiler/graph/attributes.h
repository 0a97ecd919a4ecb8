// Typed attributes of a graph node, in name order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vta::compiler {

using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>>;
enum class AttributeKind { kInt, kDouble, kString, kInts };  // in the variant's order

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, AttributeValue>> list)
      : map_(list) {}

  void Set(const std::string& name, AttributeValue value) { map_[name] = std::move(value); }
  bool Has(std::string_view name) const { return map_.find(name) != map_.end(); }
  /// The attribute, which the op's row in the table says is there.
  int64_t Int(std::string_view name) const { return std::get<int64_t>(At(name)); }
  double Double(std::string_view name) const { return std::get<double>(At(name)); }
  const std::string& String(std::string_view name) const { return std::get<std::string>(At(name)); }
  const std::vector<int64_t>& Ints(std::string_view name) const {
    return std::get<std::vector<int64_t>>(At(name));
  }
  auto begin() const { return map_.begin(); }
  auto end() const { return map_.end(); }
  size_t size() const { return map_.size(); }
  bool operator==(const Attributes&) const = default;

 private:
  const AttributeValue& At(std::string_view name) const;

  std::map<std::string, AttributeValue, std::less<>> map_;
};

AttributeKind KindOf(const AttributeValue& value);
std::string_view Name(AttributeKind kind);
/// "3", "0.5", "\"edge\"", "[1,2]"; doubles carry a point or an exponent and round-trip.
std::string ToText(const AttributeValue& value);
/// A double quote, the text with \ and " escaped and control bytes as \xNN, a double quote.
std::string Quoted(std::string_view text);

}  // namespace vta::compiler
