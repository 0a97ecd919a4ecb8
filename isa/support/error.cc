#include "isa/support/error.h"

#include <cmath>

namespace vta {
namespace {

// Text of a file inside a message: what would move a terminal's cursor is written as \x1b. A rule
// may have lines of its own.
std::string Visible(const std::string& text, bool lines) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 127)
      out += c;
    else if (c == '\n' && lines)
      out += c;
    else
      out += "\\x" + Hex(byte, 2).substr(2);
  }
  return out;
}

std::string Format(const std::string& where, const std::string& what, const std::string& value,
                   const std::string& rule) {
  std::string out = Visible(where, false);
  auto separate = [&](std::string_view by) {
    if (!out.empty()) out += by;
  };
  if (!what.empty()) separate(": "), out += Visible(what, false);
  if (!value.empty()) separate(what.empty() ? ": " : " = "), out += Visible(value, false);
  if (!rule.empty()) separate(": "), out += Visible(rule, true);
  return out;
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
