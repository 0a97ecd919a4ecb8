// The boards that --engine names: a kind, and behind a colon which one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/device.h"

namespace vta::driver {

/// What a board's name can have behind the colon.
enum class BoardPath {
  kNone,  // nothing of the file system
  kNode,  // a device's node
  kFile,  // a file, which can as well be another with the same bytes
};

struct BoardKind {
  std::string_view name;   // "serial"
  std::string_view usage;  // "serial:DEVICE[@BAUD]"
  BoardPath path;
  /// Errors: throws Error where `where` is not as in `usage`.
  void (*check)(const std::string& where);
  /// `where` is what stands behind the colon, or empty.
  /// Errors: throws Error naming what is wrong with it, and as RegisterDevice.
  std::unique_ptr<Device> (*open)(const std::string& where, const isa::Config& config);
};

std::span<const BoardKind> BoardKinds();
/// How each is named on a command line.
std::vector<std::string> BoardUsages();

/// It is of a kind that there is.
bool IsBoard(const std::string& engine);
/// Opens nothing. Errors: as BoardKind::check; aborts where it is no board.
void CheckBoardName(const std::string& engine);
BoardPath PathKindOf(const std::string& engine);
/// The path in "xrt:FILE@INDEX". Errors: as CheckBoardName; aborts where its kind has none.
std::string PathOfBoard(const std::string& engine);
/// The same with another path.
std::string WithPath(const std::string& engine, const std::string& path);
/// Opens it for programs of a config. Errors: as BoardKind::open.
std::unique_ptr<Device> OpenBoard(const std::string& engine, const isa::Config& config);

}  // namespace vta::driver
