#include "tools/report/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace vta::tools {
namespace {

const TableRows kTable = {{"layer", "cycles", "critical path"},
                          {"conv1", "1,234", "load 89, load contention 6"},
                          {"a_long_name_of_a_layer", "5", "store 21"}};
const std::vector<bool> kRight = {false, true, false};

TEST(FormatTableTest, HasItsFullWidthWithoutATerminal) {
  EXPECT_EQ(FormatTable(kTable, kRight, {}),
            "layer                   cycles  critical path\n"
            "----------------------------------------------------------\n"
            "conv1                    1,234  load 89, load contention 6\n"
            "a_long_name_of_a_layer       5  store 21\n");
  EXPECT_EQ(FormatTable(kTable, kRight, 58), FormatTable(kTable, kRight, {}));
}

TEST(FormatTableTest, BreaksTheWidestCells) {
  EXPECT_EQ(FormatTable(kTable, kRight, 44),
            "layer              cycles  critical path\n"
            "--------------------------------------------\n"
            "conv1               1,234  load 89, load\n"
            "                           contention 6\n"
            "a_long_name_of_a_       5  store 21\n"
            "layer\n");
}

TEST(FormatTableTest, PutsWhatHasNoRoomBelow) {
  EXPECT_EQ(FormatTable(kTable, kRight, 24),
            "layer         cycles\n"
            "--------------------\n"
            "conv1          1,234\n"
            "a_long_name_       5\n"
            "of_a_layer\n"
            "\n"
            "layer         critical path\n"
            "---------------------------\n"
            "conv1         load 89, load\n"
            "              contention 6\n"
            "a_long_name_  store 21\n"
            "of_a_layer\n");
}

TEST(FormatTableTest, CountsColumnsNotBytes) {
  const TableRows rows = {{"layer", "cycles"}, {"日本日本日本日本日本", "5"}, {"\u00e9", "12"}};
  EXPECT_EQ(FormatTable(rows, {false, true}, {}),
            "layer                 cycles\n"
            "----------------------------\n"
            "日本日本日本日本日本       5\n"
            "\u00e9                         12\n");
  EXPECT_EQ(FormatTable(rows, {false, true}, 24),
            "layer             cycles\n"
            "------------------------\n"
            "日本日本日本日本       5\n"
            "日本\n"
            "\u00e9                     12\n");
}

// Whatever the width, every character of every cell is there, and lines fit.
TEST(FormatTableTest, LosesNothing) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t columns = 40 + random() % 60, cells = 2 + random() % 5;
    TableRows rows;
    std::vector<bool> right;
    for (size_t c = 0; c < cells; ++c) right.push_back(c > 0 && random() % 2);
    for (size_t r = 0; r < 4; ++r) {
      auto& row = rows.emplace_back();
      for (size_t c = 0; c < cells; ++c) {
        // Of letters that no other cell has; a long one lines up left.
        const size_t size = random() % (right[c] || r == 0 ? 10 : 50);
        row.emplace_back(size, static_cast<char>('A' + r * cells + c));
        for (char& letter : row.back())
          if (random() % 6 == 0 && letter != row.back()[0]) letter = ' ';
      }
    }
    const std::string text = FormatTable(rows, right, columns);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) ASSERT_LE(line.size(), columns) << text;
    for (size_t r = 0; r < rows.size(); ++r)
      for (size_t c = 1; c < cells; ++c)
        for (const char letter : rows[r][c].substr(0, 1))
          ASSERT_EQ(std::ranges::count(text, letter), std::ranges::count(rows[r][c], letter))
              << text;
  }
}

}  // namespace
}  // namespace vta::tools
