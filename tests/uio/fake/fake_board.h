// A board's kernel, as a driver in a process sees it: device nodes and sysfs below a folder, and
// behind them a simulated board.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/board/board.h"
#include "tests/uio/fake/host_cache.h"

namespace vta::test::uio {

/// The environment's variable that names the folder, and the file in it that says what the board
/// is: JSON with the members of BoardSettings.
inline constexpr char kRootVariable[] = "VTA_FAKE_UIO";
inline constexpr char kSettings[] = "/board.json";

struct BoardSettings {
  std::string config;  // a file
  std::string engine = "functional";
  std::string fault = "none";
  int64_t fault_after = 0;     // launches that go well before
  int64_t busy_looks = 1;      // at STATUS that find a launch busy, however short it is
  int64_t lose_every = 0;      // the interrupt of each so many launches is lost; 0: none
  int64_t spurious_every = 0;  // after each so many unmaskings one comes from nowhere; 0: none
  bool has_interrupt = true;   // in the device tree
  // Error numbers of what the nodes and files then refuse; 0: they do not.
  int sync_error = 0, unmask_error = 0, poll_error = 0, take_error = 0;
  std::string forgets;  // "sync_for_cpu" or "sync_for_device": succeeds and does nothing
};

class FakeBoard {
 public:
  /// Reads the settings, and address and size of the buffer from sysfs.
  /// Errors: throws Error naming the file.
  explicit FakeBoard(const std::string& root);

  /// An access of a register. No value, or false: the bus answers with an error.
  std::optional<uint32_t> Load(uint32_t offset);
  bool Store(uint32_t offset, uint32_t value);

  /// The UIO node. Each is 0 or an error number.
  int Unmask(bool unmask);
  int TakeInterrupt(int32_t& count);
  /// Time goes on. Would a read have something to take?
  int HasInterrupt(bool& has);

  void MapBuffer(void* host, size_t bytes);
  void UnmapBuffer();
  /// A command as it is written to sync_for_cpu or sync_for_device: 0, or an error number.
  int Sync(bool for_cpu, uint64_t command);

  size_t buffer_bytes() { return board_->memory().size(); }
  sim::Board& board() { return *board_; }
  int64_t interrupts() const { return count_; }
  int64_t waits() const { return waits_; }

 private:
  void AfterAccess();
  void Began();

  BoardSettings settings_;
  std::unique_ptr<sim::Board> board_;
  std::optional<HostCache> cache_;
  int64_t looks_ = int64_t{1} << 62;  // at STATUS since a launch began
  int64_t launches_ = 0, unmaskings_ = 0, waits_ = 0;
  int32_t count_ = 0, taken_ = 0;  // interrupts
  bool line_ = false, masked_ = false, lost_ = false;
};

}  // namespace vta::test::uio
