// Errors that a user, a file, a peer or a board can cause; and checks for what cannot happen.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vta {

/// Text from a file as one line that a terminal can hold: the bytes of control characters (C0, DEL,
/// C1, line and direction marks) and those that are no UTF-8 become \x1b and the like. A line feed
/// is one of them, unless `keep_lines`.
std::string Visible(std::string_view text, bool keep_lines = false);

/// One clear error: where it is, what is wrong there, the value found and the rule it breaks.
/// Prints as "where: what = value: rule"; empty parts (and their separators) are left out. All of
/// it is Visible. `detail` is appended as it is, with its lines: only for text of our own or of a
/// tool that we ran.
class Error : public std::runtime_error {
 public:
  Error(std::string where, std::string what, std::string value, std::string rule,
        std::string detail = "");

  const std::string& where() const { return where_; }
  const std::string& subject() const { return subject_; }
  const std::string& value() const { return value_; }
  const std::string& rule() const { return rule_; }

  /// The same error inside an outer place: "outer: where".
  Error In(std::string_view outer) const;

 private:
  std::string where_, subject_, value_, rule_, detail_;
};

namespace support {
inline void Append(std::string& out, std::string_view text) { out += text; }
inline void Append(std::string& out, const char* text) { out += text; }
inline void Append(std::string& out, const std::string& text) { out += text; }
inline void Append(std::string& out, char c) { out += c; }
inline void Append(std::string& out, bool b) { out += b ? "true" : "false"; }
void Append(std::string& out, double value);
template <typename T>
requires std::is_integral_v<T>
void Append(std::string& out, T value) { out += std::to_string(value); }
}  // namespace support

/// Concatenates strings and numbers: StrCat("acc[", 3, "]").
template <typename... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  (support::Append(out, args), ...);
  return out;
}

/// "0x1f" with at least min_digits digits.
std::string Hex(uint64_t value, int min_digits = 1);

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& detail);

}  // namespace vta

/// Aborts with the values when something impossible happens: VTA_CHECK(a == b, "a ", a, " b ", b).
#define VTA_CHECK(condition, ...)                                       \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::vta::CheckFailed(__FILE__, __LINE__, #condition,                \
                         ::vta::StrCat("" __VA_OPT__(, ) __VA_ARGS__)); \
  } while (false)
