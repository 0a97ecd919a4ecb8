#include "compiler/graph/attributes.h"

#include <charconv>

#include "compiler/graph/tensor.h"
#include "isa/support/error.h"

namespace vta::compiler {

const AttributeValue& Attributes::At(std::string_view name) const {
  auto found = map_.find(name);
  VTA_CHECK(found != map_.end(), "no attribute ", name);
  return found->second;
}

AttributeKind KindOf(const AttributeValue& value) {
  return static_cast<AttributeKind>(value.index());
}

std::string_view Name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kInt:
      return "integer";
    case AttributeKind::kDouble:
      return "number";
    case AttributeKind::kString:
      return "text";
    case AttributeKind::kInts:
      break;
  }
  return "list of integers";
}

std::string Quoted(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return "\"" + Visible(escaped) + "\"";
}

std::string ToText(const AttributeValue& value) {
  switch (KindOf(value)) {
    case AttributeKind::kInt:
      return StrCat(std::get<int64_t>(value));
    case AttributeKind::kString:
      return Quoted(std::get<std::string>(value));
    case AttributeKind::kInts:
      return ToText(std::get<std::vector<int64_t>>(value));
    case AttributeKind::kDouble:
      break;
  }
  char buffer[40];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, std::get<double>(value)).ptr;
  std::string text(buffer, end);
  bool plain_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return plain_integer ? text + ".0" : text;
}

}  // namespace vta::compiler
