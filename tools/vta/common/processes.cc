#include "tools/vta/common/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <vector>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

// What a process says first: whether the rest is its result or what it failed of.
constexpr char kResult = 'r', kFailure = 'f';

struct Running {
  int64_t job;
  pid_t process;
  int pipe;
  Clock::time_point end;
  std::string said = {};
};

[[noreturn]] void ThrowOfSystem(const char* what) {
  throw Error("process", what, "", StrCat("the system refuses: ", std::strerror(errno)));
}

void WriteAll(int descriptor, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) at += static_cast<size_t>(written);
  }
}

[[noreturn]] void Work(int pipe, pid_t parent, const std::function<std::string()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // Files that this process has locked are not the child's to hold.
  close_range(3, static_cast<unsigned>(pipe) - 1, 0);
  close_range(static_cast<unsigned>(pipe) + 1, ~0U, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM})
    if (::signal(number, SIG_DFL) == SIG_IGN) ::signal(number, SIG_IGN);
  std::string said;
  try {
    said = kResult + work();
  } catch (const std::exception& error) {
    said = kFailure + std::string(error.what());
  }
  WriteAll(pipe, said);
  _exit(0);  // nothing of the parent's is flushed or destroyed twice
}

Running Start(int64_t job, const ProcessLimits& limits,
              const std::function<std::string(int64_t)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) ThrowOfSystem("pipe");
  const pid_t parent = getpid(), process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    ThrowOfSystem("fork");
  }
  if (process == 0) Work(ends[1], parent, [&] { return work(job); });
  close(ends[1]);
  return {job, process, ends[0], Clock::now() + limits.time};
}

/// False at its end.
bool ReadSome(Running& one) {
  char buffer[65536];
  const ssize_t got = read(one.pipe, buffer, sizeof buffer);
  if (got > 0) one.said.append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

JobEnd EndOf(Running& one, bool in_time, const ProcessLimits& limits) {
  close(one.pipe);
  if (!in_time) kill(one.process, SIGKILL);
  int status = 0;
  while (waitpid(one.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    return {"",
            StrCat("took more than ",
                   std::chrono::duration_cast<std::chrono::seconds>(limits.time).count(), " s")};
  if (WIFSIGNALED(status)) return {"", StrCat("ended by SIG", sigabbrev_np(WTERMSIG(status)))};
  if (WEXITSTATUS(status) != 0 || one.said.empty()) return {"", "ended without a result"};
  const std::string rest = one.said.substr(1);
  return one.said[0] == kResult ? JobEnd{rest, ""} : JobEnd{"", rest};
}

/// Those that run, ended at the latest with it.
class Pool {
 public:
  explicit Pool(const ProcessLimits& limits) : limits_(limits) {}
  ~Pool() {
    for (Running& one : running_) EndOf(one, false, limits_);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool HasRoom() const { return std::ssize(running_) < limits_.at_once; }
  bool IsEmpty() const { return running_.empty(); }
  void Add(Running one) { running_.push_back(std::move(one)); }

  /// Waits until one has ended, and takes it out.
  std::pair<int64_t, JobEnd> Next() {
    for (;;) {
      std::vector<pollfd> wanted;
      auto end = Clock::time_point::max();
      for (const Running& one : running_) {
        wanted.push_back({one.pipe, POLLIN, 0});
        end = std::min(end, one.end);
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
      const int ready = poll(wanted.data(), wanted.size(),
                             static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX)));
      if (ready < 0 && errno != EINTR) ThrowOfSystem("poll");
      for (size_t i = 0; i < running_.size(); ++i) {
        const bool in_time = Clock::now() < running_[i].end;
        if (ready > 0 && wanted[i].revents != 0 && ReadSome(running_[i]) && in_time) continue;
        if (ready > 0 && wanted[i].revents == 0 && in_time) continue;
        if (ready <= 0 && in_time) continue;
        Running one = std::move(running_[i]);
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        return {one.job, EndOf(one, in_time, limits_)};
      }
    }
  }

 private:
  const ProcessLimits limits_;
  std::vector<Running> running_;
};

}  // namespace

void RunInProcesses(int64_t jobs, const ProcessLimits& limits,
                    const std::function<std::string(int64_t job)>& work,
                    const std::function<bool(int64_t job, const JobEnd& end)>& done) {
  Pool pool(limits);
  for (int64_t next = 0; next < jobs || !pool.IsEmpty();) {
    if (next < jobs && pool.HasRoom()) {
      pool.Add(Start(next++, limits, work));
      continue;
    }
    const auto [job, end] = pool.Next();
    if (!done(job, end)) return;
  }
}

}  // namespace vta::tools
