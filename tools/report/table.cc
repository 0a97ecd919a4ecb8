#include "tools/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::tools {
namespace {

// The name with `mark` for its middle; sequences of UTF-8 stay whole.
std::string WithoutMiddle(const std::string& name, size_t most, const std::string& mark) {
  const auto inside = [&](size_t at) { return (name[at] & 0xC0) == 0x80; };
  const size_t rest = most - mark.size();
  size_t head = rest / 2, tail = name.size() - (rest - head);
  while (head > 0 && inside(head)) --head;
  while (tail < name.size() && inside(tail)) ++tail;
  return name.substr(0, head) + mark + name.substr(tail);
}

}  // namespace

std::vector<std::string> Abbreviated(std::vector<std::string> names, size_t most) {
  std::map<std::string, std::string> shown;
  std::set<std::string> taken;
  std::map<std::string, int64_t> numbers;  // of names alike but for their middle
  for (const std::string& name : names)
    if (name.size() <= most) taken.insert(shown[name] = name);
  for (std::string& name : names) {
    std::string& brief = shown[name];
    if (brief.empty() && !name.empty()) {
      int64_t& number = numbers[WithoutMiddle(name, most, "..")];
      do {
        ++number;
        brief = WithoutMiddle(name, most, number == 1 ? ".." : StrCat(".", number, "."));
      } while (!taken.insert(brief).second);
    }
    name = brief;
  }
  return names;
}

std::string FormatTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = Visible(cell);
  std::vector<size_t> widths(right.size());
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string pad(widths[c] - rows[r][c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? pad + rows[r][c] : rows[r][c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      size_t width = 2 * (widths.size() - 1);
      for (size_t w : widths) width += w;
      out += std::string(width, '-') + "\n";
    }
  }
  return out;
}

std::string WithCommas(int64_t value) {
  std::string digits = std::to_string(std::abs(value));
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, 1, ',');
  return value < 0 ? "-" + digits : digits;
}

std::string CountedWithCommas(int64_t value, std::string_view noun) {
  return WithCommas(value) + " " + Plural(value, noun);
}

std::string Scaled(double value) {
  constexpr const char* kSteps[] = {"", " k", " M", " G", " T"};
  size_t step = 0;
  while (std::abs(value) >= 999.5 && step + 1 < std::size(kSteps)) value /= 1000, ++step;
  if (step == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}{}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kSteps[step]);
}

}  // namespace vta::tools
