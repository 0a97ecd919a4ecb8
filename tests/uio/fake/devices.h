// Which open files and which memory of this process are the fake board's.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/uio/fake/fake_board.h"

namespace vta::test::uio {

enum class NodeKind : uint8_t { kOther, kUio, kBuffer, kSyncForCpu, kSyncForDevice };

class Devices {
 public:
  /// Those of this process.
  static Devices& Get();

  /// From now on, below that folder; a board is made anew when its nodes are opened. Empty: there
  /// is no fake.
  void SetRoot(const std::string& root);

  /// Where a path of the board's really lies; empty for any other path.
  std::string PathOf(const std::string& path) const;

  void Opened(int file, const std::string& path);
  void Closed(int file);
  NodeKind KindOf(int file) const;
  /// That a process may map.
  size_t MostBytes(NodeKind kind);
  void Mapped(NodeKind kind, void* memory, size_t bytes);
  void Unmapped(void* memory);

  /// The offset of a register, or nothing.
  std::optional<uint32_t> RegisterAt(const void* address) const;

  FakeBoard& board() { return *board_; }

 private:
  Devices();

  std::string root_;
  std::unique_ptr<FakeBoard> board_;
  mutable std::mutex guard_;
  std::map<int, NodeKind> files_;
  const uint8_t* registers_ = nullptr;
  size_t register_bytes_ = 0;
  void* buffer_ = nullptr;
};

}  // namespace vta::test::uio
