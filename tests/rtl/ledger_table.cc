#include "tests/rtl/ledger_table.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::test {
namespace {

constexpr std::string_view kHead =
    "program,config,latency,programs,left_out,instructions,cycles,different,timing_hash,rtl,model,"
    "first";
constexpr size_t kColumns = 12;

std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells(1);
  for (const char letter : line)
    if (letter == ',' && cells.size() < kColumns)
      cells.emplace_back();
    else
      cells.back() += letter;
  return cells;
}

LedgerRow RowOf(const std::string& line, const std::string& where) {
  const std::vector<std::string> cells = Cells(line);
  if (cells.size() != kColumns) throw Error(where, "", line, StrCat("must be ", kHead));
  const auto number = [&](size_t cell) {
    int64_t value = 0;
    const std::string& text = cells[cell];
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
      throw Error(where, "", text, "must be a number");
    return value;
  };
  return {cells[0],  cells[1],  number(2), number(3), number(4), number(5),
          number(6), number(7), cells[8],  cells[9],  cells[10], cells[11]};
}

std::string LineOf(const LedgerRow& row) {
  return StrCat(row.program, ",", row.config, ",", row.latency, ",", row.programs, ",",
                row.left_out, ",", row.instructions, ",", row.cycles, ",", row.different, ",",
                row.timing_hash, ",", row.rtl, ",", row.model, ",", row.first, "\n");
}

}  // namespace

LedgerTable::LedgerTable(std::string path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) return;
  const std::string text = ReadTextFile(path_);
  int64_t line = 1;
  for (size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
    rows_.push_back(RowOf(text.substr(at, text.find('\n', at) - at), StrCat(path_, ":", ++line)));
}

const LedgerRow* LedgerTable::Find(const LedgerRow& row) const {
  for (const LedgerRow& have : rows_)
    if (have.key() == row.key() && have.timing_hash == row.timing_hash && have.rtl == row.rtl)
      return &have;
  return nullptr;
}

void LedgerTable::Put(LedgerRow row) {
  std::ranges::replace(row.first, '\n', ' ');
  std::erase_if(rows_, [&](const LedgerRow& have) { return have.key() == row.key(); });
  const auto place = std::ranges::upper_bound(rows_, row.key(), {}, &LedgerRow::key);
  rows_.insert(place, std::move(row));
  std::string text = StrCat(kHead, "\n");
  for (const LedgerRow& have : rows_) text += LineOf(have);
  WriteFileAtomically(path_, text);
}

}  // namespace vta::test
