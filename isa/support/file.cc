#include "isa/support/file.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "isa/support/error.h"

namespace vta {
namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void Fail(const std::string& path, const char* what, int reason) {
  throw Error(path, what, "", std::strerror(reason));
}

void RequireName(const std::string& path) {
  if (path.empty()) throw Error("", "file name", "\"\"", "must not be empty");
}

[[noreturn]] void FailLarge(const std::string& path, int64_t most) {
  throw Error(path, "size", "", StrCat("must be at most ", most, " bytes"));
}

template <typename Container>
Container Read(const std::string& path, int64_t most) {
  RequireName(path);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) Fail(path, "cannot open", errno);
  struct stat status {};
  if (fstat(fileno(file.get()), &status) != 0) Fail(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path, "cannot read", "", "is a directory");
  if (status.st_size > most) FailLarge(path, most);
  Container out;
  char chunk[65536];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof chunk, file.get())) > 0) {
    if (static_cast<int64_t>(out.size() + got) > most) FailLarge(path, most);
    out.insert(out.end(), chunk, chunk + got);
  }
  if (std::ferror(file.get())) Fail(path, "cannot read", errno);
  return out;
}

// Holds back, while it lives, the signals by which a user or the system ends a process.
class HoldSignals {
 public:
  HoldSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_;
};

// 0, or the reason why the bytes are not all in the file.
int WriteAll(const char* path, std::span<const uint8_t> bytes) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) return errno;
  errno = 0;
  bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int reason = errno;
  if (std::fclose(file) != 0 && good) reason = errno, good = false;
  return good ? 0 : reason ? reason : EIO;
}

// The file that a path's links lead to.
std::string Target(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::canonical(path, failed);
  return failed ? path : target.string();
}

}  // namespace

std::vector<uint8_t> ReadFile(const std::string& path, int64_t most) {
  return Read<std::vector<uint8_t>>(path, most);
}
std::string ReadTextFile(const std::string& path, int64_t most) {
  return Read<std::string>(path, most);
}

void RequireWritable(const std::string& path) {
  RequireName(path);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) Fail(path, "cannot write", EISDIR);
  const bool in_place = exists && !S_ISREG(status.st_mode);
  const std::string folder = std::filesystem::path(Target(path)).parent_path().string();
  const std::string place = in_place ? path : folder.empty() ? "." : folder;
  if (access(place.c_str(), W_OK) != 0) Fail(path, "cannot write", errno);
}

void WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  RequireWritable(path);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    if (const int reason = WriteAll(path.c_str(), bytes)) Fail(path, "cannot write", reason);
    return;
  }
  const HoldSignals hold;
  const std::string target = Target(path), temporary = StrCat(target, ".", getpid(), ".tmp");
  int reason = WriteAll(temporary.c_str(), bytes);
  if (!reason && exists && chmod(temporary.c_str(), status.st_mode & 07777) != 0) reason = errno;
  if (!reason && std::rename(temporary.c_str(), target.c_str()) != 0) reason = errno;
  if (!reason) return;
  std::remove(temporary.c_str());
  Fail(path, "cannot write", reason);
}

void WriteFileAtomically(const std::string& path, std::string_view text) {
  WriteFileAtomically(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace vta
