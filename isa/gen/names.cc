#include "isa/gen/names.h"

#include "isa/support/error.h"

namespace vta::isa {
namespace {

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string CamelName(std::string_view name) {
  std::string out;
  bool start = true;
  for (char c : name) {
    if (c != '_') out += start ? Upper(c) : c;
    start = c == '_';
  }
  return out;
}

std::string CapsName(std::string_view name) {
  std::string out;
  for (char c : name) out += c == ' ' || c == '-' || c == '>' ? '_' : Upper(c);
  return out;
}

std::string_view FlagName(int64_t Arch::*flag) {
  for (const Parameter<Arch>& row : kArchParameters)
    if (row.member == flag) return row.key;
  VTA_CHECK(false, "an extension without a parameter");
  return "";
}

}  // namespace vta::isa
