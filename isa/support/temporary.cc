#include "isa/support/temporary.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>

#include "isa/support/error.h"

namespace vta {
namespace {

// The signals by which a user, the system or a fault ends a process.
constexpr int kSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE, SIGUSR1,
                            SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
constexpr int kMostTemporaries = 64;

// What a handler can reach: the paths that are owned now, and by which process.
std::atomic<const char*> paths[kMostTemporaries];
std::atomic<pid_t> owner;

std::mutex mutex;  // guards what follows
int owned = 0;
struct sigaction before[std::size(kSignals)];

// Only what a handler may call. A folder goes by rm, in a process of its own.
void Remove(const char* path) {
  if (unlink(path) == 0 || errno == ENOENT) return;
  const pid_t child = _Fork();
  if (child == 0) {
    execl("/bin/rm", "rm", "-rf", "--", path, nullptr);
    _exit(127);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void RemoveAndEnd(int signal) {
  if (getpid() == owner)  // a fork of it owns nothing
    for (const std::atomic<const char*>& slot : paths)
      if (const char* path = slot) Remove(path);
  struct sigaction end {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
  raise(signal);  // comes when the handler has returned
}

void Install() {
  struct sigaction remove {};
  remove.sa_handler = RemoveAndEnd;
  sigfillset(&remove.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    const bool is_default = !(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL;
    if (is_default) sigaction(kSignals[i], &remove, nullptr);
  }
}

void Restore() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction now {};
    sigaction(kSignals[i], nullptr, &now);
    if (now.sa_handler == RemoveAndEnd) sigaction(kSignals[i], &before[i], nullptr);
  }
}

}  // namespace

Temporary::Temporary(std::string path) : path_(std::move(path)) {
  const std::lock_guard lock(mutex);
  owner = getpid();
  if (owned++ == 0) Install();
  for (slot_ = 0; slot_ < kMostTemporaries && paths[slot_]; ++slot_) {
  }
  VTA_CHECK(slot_ < kMostTemporaries, path_);
  paths[slot_] = path_.c_str();
}

Temporary::~Temporary() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(mutex);
  paths[slot_] = nullptr;
  if (--owned == 0) Restore();
}

std::string TemporaryRoot() {
  const char* const variable = std::getenv("TMPDIR");
  const std::string root = variable && *variable ? variable : "/tmp";
  std::error_code error;
  if (!std::filesystem::is_directory(root, error))
    throw Error("", root == "/tmp" ? "temporary folder" : "TMPDIR", root,
                error && error != std::errc::no_such_file_or_directory
                    ? error.message()
                    : "must be a folder that is there");
  return root;
}

std::string NewTemporaryFolder(const std::string& name) {
  const std::string root = TemporaryRoot();
  std::string path = (std::filesystem::path(root) / (name + "-XXXXXX")).string();
  if (!mkdtemp(path.data()))
    throw Error("", root == "/tmp" ? "temporary folder" : "TMPDIR", root,
                StrCat("no folder can be made in it: ", std::strerror(errno)));
  return path;
}

}  // namespace vta
