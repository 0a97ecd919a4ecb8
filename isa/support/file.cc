#include "isa/support/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "isa/support/temporary.h"

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

[[noreturn]] void FailLarge(const std::string& path, int64_t most, bool is_regular) {
  throw Error(path, "size", "",
              StrCat("must be at most ", Counted(most, "byte"),
                     is_regular ? "" : " where it is no regular file"));
}

template <typename Container>
Container Read(const std::string& path, int64_t most) {
  RequireName(path);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) Fail(path, "cannot open", errno);
  struct stat status {};
  if (fstat(fileno(file.get()), &status) != 0) Fail(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path, "cannot read", "", "is a directory");
  const bool is_regular = S_ISREG(status.st_mode);
  if (!is_regular) most = std::min(most, kMostStreamBytes);
  if (status.st_size > most) FailLarge(path, most, is_regular);
  Container out;
  out.reserve(static_cast<size_t>(status.st_size));
  char chunk[65536];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof chunk, file.get())) > 0) {
    if (static_cast<int64_t>(out.size() + got) > most) FailLarge(path, most, is_regular);
    out.insert(out.end(), chunk, chunk + got);
  }
  if (std::ferror(file.get())) Fail(path, "cannot read", errno);
  return out;
}

bool WriteBlocks(std::FILE* file, std::span<const uint8_t> bytes, bool holes) {
  constexpr size_t kBlock = 1 << 16;
  for (size_t at = 0; at < bytes.size(); at += kBlock) {
    const auto block = bytes.subspan(at, std::min(kBlock, bytes.size() - at));
    const bool skip = holes && std::ranges::all_of(block, [](uint8_t b) { return b == 0; });
    if (skip ? fseeko(file, static_cast<off_t>(block.size()), SEEK_CUR) != 0
             : std::fwrite(block.data(), 1, block.size(), file) != block.size())
      return false;
  }
  // The file may end with a hole.
  return !holes ||
         (std::fflush(file) == 0 && ftruncate(fileno(file), static_cast<off_t>(bytes.size())) == 0);
}

// 0, or the reason why the bytes are not all in the file. With `holes`, which only a regular file
// can have, blocks of zeros take no room.
int WriteAll(const char* path, std::span<const uint8_t> bytes, bool holes) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) return errno;
  errno = 0;
  bool good = WriteBlocks(file, bytes, holes);
  int reason = errno;
  if (std::fclose(file) != 0 && good) reason = errno, good = false;
  return good ? 0 : reason ? reason : EIO;
}

}  // namespace

std::vector<uint8_t> ReadFile(const std::string& path, int64_t most) {
  return Read<std::vector<uint8_t>>(path, most);
}
std::string ReadTextFile(const std::string& path, int64_t most) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::string text = Read<std::string>(path, most);
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

std::string LinkTarget(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as the system follows
  fs::path at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code none;
    const fs::path next = fs::read_symlink(at, none);
    if (none) return at.string();
    at = at.parent_path() / next;
  }
  return path;
}

void RequireWritable(const std::string& path) {
  RequireName(path);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) Fail(path, "cannot write", errno);
  if (exists && S_ISDIR(status.st_mode)) Fail(path, "cannot write", EISDIR);
  const bool in_place = exists && !S_ISREG(status.st_mode);
  const std::string folder = std::filesystem::path(LinkTarget(path)).parent_path().string();
  const std::string place = in_place ? path : folder.empty() ? "." : folder;
  if (access(place.c_str(), W_OK) != 0) Fail(path, "cannot write", errno);
}

void WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  RequireWritable(path);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    if (const int reason = WriteAll(path.c_str(), bytes, false)) Fail(path, "cannot write", reason);
    return;
  }
  const std::string target = LinkTarget(path);
  const Temporary temporary(StrCat(target, ".", getpid(), ".tmp"));
  const char* const written = temporary.path().c_str();
  int reason = WriteAll(written, bytes, true);
  if (!reason && exists && chmod(written, status.st_mode & 07777) != 0) reason = errno;
  if (!reason && std::rename(written, target.c_str()) != 0) reason = errno;
  if (reason) Fail(path, "cannot write", reason);
}

void WriteFileAtomically(const std::string& path, std::string_view text) {
  WriteFileAtomically(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace vta
