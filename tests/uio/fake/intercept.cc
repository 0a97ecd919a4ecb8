// The C library's functions that reach a board's device nodes and sysfs: where a path or an open
// file is one of those, the fake board answers in place of the kernel. What is below /dev/uio,
// /dev/udmabuf and /sys/class/{uio,u-dma-buf} is looked up below the root folder.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/uio/fake/devices.h"

#define VTA_INTERCEPT extern "C" __attribute__((visibility("default")))

namespace vta::test::uio {
namespace {

template <typename Function>
Function* Next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The C library's own function of that name.
#define VTA_NEXT(name) static auto* const next = ::vta::test::uio::Next(&::name, #name)

int Fail(int error) {
  errno = error;
  return -1;
}

// Root may do anything; these nodes heed their permissions.
bool IsRefused(const std::string& path, int flags) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return false;
  const int access = flags & O_ACCMODE;
  return (access != O_WRONLY && !(status.st_mode & S_IRUSR)) ||
         (access != O_RDONLY && !(status.st_mode & S_IWUSR));
}

template <typename Open>
int OpenAs(Open* next, const char* path, int flags, mode_t mode) {
  const std::string fake = Devices::Get().PathOf(path);
  if (fake.empty()) return next(path, flags, mode);
  if (IsRefused(fake, flags)) return Fail(EACCES);
  const int file = next(fake.c_str(), flags & ~O_CREAT, mode);
  if (file >= 0) Devices::Get().Opened(file, path);
  return file;
}

mode_t ModeOf(int flags, va_list arguments) {
  return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace vta::test::uio

using vta::test::uio::Devices;
using vta::test::uio::Fail;
using vta::test::uio::NodeKind;

VTA_INTERCEPT int open(const char* path, int flags, ...) {
  VTA_NEXT(open);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = vta::test::uio::ModeOf(flags, arguments);
  va_end(arguments);
  return vta::test::uio::OpenAs(next, path, flags, mode);
}

VTA_INTERCEPT int open64(const char* path, int flags, ...) {
  VTA_NEXT(open64);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = vta::test::uio::ModeOf(flags, arguments);
  va_end(arguments);
  return vta::test::uio::OpenAs(next, path, flags, mode);
}

VTA_INTERCEPT FILE* fopen(const char* path, const char* mode) {
  VTA_NEXT(fopen);
  const std::string fake = Devices::Get().PathOf(path);
  return next(fake.empty() ? path : fake.c_str(), mode);
}

VTA_INTERCEPT DIR* opendir(const char* path) {
  VTA_NEXT(opendir);
  const std::string fake = Devices::Get().PathOf(path);
  return next(fake.empty() ? path : fake.c_str());
}

VTA_INTERCEPT int close(int file) {
  VTA_NEXT(close);
  Devices::Get().Closed(file);
  return next(file);
}

VTA_INTERCEPT ssize_t read(int file, void* bytes, size_t size) {
  VTA_NEXT(read);
  if (Devices::Get().KindOf(file) != NodeKind::kUio) return next(file, bytes, size);
  int32_t count = 0;
  if (size != sizeof count) return Fail(EINVAL);
  if (const int error = Devices::Get().board().TakeInterrupt(count)) return Fail(error);
  std::memcpy(bytes, &count, sizeof count);
  return sizeof count;
}

VTA_INTERCEPT ssize_t write(int file, const void* bytes, size_t size) {
  VTA_NEXT(write);
  if (Devices::Get().KindOf(file) != NodeKind::kUio) return next(file, bytes, size);
  int32_t unmask = 0;
  if (size != sizeof unmask) return Fail(EINVAL);
  std::memcpy(&unmask, bytes, sizeof unmask);
  if (const int error = Devices::Get().board().Unmask(unmask != 0)) return Fail(error);
  return sizeof unmask;
}

VTA_INTERCEPT ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  VTA_NEXT(pwrite);
  const NodeKind kind = Devices::Get().KindOf(file);
  if (kind != NodeKind::kSyncForCpu && kind != NodeKind::kSyncForDevice)
    return next(file, bytes, size, offset);
  const std::string text(static_cast<const char*>(bytes), size);
  const int error = Devices::Get().board().Sync(kind == NodeKind::kSyncForCpu,
                                                std::strtoull(text.c_str(), nullptr, 0));
  return error ? Fail(error) : static_cast<ssize_t>(size);
}

VTA_INTERCEPT int poll(pollfd* files, nfds_t count, int limit_ms) {
  VTA_NEXT(poll);
  if (count != 1 || Devices::Get().KindOf(files->fd) != NodeKind::kUio)
    return next(files, count, limit_ms);
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::milliseconds(limit_ms);
  bool has = false;
  do {
    if (const int error = Devices::Get().board().HasInterrupt(has)) return Fail(error);
  } while (!has && steady_clock::now() < end);
  files->revents = has ? POLLIN : 0;
  return has;
}

VTA_INTERCEPT void* mmap(void* at, size_t bytes, int protection, int flags, int file,
                         off_t offset) noexcept {
  VTA_NEXT(mmap);
  const NodeKind kind = file < 0 ? NodeKind::kOther : Devices::Get().KindOf(file);
  if (kind != NodeKind::kUio && kind != NodeKind::kBuffer)
    return next(at, bytes, protection, flags, file, offset);
  if (offset != 0 || !(flags & MAP_SHARED) || bytes > Devices::Get().MostBytes(kind)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if (kind == NodeKind::kUio) protection = PROT_NONE;  // see traps.cc
  void* const memory = next(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) Devices::Get().Mapped(kind, memory, bytes);
  return memory;
}

VTA_INTERCEPT int munmap(void* memory, size_t bytes) noexcept {
  VTA_NEXT(munmap);
  Devices::Get().Unmapped(memory);
  return next(memory, bytes);
}
