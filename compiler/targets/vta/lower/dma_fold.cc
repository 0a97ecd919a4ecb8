#include "compiler/targets/vta/lower/dma_fold.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kMostSize = 65535;  // 16-bit size and stride fields

/// One line of the tile: pads, a contiguous run of elements, pads. x 0: pads only.
struct TileLine {
  int64_t sram, left, x, right, dram;
  int64_t rows() const { return left + x + right; }
};

/// Whether the elements of every line are contiguous in DRAM, so that lines are what a DMA row is.
bool LinesAreRuns(const RowTable& table) {
  for (size_t row = 1; row < table.source.size(); ++row) {
    if (row % table.line == 0) continue;
    const int64_t a = table.source[row - 1], b = table.source[row];
    if (a >= 0 && b >= 0 && b != a + 1) return false;
  }
  return true;
}

/// The line of rows [begin, end); a load pads free rows where that completes it.
TileLine MakeLine(const RowTable& table, int64_t begin, int64_t end, bool load) {
  auto source = [&](int64_t row) { return table.source[row]; };
  int64_t first = begin, last = end;  // of the elements
  while (first < end && source(first) < 0) ++first;
  while (last > first && source(last - 1) < 0) --last;
  int64_t low = begin, high = end;  // of what has to be written
  while (low < end && source(low) <= RowTable::kFree) ++low;
  while (high > low && source(high - 1) <= RowTable::kFree) --high;
  const auto at = table.source.begin();
  const bool own = std::find(at + begin, at + end, RowTable::kKeep) == at + end;
  const bool narrow = first == end || (first - begin <= kMostPads && end - last <= kMostPads);
  if (load && own && narrow) low = begin, high = end;
  if (first == end) return {table.sram + low, high - low, 0, 0, 0};
  return {table.sram + low, first - low, last - first, high - last, source(first)};
}

std::vector<TileLine> MakeLines(const RowTable& table, bool load) {
  std::vector<TileLine> lines;
  const int64_t width = LinesAreRuns(table) ? table.line : 1;
  const int64_t rows = static_cast<int64_t>(table.source.size());
  const auto& source = table.source;
  const bool pads = std::find(source.begin(), source.end(), RowTable::kPad) != source.end();
  for (int64_t begin = 0; begin < rows; begin += width) {
    const auto first = table.source.begin() + begin;
    if (std::all_of(first, first + width, [](int64_t s) { return s <= RowTable::kFree; })) continue;
    const TileLine line = MakeLine(table, begin, begin + width, load);
    const bool joins =
        !pads && !lines.empty() && line.rows() == line.x && lines.back().rows() == lines.back().x &&
        lines.back().x > 0 && lines.back().sram + lines.back().x == line.sram &&
        lines.back().dram + lines.back().x == line.dram && lines.back().x + line.x <= kMostSize;
    if (joins)
      lines.back().x += line.x;
    else
      lines.push_back(line);
  }
  return lines;
}

/// Whether `line` is the next row of `dma`.
bool Extends(const Dma& dma, const TileLine& line) {
  const int64_t stride = line.dram - (dma.dram + (dma.y_size - 1) * dma.x_stride);
  return dma.y_pad_bottom == 0 && dma.x_pad_left == line.left && dma.x_size == line.x &&
         dma.x_pad_right == line.right && dma.sram + dma.SramRows() == line.sram &&
         dma.y_size < kMostSize && stride >= 0 && stride <= kMostSize &&
         (dma.y_size == 1 || stride == dma.x_stride);
}

Dma Begin(const TileLine& line, int64_t tensor, bool store) {
  Dma dma;
  dma.store = store;
  dma.tensor = tensor;
  dma.sram = line.sram, dma.dram = line.dram;
  dma.x_size = dma.x_stride = line.x;
  dma.x_pad_left = line.left, dma.x_pad_right = line.right;
  return dma;
}

void Extend(Dma* dma, const TileLine& line) {
  if (dma->y_size == 1) dma->x_stride = line.dram - dma->dram;
  ++dma->y_size;
}

/// Whether a line of pads continues the rows that `dma` writes.
bool ExtendsBottom(const Dma& dma, const TileLine& line) {
  return dma.y_pad_bottom < kMostPads && line.rows() == dma.SramRow() &&
         dma.sram + dma.SramRows() == line.sram;
}

}  // namespace

void FillFreeRows(int64_t elems, RowTable* table) {
  const int64_t rows = static_cast<int64_t>(table->source.size());
  const bool runs = LinesAreRuns(*table);
  for (int64_t begin = 0; begin < rows; begin += table->line) {
    const int64_t end = std::min(begin + table->line, rows);
    int64_t own = begin;
    while (own < end && table->source[own] < 0) ++own;
    for (int64_t row = begin; row < end; ++row) {
      int64_t& source = table->source[row];
      if (source != RowTable::kFree) continue;
      const int64_t next = own < end && runs ? table->source[own] + row - own : elems;
      source = next >= 0 && next < elems ? next : RowTable::kKeep;
    }
  }
}

std::vector<Dma> FoldLoad(const RowTable& table, int64_t tensor, bool pad_value,
                          const std::string& where) {
  std::vector<Dma> loads;
  std::vector<TileLine> top;  // lines of pads that the next load has to make
  auto fail = [&](const TileLine& line) {
    throw Error(where, "pad rows", std::to_string(line.rows()),
                StrCat("a load pads at most ", kMostPads, " on a side of at least one element"));
  };
  for (const TileLine& line : MakeLines(table, true)) {
    if (line.x == 0) {
      if (top.empty() && !loads.empty() && ExtendsBottom(loads.back(), line))
        ++loads.back().y_pad_bottom;
      else
        top.push_back(line);
      continue;
    }
    if (line.left > kMostPads || line.right > kMostPads) fail(line);
    if (top.empty() && !loads.empty() && Extends(loads.back(), line)) {
      Extend(&loads.back(), line);
      continue;
    }
    loads.push_back(Begin(line, tensor, false));
    if (top.empty()) continue;
    const int64_t pads = static_cast<int64_t>(top.size());
    for (int64_t i = 0; i < pads; ++i)
      if (top[i].rows() != line.rows() || top[i].sram != line.sram - (pads - i) * line.rows())
        fail(top[i]);
    if (pads > kMostPads) fail(top.front());
    loads.back().sram = top.front().sram;
    loads.back().y_pad_top = pads;
    top.clear();
  }
  if (!top.empty()) fail(top.front());
  for (Dma& load : loads)
    load.pad_value = pad_value && load.SramRows() != load.y_size * load.x_size;
  return loads;
}

std::vector<Dma> FoldStore(const RowTable& table, int64_t tensor) {
  std::vector<Dma> stores;
  for (const TileLine& line : MakeLines(table, false))
    if (!stores.empty() && Extends(stores.back(), line))
      Extend(&stores.back(), line);
    else
      stores.push_back(Begin(line, tensor, true));
  return stores;
}

}  // namespace vta::compiler::targets
