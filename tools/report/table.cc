#include "tools/report/table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/shared/terminal.h"

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

constexpr size_t kBetween = 2, kNarrowest = 12;

std::vector<size_t> WidthsOf(const TableRows& rows, size_t count) {
  std::vector<size_t> widths(count);
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], ColumnsOf(row[c]));
  return widths;
}

size_t TotalOf(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kBetween * (widths.size() - 1));
}

// The columns that line up left give way, the widest first, but no head is broken.
void Narrow(std::vector<size_t>& widths, const std::vector<std::string>& head,
            const std::vector<bool>& right, size_t columns) {
  for (size_t total = TotalOf(widths); total > columns; --total) {
    std::optional<size_t> widest;
    for (size_t c = 0; c < widths.size(); ++c)
      if (!right[c] && widths[c] > std::max(kNarrowest, head[c].size()) &&
          (!widest || widths[c] > widths[*widest]))
        widest = c;
    if (!widest) return;
    --widths[*widest];
  }
}

// The indices of the columns that stand beside each other: the first, and as many as have room.
std::vector<std::vector<size_t>> Parts(const std::vector<size_t>& widths, size_t columns) {
  std::vector<std::vector<size_t>> parts = {{0}};
  size_t used = widths[0];
  for (size_t c = 1; c < widths.size(); ++c) {
    if (used + kBetween + widths[c] > columns && parts.back().size() > 1) {
      parts.push_back({0});
      used = widths[0];
    }
    parts.back().push_back(c);
    used += kBetween + widths[c];
  }
  return parts;
}

// What a row has in some columns.
template <typename Row>
Row Of(const std::vector<size_t>& part, const Row& row) {
  Row out;
  for (const size_t c : part) out.push_back(row[c]);
  return out;
}

// Takes from the front of a cell what fits, up to a space where there is one.
std::string TakeLine(std::string& cell, size_t width) {
  size_t end = BytesWithin(cell, width);
  if (end < cell.size())
    if (const size_t space = cell.rfind(' ', end); space != std::string::npos && space > 0)
      end = space;
  std::string line = cell.substr(0, end);
  cell.erase(0, end);
  cell.erase(0, cell.find_first_not_of(' '));
  return line;
}

// Adds a row as so many that its cells fit.
void AddBroken(std::vector<std::string> row, const std::vector<size_t>& widths, TableRows& out) {
  do {
    out.emplace_back();
    for (size_t c = 0; c < row.size(); ++c) out.back().push_back(TakeLine(row[c], widths[c]));
  } while (std::ranges::any_of(row, [](const std::string& cell) { return !cell.empty(); }));
}

std::string Lines(const TableRows& rows, const std::vector<bool>& right,
                  const std::vector<size_t>& widths) {
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string pad(widths[c] - ColumnsOf(rows[r][c]), ' ');
      line += std::string(c == 0 ? 0 : kBetween, ' ') +
              (right[c] ? pad + rows[r][c] : rows[r][c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) out += std::string(TotalOf(widths), '-') + "\n";
  }
  return out;
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

std::optional<size_t> StdoutColumns() { return TerminalColumns(STDOUT_FILENO); }

std::string FormatTable(TableRows rows, const std::vector<bool>& right,
                        std::optional<size_t> columns) {
  for (auto& row : rows) {
    row.resize(right.size());
    for (std::string& cell : row) cell = Visible(cell);
  }
  std::vector<size_t> widths = WidthsOf(rows, right.size());
  if (!columns || TotalOf(widths) <= *columns) return Lines(rows, right, widths);
  Narrow(widths, rows[0], right, *columns);
  std::string out;
  for (const std::vector<size_t>& part : Parts(widths, *columns)) {
    const std::vector<size_t> wide = Of(part, widths);
    TableRows cells;
    for (const auto& row : rows) AddBroken(Of(part, row), wide, cells);
    out += (out.empty() ? "" : "\n") + Lines(cells, Of(part, right), wide);
  }
  return out;
}

std::string Scaled(double value) {
  constexpr const char* kSteps[] = {"", " k", " M", " G", " T"};
  size_t step = 0;
  while (std::abs(value) >= 999.5 && step + 1 < std::size(kSteps)) value /= 1000, ++step;
  if (step == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}{}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kSteps[step]);
}

}  // namespace vta::tools
