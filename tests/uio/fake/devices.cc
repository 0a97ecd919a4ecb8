#include "tests/uio/fake/devices.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "isa/support/file.h"
#include "tests/uio/fake/traps.h"

namespace vta::test::uio {
namespace {

constexpr std::string_view kPrefixes[] = {"/dev/uio", "/dev/udmabuf", "/sys/class/uio",
                                          "/sys/class/u-dma-buf"};
constexpr size_t kPage = 4096;

NodeKind KindOfPath(const std::string& path) {
  if (path.starts_with("/dev/uio")) return NodeKind::kUio;
  if (path.starts_with("/dev/udmabuf")) return NodeKind::kBuffer;
  if (path.ends_with("/sync_for_cpu")) return NodeKind::kSyncForCpu;
  if (path.ends_with("/sync_for_device")) return NodeKind::kSyncForDevice;
  return NodeKind::kOther;
}

}  // namespace

// Never destroyed: files are closed until the very end of the process.
Devices& Devices::Get() {
  static Devices* const devices = new Devices;
  return *devices;
}

// What this process runs (Verilator, to build a model) is on no board.
Devices::Devices() {
  if (const char* const root = std::getenv(kRootVariable)) root_ = root;
  unsetenv("LD_PRELOAD");
}

void Devices::SetRoot(const std::string& root) {
  root_ = root;
  board_.reset();
}

std::string Devices::PathOf(const std::string& path) const {
  if (root_.empty()) return "";
  for (const std::string_view prefix : kPrefixes)
    if (path.starts_with(prefix)) return root_ + path;
  return "";
}

void Devices::Opened(int file, const std::string& path) {
  const NodeKind kind = KindOfPath(path);
  if (kind == NodeKind::kUio && !board_) {
    try {
      board_ = std::make_unique<FakeBoard>(root_);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "fake board: %s\n", error.what());
      std::abort();
    }
    CatchRegisterAccesses();
  }
  const std::lock_guard lock(guard_);
  if (kind != NodeKind::kOther) files_[file] = kind;
}

void Devices::Closed(int file) {
  const std::lock_guard lock(guard_);
  files_.erase(file);
}

NodeKind Devices::KindOf(int file) const {
  const std::lock_guard lock(guard_);
  const auto it = files_.find(file);
  return it == files_.end() ? NodeKind::kOther : it->second;
}

size_t Devices::MostBytes(NodeKind kind) {
  if (kind == NodeKind::kBuffer) return board().buffer_bytes();
  const std::string size = ReadTextFile(root_ + "/sys/class/uio/uio0/maps/map0/size");
  return (std::strtoull(size.c_str(), nullptr, 0) + kPage - 1) / kPage * kPage;
}

void Devices::Mapped(NodeKind kind, void* memory, size_t bytes) {
  if (kind == NodeKind::kBuffer) {
    buffer_ = memory;
    board().MapBuffer(memory, bytes);
  } else {
    registers_ = static_cast<const uint8_t*>(memory);
    register_bytes_ = bytes;
  }
}

void Devices::Unmapped(void* memory) {
  if (memory == buffer_) {
    buffer_ = nullptr;
    board().UnmapBuffer();
  }
  if (memory == registers_) registers_ = nullptr;
}

std::optional<uint32_t> Devices::RegisterAt(const void* address) const {
  const auto* const at = static_cast<const uint8_t*>(address);
  if (!registers_ || at < registers_ || at >= registers_ + register_bytes_) return std::nullopt;
  return static_cast<uint32_t>(at - registers_);
}

}  // namespace vta::test::uio
