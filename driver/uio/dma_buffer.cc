#include "driver/uio/dma_buffer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "driver/device.h"
#include "driver/uio/sysfs.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::driver::uio {
namespace {

constexpr char kClass[] = "/sys/class/u-dma-buf";
constexpr uint64_t kPage = kAllocationAlignment;

// A command to sync_for_cpu and sync_for_device: offset in bits 63..32, size in 31..4, direction in
// 3..2, go in bit 0. One write says all, so that nothing is left set when a process dies.
constexpr int kOffsetLsb = 32, kDirectionLsb = 2;
constexpr uint64_t kGo = 1;
enum class Direction : uint8_t { kToDevice = 1, kFromDevice = 2 };
constexpr uint64_t kMostBytes = (uint64_t{1} << kOffsetLsb) - kPage;

std::string FolderOf(const std::string& name) {
  const std::vector<std::string> names = ListSysfs(kClass);
  if (std::ranges::find(names, name) != names.end()) return StrCat(kClass, "/", name);
  std::string list;
  for (const std::string& one : names) list += StrCat(list.empty() ? "" : ", ", one);
  throw Error(kClass, "", name,
              names.empty() ? "there is no contiguous buffer: u-dma-buf is not loaded, or without "
                              "a size (docs/uio.md)"
                            : "no contiguous buffer is called so; there are " + list);
}

uint64_t ReadAddress(const std::string& folder) {
  const std::string file = folder + "/phys_addr";
  const uint64_t address = ReadSysfsNumber(file);
  if (address % kPage != 0)
    throw Error(file, "", Hex(address), StrCat("must be a multiple of ", kPage, ", a page"));
  return address;
}

// Its whole pages.
size_t ReadSize(const std::string& folder, uint64_t address) {
  const std::string file = folder + "/size";
  const uint64_t size = ReadSysfsNumber(file);
  if (size < kPage)
    throw Error(file, "", std::to_string(size), StrCat("must be at least ", kPage, ", a page"));
  if (address > isa::kAddressMask || size - 1 > isa::kAddressMask - address)
    throw Error(folder + "/phys_addr", "", Hex(address),
                StrCat("with ", Counted(size, "byte"),
                       " it ends above what the accelerator reaches, ", Hex(isa::kAddressMask)));
  return static_cast<size_t>(std::min(size / kPage * kPage, kMostBytes));
}

OpenFile OpenNode(const std::string& name) {
  OpenFile node("/dev/" + name, O_RDWR);
  node.Lock();
  return node;
}

void Command(const OpenFile& file, uint64_t offset, uint64_t bytes, Direction direction) {
  if (bytes == 0) return;
  constexpr uint64_t kLine = DmaBuffer::kLineBytes;
  const uint64_t begin = offset / kLine * kLine;
  const uint64_t end = (offset + bytes + kLine - 1) / kLine * kLine;
  const std::string command = Hex(begin << kOffsetLsb | (end - begin) |
                                  static_cast<uint64_t>(direction) << kDirectionLsb | kGo);
  const ssize_t written = pwrite(file.descriptor(), command.data(), command.size(), 0);
  if (written != static_cast<ssize_t>(command.size()))
    throw Error(file.path(), "", command,
                StrCat("cannot write: ", written < 0 ? std::strerror(errno) : "a part was taken"));
}

}  // namespace

DmaBuffer::DmaBuffer(const std::string& name) : DmaBuffer(name, FolderOf(name)) {}

// Without O_SYNC: with it, writes would wait in buffers that no process can drain.
DmaBuffer::DmaBuffer(const std::string& name, const std::string& folder)
    : address_(ReadAddress(folder)),
      node_(OpenNode(name)),
      memory_(node_, ReadSize(folder, address_)),
      for_cpu_(folder + "/sync_for_cpu", O_WRONLY),
      for_device_(folder + "/sync_for_device", O_WRONLY) {}

void DmaBuffer::SyncForDevice(uint64_t offset, uint64_t bytes) const {
  Command(for_device_, offset, bytes, Direction::kToDevice);
}

void DmaBuffer::SyncForHost(uint64_t offset, uint64_t bytes) const {
  Command(for_cpu_, offset, bytes, Direction::kFromDevice);
}

}  // namespace vta::driver::uio
