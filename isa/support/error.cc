#include "isa/support/error.h"

#include <algorithm>
#include <cmath>

namespace vta {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // of its UTF-8 form; 0 where the text is none
};

CodePoint FirstOf(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t bytes = byte(0) < 0x80             ? 1
                       : (byte(0) & 0xE0) == 0xC0 ? 2
                       : (byte(0) & 0xF0) == 0xE0 ? 3
                       : (byte(0) & 0xF8) == 0xF0 ? 4
                                                  : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  uint32_t value = bytes == 1 ? byte(0) : byte(0) & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // a longer form hides what it is
  const bool sound =
      value >= kLeast[bytes] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return sound ? CodePoint{value, bytes} : CodePoint{};
}

bool IsControl(uint32_t c) {
  return c < ' ' || (c >= 0x7F && c < 0xA0) || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string Format(const std::string& where, const std::string& what, const std::string& value,
                   const std::string& rule, const std::string& detail) {
  std::string out = where;
  auto separate = [&](std::string_view by) {
    if (!out.empty()) out += by;
  };
  if (!what.empty()) separate(": "), out += what;
  if (!value.empty()) separate(what.empty() ? ": " : " = "), out += value;
  if (!rule.empty()) separate(": "), out += rule;
  return Visible(out) + Visible(detail, true);
}

}  // namespace

std::string Visible(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = FirstOf(text);
    const size_t bytes = std::max<size_t>(point.bytes, 1);
    const bool keeps = keep_lines && text[0] == '\n';
    if (point.bytes > 0 && (keeps || !IsControl(point.value)))
      out += text.substr(0, bytes);
    else
      for (const char c : text.substr(0, bytes))
        out += StrCat("\\x", Hex(static_cast<unsigned char>(c), 2).substr(2));
    text.remove_prefix(bytes);
  }
  return out;
}

Error::Error(std::string where, std::string what, std::string value, std::string rule,
             std::string detail)
    : std::runtime_error(Format(where, what, value, rule, detail)),
      where_(std::move(where)),
      subject_(std::move(what)),
      value_(std::move(value)),
      rule_(std::move(rule)),
      detail_(std::move(detail)) {}

Error Error::In(std::string_view outer) const {
  return Error(where_.empty() ? std::string(outer) : StrCat(outer, ": ", where_), subject_, value_,
               rule_, detail_);
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
