#include "runtime/modules/kernel_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "runtime/modules/sandbox.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;

// Before a side sleeps: waking it takes longer than short kernels do.
constexpr std::chrono::nanoseconds kLook = std::chrono::microseconds(50);

// In which the process must be there, or be gone once it has closed its socket.
constexpr std::chrono::nanoseconds kStart = std::chrono::minutes(1);
constexpr std::chrono::nanoseconds kEnd = std::chrono::seconds(1);

struct Request {
  int64_t kernel;
  void* const* tensors;
};
// A kernel may have written it: each value can be there.
struct Reply {
  int32_t stopped = 0;
  KernelStop stop;
};
// What the process says once, when it is there: why it can not be, or 0. The texts are those of
// both processes.
struct Ready {
  int error = 0;
  const char* what = "process for kernels";
  const char* why = "the system refuses: ";
};

enum class Got { kAll, kNothing, kEnd };

// A message of that size. `descriptor` does not block. kNothing: none came until the deadline.
Got Receive(int descriptor, void* message, size_t bytes, Deadline deadline) {
  const auto look_end = steady_clock::now() + kLook;
  for (;;) {
    const ssize_t got = read(descriptor, message, bytes);
    if (got == static_cast<ssize_t>(bytes)) return Got::kAll;
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return Got::kEnd;
    const auto now = steady_clock::now();
    if (now >= deadline) return Got::kNothing;
    if (now < look_end) {
      sched_yield();  // perhaps to the other side
      continue;
    }
    // A poll ends early, never late: a longer wait is several.
    constexpr std::chrono::nanoseconds kMost = std::chrono::hours(1);
    const auto left = std::min(kMost, deadline - now);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec time{static_cast<time_t>(seconds.count()),
                        static_cast<long>((left - seconds).count())};
    pollfd wanted{descriptor, POLLIN, 0};
    ppoll(&wanted, 1, &time, nullptr);
  }
}

template <typename T>
bool Send(int descriptor, const T& message) {
  const ssize_t sent = write(descriptor, &message, sizeof message);
  return sent == static_cast<ssize_t>(sizeof message);
}

void CloseAll(unsigned from, unsigned end) {
  if (from == end || close_range(from, end - 1, 0) == 0) return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (unsigned i = from; i < end && i < static_cast<unsigned>(std::max(most, 0L)); ++i)
    close(static_cast<int>(i));
}

// Nothing of the parent's is left open, no input and no output, but for these two.
void KeepOnly(int control, int life) {
  const auto low = static_cast<unsigned>(std::min(control, life));
  const auto high = static_cast<unsigned>(std::max(control, life));
  CloseAll(0, low);
  CloseAll(low + 1, high);
  CloseAll(high + 1, ~0u);
}

constexpr char kMaps[] = "/proc/self/maps";

// Memory that is not this process's alone is that for kernels: registers of a device, which the
// parent may have mapped, are not theirs. False where the system does not say what there is.
bool KeepOnly(std::span<const uint8_t> memory) {
  std::ifstream maps(kMaps);
  if (!maps) return false;
  std::vector<std::pair<uintptr_t, uintptr_t>> others;
  const auto kept = reinterpret_cast<uintptr_t>(memory.data());
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> permissions;
    if (permissions.ends_with('s') && (end <= kept || begin >= kept + memory.size()))
      others.emplace_back(begin, end);
  }
  for (const auto& [begin, end] : others)
    munmap(reinterpret_cast<void*>(begin), static_cast<size_t>(end - begin));
  return true;
}

// As of a program that has just begun; but a terminal's keys are for the parent, whose end is this
// process's end.
void ResetSignals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Whatever this process does then, the system ends it when the pipe's other end goes: by a signal
// that nobody can block, as a kernel blocks others, in the sandbox too, by a return from a signal.
void EndWithParent(int life) {
  fcntl(life, F_SETSIG, SIGKILL);
  fcntl(life, F_SETOWN, getpid());
  fcntl(life, F_SETFL, O_ASYNC | O_NONBLOCK);
  char none = 0;
  if (read(life, &none, 1) == 0) _exit(0);  // it has gone before that
}

