#include "tools/vta/common/processes.h"

#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

// What an answer begins with: whether the rest is a result or what the job failed of.
constexpr char kResult = 'r', kFailure = 'f';

constexpr std::chrono::milliseconds kLongestWait{50};  // where somebody is called meanwhile

[[noreturn]] void ThrowOfSystem(const char* what) {
  throw Error("process", what, "", StrCat("the system refuses: ", std::strerror(errno)));
}

/// False where the other end is gone.
bool SendAll(int socket, const void* data, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t sent =
        send(socket, static_cast<const char*>(data) + at, bytes - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) at += static_cast<size_t>(sent);
  }
  return true;
}

/// False at its end.
bool ReceiveAll(int socket, void* data, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = read(socket, static_cast<char*>(data) + at, bytes - at);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) at += static_cast<size_t>(got);
  }
  return true;
}

[[noreturn]] void Work(int socket, pid_t parent, const std::function<std::string(int64_t)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // Files that this process has locked are not the child's to hold.
  close_range(3, static_cast<unsigned>(socket) - 1, 0);
  close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM})
    if (::signal(number, SIG_DFL) == SIG_IGN) ::signal(number, SIG_IGN);
  // A job uses the memory of the one before, which the system then need not clear again.
  mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024 * sizeof(long));  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  int64_t job = 0;
  while (ReceiveAll(socket, &job, sizeof job)) {
    std::string said;
    try {
      said = kResult + work(job);
    } catch (const std::exception& error) {
      said = kFailure + std::string(error.what());
    }
    const uint64_t bytes = said.size();
    if (!SendAll(socket, &bytes, sizeof bytes) || !SendAll(socket, said.data(), said.size())) break;
  }
  _exit(0);  // nothing of the parent's is flushed or destroyed twice
}

/// A process that does one job at a time.
class Worker {
 public:
  explicit Worker(const std::function<std::string(int64_t)>& work) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ThrowOfSystem("socketpair");
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) {
      close(ends[0]);
      close(ends[1]);
      ThrowOfSystem("fork");
    }
    if (process_ == 0) Work(ends[1], parent, work);
    close(ends[1]);
    socket_ = ends[0];
  }
  ~Worker() { End(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False where the process is gone already.
  bool Begin(int64_t job, const ProcessLimits& limits) {
    job_ = job;
    end_ = Clock::now() + limits.time;
    said_.clear();
    return SendAll(socket_, &job, sizeof job);
  }

  bool is_idle() const { return !job_; }
  int64_t job() const { return *job_; }
  int socket() const { return socket_; }
  Clock::time_point end() const { return end_; }

  /// Takes what there is of the answer; with it, or where the process ends before or takes too
  /// long, the job is done.
  std::optional<JobEnd> Look(bool has_more, const ProcessLimits& limits) {
    if (has_more && !ReadSome()) return Done(Died());
    if (const std::optional<std::string> answer = Answer()) {
      const std::string rest = answer->substr(1);
      return Done(answer->front() == kResult ? JobEnd{rest, ""} : JobEnd{"", rest});
    }
    if (Clock::now() < end_) return std::nullopt;
    End();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits.time).count();
    return Done({"", StrCat("took more than ", seconds, " s")});
  }

  bool has_ended() const { return process_ < 0; }

 private:
  JobEnd Done(JobEnd end) {
    job_.reset();
    return end;
  }

  bool ReadSome() {
    char buffer[65536];
    const ssize_t got = read(socket_, buffer, sizeof buffer);
    if (got > 0) said_.append(buffer, static_cast<size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  std::optional<std::string> Answer() const {
    uint64_t bytes = 0;
    if (said_.size() < sizeof bytes) return std::nullopt;
    std::memcpy(&bytes, said_.data(), sizeof bytes);
    if (said_.size() < sizeof bytes + bytes) return std::nullopt;
    return said_.substr(sizeof bytes);
  }

  JobEnd Died() {
    const int status = Wait();
    if (WIFSIGNALED(status)) {
      const char* const name = sigabbrev_np(WTERMSIG(status));  // those of real time have none
      return {"",
              name ? StrCat("ended by SIG", name) : StrCat("ended by signal ", WTERMSIG(status))};
    }
    return {"", "ended without a result"};
  }

  int Wait() {
    close(socket_);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  void End() {
    if (has_ended()) return;
    kill(process_, SIGKILL);
    Wait();
  }

  pid_t process_ = -1;
  int socket_ = -1;
  std::optional<int64_t> job_;
  Clock::time_point end_;
  std::string said_;
};

class Pool {
 public:
  Pool(const ProcessLimits& limits, const std::function<std::string(int64_t)>& work)
      : limits_(limits), work_(work) {}

  bool HasRoom() const { return Busy() < limits_.at_once; }
  bool IsIdle() const { return Busy() == 0; }

  void Begin(int64_t job) {
    const auto idle =
        std::ranges::find_if(workers_, [](const auto& worker) { return worker->is_idle(); });
    if (idle != workers_.end()) {
      if ((*idle)->Begin(job, limits_)) return;
      workers_.erase(idle);
    }
    workers_.push_back(std::make_unique<Worker>(work_));
    workers_.back()->Begin(job, limits_);  // whether it is gone is seen where it is waited for
  }

  /// Waits until a job has ended.
  std::pair<int64_t, JobEnd> Next() {
    for (;;) {
      std::vector<pollfd> wanted;
      std::vector<Worker*> busy;
      auto end = Clock::time_point::max();
      for (const auto& worker : workers_) {
        if (worker->is_idle()) continue;
        busy.push_back(worker.get());
        wanted.push_back({worker->socket(), POLLIN, 0});
        end = std::min(end, worker->end());
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() + 1;
      const int64_t longest = limits_.on_wait ? kLongestWait.count() : INT32_MAX;
      const int ready = poll(wanted.data(), wanted.size(),
                             static_cast<int>(std::clamp<int64_t>(left, 0, longest)));
      if (limits_.on_wait) limits_.on_wait();
      if (ready < 0 && errno != EINTR) ThrowOfSystem("poll");
      for (size_t i = 0; i < busy.size(); ++i) {
        const int64_t job = busy[i]->job();
        const bool has_more = ready > 0 && wanted[i].revents != 0;
        const std::optional<JobEnd> ended = busy[i]->Look(has_more, limits_);
        if (!ended) continue;
        std::erase_if(workers_, [](const auto& worker) { return worker->has_ended(); });
        return {job, *ended};
      }
    }
  }

 private:
  int64_t Busy() const {
    return std::ranges::count_if(workers_, [](const auto& worker) { return !worker->is_idle(); });
  }

  const ProcessLimits limits_;
  const std::function<std::string(int64_t)>& work_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

NextJob EachOf(int64_t jobs) {
  return [next = int64_t{0}, jobs]() mutable {
    return next < jobs ? std::optional(next++) : std::nullopt;
  };
}

void RunInProcesses(const NextJob& next, const ProcessLimits& limits,
                    const std::function<std::string(int64_t job)>& work,
                    const std::function<bool(int64_t job, const JobEnd& end)>& done) {
  Pool pool(limits, work);
  for (bool has_more = true;;) {
    while (has_more && pool.HasRoom()) {
      const std::optional<int64_t> job = next();
      if (job) pool.Begin(*job);
      has_more = job.has_value();
    }
    if (pool.IsIdle()) return;
    const auto [job, end] = pool.Next();
    if (!done(job, end)) return;
  }
}

}  // namespace vta::tools
