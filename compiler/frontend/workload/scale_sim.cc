// Source: SCALE-Sim 3.0.0, scalesim/topology_utils.py.
#include <algorithm>
#include <charconv>

#include "compiler/frontend/workload/formats.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

/// Lines and their cells; what is behind a row's last comma is none, there may be a remark.
struct Row {
  int64_t line;
  std::vector<std::string> cells;
};

std::vector<Row> RowsOf(std::string_view text) {
  std::vector<Row> rows;
  for (int64_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    Row row{line, {}};
    for (size_t comma = 0; comma != std::string_view::npos;) {
      comma = rest.find(',');
      row.cells.push_back(Trimmed(rest.substr(0, comma)));
      if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    }
    const std::string& last = row.cells.back();
    if (last.empty() || last[0] == '#') row.cells.pop_back();
    if (!row.cells.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

bool NamesGemms(const Row& names) {
  return names.cells.size() >= 4 && Lower(names.cells[1]) == "m" && Lower(names.cells[2]) == "n" &&
         Lower(names.cells[3]) == "k";
}

class Topology {
 public:
  Topology(std::string_view text, const std::string& file) : file_(file), rows_(RowsOf(text)) {}

  ShapeLayers Parse() const {
    const Row& names = rows_.at(0);
    const bool gemms = NamesGemms(names);
    if (!gemms &&
        (names.cells.size() < kConvNumbers + 1 || !Lower(names.cells[1]).starts_with("if")))
      throw Error(Place(names), "columns", "",
                  "must be name, M, N, K of GEMMs; or name, IFMAP "
                  "height and width, filter height and width, channels, number of filters, stride");
    ShapeLayers workload;
    workload.name = "topology";
    for (size_t i = 1; i < rows_.size(); ++i)
      workload.layers.push_back(gemms ? Gemm(rows_[i]) : Conv(rows_[i]));
    return workload;
  }

 private:
  static constexpr size_t kConvNumbers = 7, kGemmNumbers = 3;

  std::string Place(const Row& row) const { return StrCat(file_, ":", row.line); }

  /// The cell below the name of a column. Errors: throws Error unless it is a size.
  int64_t Number(const Row& row, size_t column) const {
    const std::string& cell = row.cells[column];
    int64_t number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc() || end != cell.data() + cell.size() || number < 1 ||
        number > kMostShape)
      throw Error(Place(row), rows_[0].cells[column], cell, StrCat("must be 1 to ", kMostShape));
    return number;
  }

  /// A name and so many numbers, and perhaps how many of how many weights are not 0.
  ShapeLayer Layer(const Row& row, size_t numbers) const {
    if (row.cells.size() < numbers + 1 || row.cells.size() > numbers + 2)
      throw Error(Place(row), "cells", StrCat(row.cells.size()),
                  StrCat("must be ", numbers + 1, ", or one more for sparsity"));
    if (row.cells.size() == numbers + 2) {
      const std::string& ratio = row.cells.back();
      const size_t colon = ratio.find(':');
      if (colon == std::string::npos || ratio.substr(0, colon) != ratio.substr(colon + 1))
        throw Error(Place(row), "sparsity", ratio, "must be N:N: weights are dense");
    }
    return {.name = row.cells[0], .where = Place(row)};
  }

  ShapeLayer Gemm(const Row& row) const {
    ShapeLayer layer = Layer(row, kGemmNumbers);
    layer.input[0] = Number(row, 1);  // rows are pixels
    layer.filters = Number(row, 2);
    layer.channels = Number(row, 3);
    return layer;
  }

  ShapeLayer Conv(const Row& row) const {
    ShapeLayer layer = Layer(row, kConvNumbers);
    layer.input = {Number(row, 1), Number(row, 2)};
    layer.kernel = {Number(row, 3), Number(row, 4)};
    layer.channels = Number(row, 5);
    layer.filters = Number(row, 6);
    layer.strides = {Number(row, 7), Number(row, 7)};
    if (layer.name.find("DP") != std::string::npos)  // depthwise: each channel by itself
      std::swap(layer.groups, layer.channels);
    for (size_t axis = 0; axis < 2; ++axis) {
      const int64_t beyond = layer.input[axis] - layer.kernel[axis];
      if (beyond < 0)
        throw Error(Place(row), rows_[0].cells[3 + axis], StrCat(layer.kernel[axis]),
                    StrCat("must not exceed the IFMAP's ", layer.input[axis]));
      // A last window that reaches over the edge counts.
      layer.pads[2 + axis] =
          (layer.strides[axis] - beyond % layer.strides[axis]) % layer.strides[axis];
    }
    return layer;
  }

  const std::string& file_;
  const std::vector<Row> rows_;
};

}  // namespace

bool IsScaleSim(std::string_view text) {
  const std::vector<Row> rows = RowsOf(text.substr(0, text.find('\n')));
  return !rows.empty() && rows[0].cells.size() > 3 && Lower(rows[0].cells[0]).starts_with("layer");
}

ShapeLayers ParseScaleSim(std::string_view text, const std::string& file) {
  return Topology(text, file).Parse();
}

}  // namespace vta::compiler