Ready Prepare(const KernelPlace& place, int64_t threads, bool sandboxed,
              std::optional<KernelThreads>& kernels) {
  if (!KeepOnly(place.memory)) return {ENOENT, kMaps, "cannot be read: "};
  try {
    kernels.emplace(place, std::make_shared<ThreadPool>(threads), true);
    kernels->Prepare();
  } catch (...) {
    return {EAGAIN};
  }
  return {sandboxed ? EnterSandbox() : 0, "sandbox", "this system does not filter system calls: "};
}

[[noreturn]] void Serve(const KernelPlace& place, int64_t threads, bool sandboxed, int control,
                        int life) {
  KeepOnly(control, life);
  ResetSignals();
  EndWithParent(life);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);  // what a kernel makes of it can be killed
  std::optional<KernelThreads> kernels;
  const Ready ready = Prepare(place, threads, sandboxed, kernels);
  if (!Send(control, ready) || ready.error != 0) _exit(1);
  for (Request request{};;) {
    if (Receive(control, &request, sizeof request, Deadline::max()) != Got::kAll) _exit(0);
    const auto stop = kernels->Run(request.kernel, request.tensors, Deadline::max());
    if (!Send(control, Reply{stop.has_value() ? 1 : 0, stop.value_or(KernelStop{})})) _exit(0);
  }
}

}  // namespace

KernelProcess::KernelProcess(const KernelPlace& place, int64_t threads, bool sandboxed,
                             const std::string& where) {
  const auto fail = [&](const Ready& failed) {
    Kill();
    throw Error(where, failed.what, "", StrCat(failed.why, std::strerror(failed.error)));
  };
  int control[2], life[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, control) != 0)
    fail({errno});
  control_ = control[0];
  if (pipe2(life, O_CLOEXEC) != 0) {
    const int error = errno;
    close(control[1]);
    fail({error});
  }
  life_ = life[1];
  process_ = fork();
  const int error = errno;
  if (process_ == 0) Serve(place, threads, sandboxed, control[1], life[0]);
  close(control[1]);
  close(life[0]);
  if (process_ < 0) fail({error});
  Ready ready;
  const Got got = Receive(control_, &ready, sizeof ready, steady_clock::now() + kStart);
  if (got != Got::kAll) fail({got == Got::kNothing ? ETIMEDOUT : ECHILD});
  if (ready.error != 0) fail(ready);
}

KernelProcess::~KernelProcess() { Kill(); }

void KernelProcess::Kill() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = 0;
  for (int* const descriptor : {&control_, &life_})
    if (const int open = std::exchange(*descriptor, -1); open >= 0) close(open);
}

// It closed its end of the socket, or sent what it never sends.
KernelStop KernelProcess::Ended() {
  int status = 0;
  pid_t ended = 0;
  for (const auto end = steady_clock::now() + kEnd; ended == 0 && steady_clock::now() < end;) {
    ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (ended != 0) process_ = 0;
  Kill();
  return {.cause = KernelStop::Cause::kProcess,
          .signal = ended > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

std::optional<KernelStop> KernelProcess::Run(int64_t kernel, void* const* tensors,
                                             Deadline deadline) {
  const Request request{kernel, tensors};
  // It may be gone: then the write fails, without a signal.
  if (send(control_, &request, sizeof request, MSG_NOSIGNAL) != ssize_t{sizeof request})
    return Ended();
  Reply reply;
  switch (Receive(control_, &reply, sizeof reply, deadline)) {
    case Got::kAll:
      if (reply.stopped == 0) return std::nullopt;
      Kill();
      return reply.stop.cause == KernelStop::Cause::kFault ||
                     reply.stop.cause == KernelStop::Cause::kSystemCall
                 ? reply.stop
                 : KernelStop{.cause = KernelStop::Cause::kProcess};
    case Got::kNothing:
      Kill();
      return KernelStop{};
    case Got::kEnd:
      break;
  }
  return Ended();
}

}  // namespace vta::runtime
