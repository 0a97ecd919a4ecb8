#include "isa/asm/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "isa/support/error.h"

namespace vta::isa {

std::vector<std::string_view> SplitWords(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  size_t begin;
  while ((begin = line.find_first_not_of(kBlanks)) != line.npos) {
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<uint64_t> ParseUnsigned(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0b")) {
    base = text[1] == 'x' ? 16 : 2;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with("-");
  if (negative) text.remove_prefix(1);
  const std::optional<uint64_t> magnitude = ParseUnsigned(text);
  constexpr uint64_t kHighest = std::numeric_limits<int64_t>::max();
  if (!magnitude || *magnitude > kHighest) return {};
  return negative ? -static_cast<int64_t>(*magnitude) : static_cast<int64_t>(*magnitude);
}

bool IsIdentifier(std::string_view text) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), later);
}

int64_t IntegerIn(std::string_view text, int64_t low, int64_t high, const std::string& where,
                  std::string_view token, const std::string& note) {
  const std::optional<int64_t> value = ParseInteger(text);
  if (value && *value >= low && *value <= high) return *value;
  throw Error(where, std::string(token), std::string(text),
              StrCat("must be ", value ? "" : "an integer ", "in [", low, ", ", high, "]", note));
}

}  // namespace vta::isa
