#include "driver/boards.h"

#include <algorithm>

#include "driver/numbered_path.h"
#include "driver/serial/serial_device.h"
#include "driver/uio/uio_device.h"
#include "driver/xrt/xrt_device.h"
#include "isa/support/error.h"

namespace vta::driver {
namespace {

const BoardKind* Find(const std::string& engine) {
  const std::string name = engine.substr(0, engine.find(':'));
  const auto found = std::ranges::find(BoardKinds(), name, &BoardKind::name);
  return found == BoardKinds().end() ? nullptr : &*found;
}

const BoardKind& Known(const std::string& engine) {
  const BoardKind* const kind = Find(engine);
  VTA_CHECK(kind, engine);
  return *kind;
}

std::string Where(const std::string& engine) {
  const size_t colon = engine.find(':');
  return colon == std::string::npos ? "" : engine.substr(colon + 1);
}

}  // namespace

// In the order of the alphabet.
std::span<const BoardKind> BoardKinds() {
  static const std::vector<BoardKind> kinds = {
      {"serial", kSerialUsage, BoardPath::kNode,
       [](const std::string& where) { ParseSerial(where); }, OpenSerial},
      {"uio", "uio[:NAME[@BUFFER]]", BoardPath::kNone, [](const std::string&) {}, uio::OpenUio},
      {"xrt", kXrtUsage, BoardPath::kFile,
       [](const std::string& where) { ParseNumberedPath(where, kXrtUsage); }, OpenXrt},
  };
  return kinds;
}

std::vector<std::string> BoardUsages() {
  std::vector<std::string> usages;
  for (const BoardKind& kind : BoardKinds()) usages.emplace_back(kind.usage);
  return usages;
}

bool IsBoard(const std::string& engine) { return Find(engine) != nullptr; }

void CheckBoardName(const std::string& engine) { Known(engine).check(Where(engine)); }

BoardPath PathKindOf(const std::string& engine) { return Known(engine).path; }

std::string PathOfBoard(const std::string& engine) {
  const BoardKind& kind = Known(engine);
  VTA_CHECK(kind.path != BoardPath::kNone, engine);
  return ParseNumberedPath(Where(engine), kind.usage).path;
}

std::string WithPath(const std::string& engine, const std::string& path) {
  const std::string where = Where(engine), old = PathOfBoard(engine);
  return StrCat(Known(engine).name, ":", path, where.substr(old.size()));
}

std::unique_ptr<Device> OpenBoard(const std::string& engine, const isa::Config& config) {
  return Known(engine).open(Where(engine), config);
}

}  // namespace vta::driver
