#include "sim/build/shell.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vta::sim {
namespace {

constexpr int64_t kMillisecond_ns = 1'000'000;
constexpr int64_t kLongestWait_ns = 20 * kMillisecond_ns;

// Holds the signals that interrupt for Wait, while it lives; those that are ignored stay so.
class Interruptions {
 public:
  Interruptions() {
    sigemptyset(&held_);
    for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~Interruptions() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  const sigset_t& before() const { return before_; }
  /// The signal that came, or 0 after a while.
  int Wait(int64_t ns) const {
    const timespec time{0, ns};
    return std::max(0, sigtimedwait(&held_, nullptr, &time));
  }

 private:
  sigset_t held_, before_;
};

// In a group of its own, so that all of it can be ended.
pid_t Start(const std::string& command, const sigset_t& signals) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int reason = posix_spawn(&child, "/bin/sh", &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (reason) throw Error("/bin/sh", "cannot run", "", std::strerror(reason));
  return child;
}

// First kindly, so that tools remove their own temporary files.
void End(pid_t group) {
  constexpr int kKindly = 100;
  kill(-group, SIGTERM);
  for (int i = 0; i < kKindly; ++i) {
    waitpid(group, nullptr, WNOHANG);
    if (kill(-group, 0) != 0 && errno == ESRCH) return;
    usleep(kLongestWait_ns / 1000);
  }
  kill(-group, SIGKILL);
  waitpid(group, nullptr, 0);
}

}  // namespace

std::string ShellQuoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool RunShell(const std::string& command, const std::function<void()>& on_wait) {
  const Interruptions interruptions;
  const pid_t child = Start(command, interruptions.before());
  int status = 0;
  for (int64_t wait_ns = kMillisecond_ns; waitpid(child, &status, WNOHANG) == 0;
       wait_ns = std::min(2 * wait_ns, kLongestWait_ns)) {
    const int signal = interruptions.Wait(wait_ns);
    if (signal == 0) {
      if (on_wait) on_wait();
      continue;
    }
    End(child);
    throw Interrupted(signal);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace vta::sim
