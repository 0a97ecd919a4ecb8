#include "tools/vta/hw/board.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/shipped.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

std::string OneWord(JsonReader& reader, std::string_view key) {
  std::string text = reader.String(key);
  if (text.empty() || text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_.:-") != std::string::npos)
    throw Error(reader.file(), reader.Place(key), text, "must be of letters, digits, _ . : and -");
  return text;
}

std::string Choice(JsonReader& reader, std::string_view key,
                   const std::vector<std::string>& choices) {
  std::string text = reader.String(key);
  if (std::ranges::find(choices, text) == choices.end())
    throw Error(reader.file(), reader.Place(key), text, StrCat("must be one of ", Listed(choices)));
  return text;
}

uint64_t Address(JsonReader& reader, std::string_view key) {
  const std::string text = reader.String(key);
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const bool is_hex = text.starts_with("0x") && text.size() > 2;
  const auto [stop, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, 16);
  constexpr uint64_t kPageBytes = 4096;
  if (!is_hex || error != std::errc() || stop != end || value % kPageBytes != 0)
    throw Error(reader.file(), reader.Place(key), text,
                "must be hexadecimal, 0x..., and a multiple of 4096");
  return value;
}

void ReadRanges(JsonReader& memory, Board& board) {
  for (const Json& row : memory.Array("ranges")) {
    JsonReader reader(row, memory.file(),
                      StrCat(memory.Place("ranges"), "[", board.memory_ranges.size(), "]"));
    Board::Range range{OneWord(reader, "segment"), Address(reader, "address"),
                       Address(reader, "bytes")};
    reader.Finish();
    if (range.bytes == 0 || range.address + (range.bytes - 1) < range.address)
      throw Error(reader.file(), reader.Place("bytes"), Hex(range.bytes),
                  "must be more than 0 and end inside 64 bits");
    board.memory_ranges.push_back(range);
  }
  if (board.memory_ranges.empty()) throw memory.Fail("ranges", "must name a range");
}

void ReadMemory(JsonReader& memory, Board& board) {
  board.memory_port = OneWord(memory, "port");
  board.memory_protocol = Choice(memory, "protocol", {"AXI3", "AXI4"});
  for (const Json& width : memory.Array("widths_bits")) {
    const int64_t* bits = width.as_int();
    if (!bits || *bits < 32 || *bits > 512)
      throw memory.Fail("widths_bits", "must be integers, 32 to 512");
    board.memory_widths_bits.push_back(*bits);
  }
  board.memory_cache = memory.String("cache");
  if (board.memory_cache.size() != 4 ||
      board.memory_cache.find_first_not_of("01") != std::string::npos)
    throw Error(memory.file(), memory.Place("cache"), board.memory_cache,
                "must be four bits, such as 0011");
  board.memory_is_coherent = memory.Bool("coherent");
  ReadRanges(memory, board);
  memory.Finish();
}

}  // namespace

Board ParseBoard(std::string_view text, const std::string& file) {
  const Json json = Json::Parse(text, file);
  JsonReader reader(json, file);
  Board board;
  board.name = OneWord(reader, "name");
  board.about = reader.String("about");
  board.vendor_part = OneWord(reader, "vendor_part");
  board.board_part = OneWord(reader, "board_part");
  board.part = &FindPart(Choice(reader, "part", PartNames()));
  board.processing_system = Choice(reader, "processing_system", {"zynq7", "zynqmp"});
  board.config = Choice(reader, "config", ShippedConfigs());

  JsonReader clock = reader.Object("clock");
  board.ps_clock_mhz = clock.Int("ps_mhz", 1, 1000);
  board.most_clock_mhz = clock.Int("most_mhz", 1, 1000);
  clock.Finish();

  JsonReader control = reader.Object("control");
  board.control_port = OneWord(control, "port");
  board.control_address = Address(control, "address");
  control.Finish();

  JsonReader memory = reader.Object("memory");
  ReadMemory(memory, board);

  JsonReader interrupt = reader.Object("interrupt");
  board.interrupt_port = OneWord(interrupt, "port");
  board.interrupt_spi = interrupt.Int("spi", 0, 987);
  interrupt.Finish();

  reader.Finish();
  return board;
}

std::vector<std::string> BoardNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ShippedPath("bitstreams/boards")))
    if (fs::exists(entry.path() / "board.json")) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string BoardFile(const std::string& board, const std::string& file) {
  return ShippedPath(StrCat("bitstreams/boards/", board, "/", file));
}

Board FindBoard(const std::string& name) {
  const std::vector<std::string> names = BoardNames();
  if (std::ranges::find(names, name) == names.end())
    throw UsageError("--board", "", name, StrCat("must be one of ", Listed(names)));
  const std::string file = BoardFile(name, "board.json");
  Board board = ParseBoard(ReadTextFile(file), file);
  if (board.name != name)
    throw Error(file, "name", board.name, StrCat("must be that of its folder, ", name));
  return board;
}

}  // namespace vta::tools
