// Plain-text tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// Columns are as wide as their widest cell, two spaces apart; a column's cells line up right if
/// `right` says so. The first row is the head; a rule follows it. Cells are made Visible.
std::string FormatTable(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right);

/// Names of at most `most` bytes: longer ones lose their middle, no two of which are told apart by
/// what is left. Equal names stay equal.
/// Errors: none; `most` must be at least 12.
std::vector<std::string> Abbreviated(std::vector<std::string> names, size_t most);

/// "1,234,567".
std::string WithCommas(int64_t value);
/// "1 cycle", "1,234 cycles".
std::string CountedWithCommas(int64_t value, std::string_view noun);
/// A number with a unit step of 1000: "12.3 M", "999", "4.56 k".
std::string Scaled(double value);

}  // namespace vta::tools
