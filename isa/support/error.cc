#include "isa/support/error.h"

#include <cmath>

namespace vta {
namespace {

// What would move a terminal's cursor is written as \x1b; lines stay lines.
std::string Visible(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < ' ' && c != '\n') || byte == 127;
    out += control ? "\\x" + Hex(byte, 2).substr(2) : std::string(1, c);
  }
  return out;
}

std::string Format(const std::string& where, const std::string& what, const std::string& value,
                   const std::string& rule) {
  std::string out = where;
  auto separate = [&](std::string_view by) {
    if (!out.empty()) out += by;
  };
  if (!what.empty()) separate(": "), out += what;
  if (!value.empty()) separate(what.empty() ? ": " : " = "), out += value;
  if (!rule.empty()) separate(": "), out += rule;
  return Visible(out);
}

}  // namespace

Error::Error(std::string where, std::string what, std::string value, std::string rule)
    : std::runtime_error(Format(where, what, value, rule)),
      where_(std::move(where)),
      subject_(std::move(what)),
      value_(std::move(value)),
      rule_(std::move(rule)) {}

Error Error::In(std::string_view outer) const {
  return Error(where_.empty() ? std::string(outer) : StrCat(outer, ": ", where_), subject_, value_,
               rule_);
}

namespace support {
void Append(std::string& out, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  out += text;
}
}  // namespace support

std::string Hex(uint64_t value, int min_digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", min_digits, static_cast<unsigned long long>(value));
  return text;
}

void CheckFailed(const char* file, int line, const char* condition, const std::string& detail) {
  std::fprintf(stderr, "%s:%d: check failed: %s %s\n", file, line, condition, detail.c_str());
  std::abort();
}

}  // namespace vta
