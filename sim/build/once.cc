#include "sim/build/once.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/temporary.h"
#include "sim/build/shell.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Holds others off while one process builds a model. The tools inherit it: where the process is
// killed, the next one waits until what it started has ended too.
class FileLock {
 public:
  FileLock(const std::string& path, const std::function<void(const std::string&)>& on_wait)
      : file_(open(path.c_str(), O_CREAT | O_RDWR, 0644)) {
    if (file_ < 0) throw Error(path, "cannot open", "", std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (on_wait) on_wait("waiting for another process that builds the model");
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { close(file_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

// Where a build fails because there is no room, its tools say anything but that.
// Errors: throws Error naming the folder and the system's reason.
void RequireRoom(const std::string& folder, const std::string& title) {
  constexpr size_t kBytes = 1 << 20;
  try {
    WriteFileAtomically(folder + "/room", std::string(kBytes, ' '));
  } catch (const Error& error) {
    throw Error(fs::path(folder).parent_path().string(), title, "",
                "cannot be built there: " + error.rule());
  }
}

// A model in the cache ends with a hash of all before it: what was cut off or overwritten would
// crash whoever runs it. Loaders read nothing behind the sections.
constexpr std::string_view kSealMark = "\nvta model ";

std::string Seal(std::span<const uint8_t> model) {
  return StrCat(kSealMark, Hex(Hasher().Bytes(model).value(), 16));
}

bool IsWhole(const std::string& path) {
  if (!fs::exists(path)) return false;
  const std::vector<uint8_t> file = ReadFile(path);
  const size_t seal = Seal({}).size();
  if (file.size() < seal) return false;
  const std::span model = std::span(file).first(file.size() - seal);
  return std::ranges::equal(std::span(file).last(seal), Seal(model));
}

std::string Tail(const std::string& text) {
  constexpr size_t kBytes = 2000;
  return text.size() <= kBytes ? text : "..." + text.substr(text.size() - kBytes);
}

}  // namespace

std::string WholePath(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder, error);
  if (error) throw Error(folder, "", "", "cannot be read: " + error.message());
  return fs::absolute(path).string();
}

std::string CacheFolder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (std::string dir = Environment("VTA_CACHE_DIR"); !dir.empty()) return dir;
  if (std::string dir = Environment("XDG_CACHE_HOME"); !dir.empty()) return dir + "/vta";
  if (std::string dir = Environment("HOME"); !dir.empty()) return dir + "/.cache/vta";
  return TemporaryRoot() + "/vta";
}

void Builder::Write(const std::string& file, const std::string& text) const {
  WriteFileAtomically(folder_ + "/" + file, text);
}

void Builder::Run(const std::string& source_dir, const std::string& script) const {
  Write("build.sh", script);
  if (RunShell(StrCat("cd ", ShellQuoted(folder_), " && SOURCE=", ShellQuoted(source_dir),
                      " sh -x ./build.sh >>", ShellQuoted(log_), " 2>&1")))
    return;
  RequireRoom(folder_, title_);
  throw Error(subject_, title_, "", StrCat("the build failed; its log is ", log_),
              ":\n" + Tail(ReadTextFile(log_)));
}

std::string BuildOnce(const BuildRequest& request,
                      const std::function<void(const Builder&)>& make) {
  const std::string cache_dir = WholePath(CacheFolder(request.cache_dir));
  const std::string base =
      StrCat(cache_dir, "/", request.kind, "-", Hex(request.hash, 16).substr(2));
  const std::string path = base + ".so", log = base + ".log";
  if (IsWhole(path)) return path;

  std::error_code error;
  fs::create_directories(cache_dir, error);
  if (error) throw Error(cache_dir, "", "", "cannot be made: " + error.message());
  const FileLock lock(base + ".lock", request.on_wait);
  if (IsWhole(path)) return path;
  const Temporary work(base + ".build");
  fs::remove_all(work.path(), error);  // of a build that was killed
  fs::create_directories(work.path());
  const Builder builder(work.path(), log, request.title, request.subject);
  WriteFileAtomically(log, "");
  if (request.on_wait)
    request.on_wait(StrCat("building the ", request.title, " of ", request.subject, ", log ", log));
  make(builder);
  std::vector<uint8_t> model = ReadFile(work.path() + "/model.so");
  const std::string seal = Seal(model);
  model.insert(model.end(), seal.begin(), seal.end());
  WriteFileAtomically(path, model);
  return path;
}

}  // namespace vta::sim
