// Plain-text tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// The width of the terminal that results go to; nothing where they go elsewhere.
std::optional<size_t> StdoutColumns();

using TableRows = std::vector<std::vector<std::string>>;

/// Columns are as wide as their widest cell, two spaces apart; a column's cells line up right if
/// `right` says so. The first row is the head; a rule follows it. Cells are made Visible.
/// Where `columns` are given, no line is longer while the columns below have room: cells that line
/// up left are broken into several lines, the widest columns first, down to their head or 12; what
/// still has no room comes in tables of its own below, each with the first column again.
std::string FormatTable(TableRows rows, const std::vector<bool>& right,
                        std::optional<size_t> columns = StdoutColumns());

/// Names of at most `most` bytes: longer ones lose their middle, no two of which are told apart by
/// what is left. Equal names stay equal.
/// Errors: none; `most` must be at least 12.
std::vector<std::string> Abbreviated(std::vector<std::string> names, size_t most);

/// A number with a unit step of 1000: "12.3 M", "999", "4.56 k".
std::string Scaled(double value);

}  // namespace vta::tools
