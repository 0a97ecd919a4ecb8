#include "runtime/modules/kernel_guard.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "isa/support/error.h"
#include "runtime/aligned_memory.h"
#include "runtime/modules/guest.h"

namespace vta::runtime {
namespace {

// One thread inside a kernel.
struct Inside {
  void* stack = nullptr;  // as vta_enter_guest keeps it
  const KernelGuard* guard = nullptr;
  std::span<const uint8_t> memory;
  KernelStop stop;
};

// What handlers find. A lookup that might allocate is none for them: the variables lie in the
// thread's own block.
#define VTA_IN_HANDLERS __attribute__((tls_model("initial-exec")))
constinit thread_local Inside* inside VTA_IN_HANDLERS = nullptr;
constinit thread_local KernelGuard* waiting VTA_IN_HANDLERS = nullptr;  // between Begin and End

constexpr std::chrono::nanoseconds kAgain = std::chrono::milliseconds(1);  // a deadline's signal

// The system marks what an instruction caused, not a process, with a positive code.
bool IsSent(const siginfo_t& info) { return info.si_code <= 0; }

bool IsInModule(const void* context) {
  if (!inside) return false;
  const auto begin = reinterpret_cast<uintptr_t>(inside->memory.data());
  return InstructionOf(context) - begin < inside->memory.size();
}

void Leave(void* context, KernelStop stop) {
  const auto begin = reinterpret_cast<uintptr_t>(inside->memory.data());
  stop.instruction_at = static_cast<int64_t>(InstructionOf(context) - begin);
  inside->stop = stop;
  SendToLanding(context, inside->stack);
}

}  // namespace

// The one state of a process beside its threads: signal handlers are the process's as well.
struct GuardHandlers {
  static constexpr int kFaults[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGSYS};
  static constexpr int kCount = static_cast<int>(std::size(kFaults)) + 1;  // the deadline's, last

  struct Handler {
    int signal;
    struct sigaction previous;
    bool is_below;  // one that came later, and calls it
  };

  static int SignalAt(int i) {
    return i + 1 < kCount ? kFaults[i] : SIGRTMIN + KernelGuard::kDeadlineSignal;
  }

  static void Install() {
    const std::lock_guard lock(mutex);
    if (guards++ > 0) return;
    for (int i = 0; i < kCount; ++i) {
      Handler& handler = handlers[i];
      handler.signal = SignalAt(i);
      // A chain that went through it twice would have no end.
      if (struct sigaction now{};
          handler.is_below && sigaction(handler.signal, nullptr, &now) == 0 && IsHandler(now))
        continue;
      struct sigaction ours {};
      ours.sa_sigaction = i + 1 < kCount ? OnFault : OnDeadline;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
      sigemptyset(&ours.sa_mask);
      // The old one is known before ours can be called.
      if (sigaction(handler.signal, nullptr, &handler.previous) == 0 &&
          sigaction(handler.signal, &ours, nullptr) == 0)
        continue;
      const std::string why = std::strerror(errno);
      Remove(i);
      --guards;
      throw Error("", "handler of signal", std::to_string(handler.signal),
                  StrCat("the system refuses: ", why));
    }
  }

  static void Uninstall() {
    const std::lock_guard lock(mutex);
    if (--guards == 0) Remove(kCount);
  }

  // Where somebody's handler has come since, it stays: it may call ours, which then pass on.
  static void Remove(int count) {
    for (int i = 0; i < count; ++i) {
      Handler& handler = handlers[i];
      struct sigaction now {};
      sigaction(handler.signal, nullptr, &now);
      handler.is_below = (now.sa_flags & SA_SIGINFO) == 0 ||
                         (now.sa_sigaction != OnFault && now.sa_sigaction != OnDeadline);
      if (handler.is_below) continue;
      // What is still on its way to a thread is no signal of the previous one's.
      if (i + 1 == kCount) signal(handler.signal, SIG_IGN);
      sigaction(handler.signal, &handler.previous, nullptr);
    }
  }

  static bool IsHandler(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 ||
           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  }

  static void OnFault(int signal, siginfo_t* info, void* context) {
    ResetModes();
    HandleFault(signal, info, context);
  }

  static void OnDeadline(int signal, siginfo_t* info, void* context) {
    ResetModes();
    HandleDeadline(signal, info, context);
  }

  __attribute__((noinline)) static void HandleFault(int signal, siginfo_t* info, void* context) {
    if (IsSent(*info) || !IsInModule(context)) return PassOn(signal, info, context);
    KernelStop stop{.cause = KernelStop::Cause::kFault,
                    .signal = signal,
                    .address = reinterpret_cast<uintptr_t>(info->si_addr)};
    if (signal == SIGSYS) {
      stop.cause = KernelStop::Cause::kSystemCall;
      stop.address = static_cast<unsigned>(info->si_syscall);
    }
    Leave(context, stop);
  }

  // The timer's, on the thread that waits; from there to the others that are inside.
  __attribute__((noinline)) static void HandleDeadline(int signal, siginfo_t* info, void* context) {
    const bool timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &handlers;
    const bool told = info->si_code == SI_TKILL && info->si_pid == getpid();
    if (!timer && !told) return PassOn(signal, info, context);
    const int error = errno;
    if (timer && waiting) {
      waiting->stopping_.store(true, std::memory_order_relaxed);
      const auto self = static_cast<pid_t>(syscall(SYS_gettid));
      for (const std::atomic<int>& thread : waiting->inside_)
        if (const int id = thread.load(std::memory_order_relaxed); id != 0 && id != self)
          syscall(SYS_tgkill, getpid(), id, signal);
    }
    if (IsInModule(context) && inside->guard->stopping_.load(std::memory_order_relaxed))
      Leave(context, {.cause = KernelStop::Cause::kDeadline});
    errno = error;
  }

  static void PassOn(int signal, siginfo_t* info, void* context) {
    for (const Handler& handler : handlers)
      if (handler.signal == signal) return Call(handler.previous, signal, info, context);
  }

  static void Call(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
    const bool plain = (to.sa_flags & SA_SIGINFO) == 0;
    if (!IsHandler(to)) {
      if (to.sa_handler == SIG_IGN && IsSent(*info)) return;
      // What the system does without a handler: once the instruction faults again, or at once.
      ::signal(signal, SIG_DFL);
      if (IsSent(*info)) raise(signal);
      return;
    }
    if (static_cast<unsigned>(to.sa_flags) & SA_RESETHAND) ::signal(signal, SIG_DFL);
    sigset_t mask;
    sigorset(&mask, &static_cast<ucontext_t*>(context)->uc_sigmask, &to.sa_mask);
    if ((to.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, signal);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);  // the return from our handler undoes it
    plain ? to.sa_handler(signal) : to.sa_sigaction(signal, info, context);
  }

  static inline std::mutex mutex;
  static inline int64_t guards = 0;
  static inline Handler handlers[kCount];
};

namespace {

// For handlers of a thread that has no stack for them: a kernel may have used up the usual one.
// Those that are passed on to run there as well, and may have counted on more room.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    constexpr int64_t kOurs = 256 << 10;
    const int64_t frame = sysconf(_SC_MINSIGSTKSZ);  // with this CPU's registers
    memory_ = AlignedMemory(kOurs + (frame > 0 ? frame : MINSIGSTKSZ), "stack for signal handlers");
    now = {};
    now.ss_sp = memory_.data();
    now.ss_size = static_cast<size_t>(memory_.size());
    sigaltstack(&now, nullptr);
  }
  ~HandlerStack() {
    stack_t now{};
    if (!memory_.data() || sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory_.data()) return;
    now = {};
    now.ss_flags = SS_DISABLE;
    sigaltstack(&now, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  AlignedMemory memory_;
};

int ThreadId() { return static_cast<int>(syscall(SYS_gettid)); }

struct PreparedThread {
  HandlerStack stack;
  int id = ThreadId();
  bool hears = false;           // all signals of guards, whatever its maker blocked
  uint64_t number = ++threads;  // no other thread's, of those that are gone neither

  static inline std::atomic<uint64_t> threads = 0;
};

PreparedThread& ThisThread() {
  thread_local PreparedThread thread;
  return thread;
}

sigset_t DeadlineSignal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + KernelGuard::kDeadlineSignal);
  return set;
}

sigset_t AllSignals() {
  sigset_t set = DeadlineSignal();
  for (const int signal : GuardHandlers::kFaults) sigaddset(&set, signal);
  return set;
}

std::string NameOf(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name ? StrCat("SIG", name) : StrCat("signal ", signal);
}

}  // namespace

std::string Describe(const KernelStop& stop) {
  const std::string where =
      stop.instruction_at < 0
          ? ""
          : StrCat(", instruction ", Hex(static_cast<uint64_t>(stop.instruction_at)),
                   " of its module");
  switch (stop.cause) {
    case KernelStop::Cause::kDeadline:
      return "was stopped at its deadline";
    case KernelStop::Cause::kFault:
      return StrCat("was stopped by ", NameOf(stop.signal), " at address ", Hex(stop.address),
                    where);
    case KernelStop::Cause::kSystemCall:
      return StrCat("was stopped: it made system call ", stop.address, where);
    case KernelStop::Cause::kProcess:
      return StrCat("ended the process that it ran in",
                    stop.signal == 0 ? "" : StrCat(", by ", NameOf(stop.signal)));
  }
  CheckFailed(__FILE__, __LINE__, "a cause", StrCat(static_cast<int>(stop.cause)));
}

KernelGuard::KernelGuard(const KernelModule& module, int64_t threads)
    : module_(module), inside_(static_cast<size_t>(threads)) {
  GuardHandlers::Install();
}

KernelGuard::~KernelGuard() {
  DeleteTimer();
  GuardHandlers::Uninstall();
}

int KernelGuard::PrepareThread(int64_t worker) {
  PreparedThread& thread = ThisThread();
  if (worker > 0 && !thread.hears) {
    const sigset_t ours = AllSignals();
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
    thread.hears = true;
  }
  return thread.id;
}

void KernelGuard::Begin(Deadline deadline) {
  stopping_ = stopped_ = false;
  if (deadline == Deadline::max()) return;
  PreparedThread& thread = ThisThread();
  const int id = ThreadId();  // another one since a fork
  thread.id = id;
  if (!timer_ || timer_->thread != thread.number || timer_->id != id) MakeTimer();
  has_deadline_ = true;
  const sigset_t ours = DeadlineSignal();
  sigset_t before;
  pthread_sigmask(SIG_UNBLOCK, &ours, &before);
  was_blocked_ = sigismember(&before, SIGRTMIN + kDeadlineSignal) == 1;
  waiting = this;
  const auto parts = [](std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return timespec{static_cast<time_t>(seconds.count()),
                    static_cast<long>((time - seconds).count())};
  };
  // Time 0 would mean never. Again and again: it may come between two calls.
  const itimerspec when{parts(kAgain),
                        parts(std::max(deadline.time_since_epoch(), std::chrono::nanoseconds(1)))};
  if (timer_settime(timer_->timer, TIMER_ABSTIME, &when, nullptr) == 0) return;
  MakeTimer();  // it was of a process that had the same number
  timer_settime(timer_->timer, TIMER_ABSTIME, &when, nullptr);
}

void KernelGuard::MakeTimer() {
  DeleteTimer();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + kDeadlineSignal;
  event.sigev_value.sival_ptr = &GuardHandlers::handlers;  // says that it is ours
  event._sigev_un._tid = ThisThread().id;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
    throw Error("", "timer", "", StrCat("the system refuses: ", std::strerror(errno)));
  timer_ = {timer, getpid(), ThisThread().id, ThisThread().number};
}

void KernelGuard::DeleteTimer() {
  if (timer_ && timer_->process == getpid()) timer_delete(timer_->timer);
  timer_.reset();
}

// In the sandbox too, where a sanitizer that looks at an object's type for the first time cannot
// ask the system whether there is memory.
__attribute__((no_sanitize("vptr"))) void KernelGuard::Run(int64_t worker, int64_t kernel,
                                                           void* const* tensors, void* workspace,
                                                           int64_t first, int64_t last) {
  if (stopping_.load(std::memory_order_relaxed)) return;
  const NativeKernel native = module_.Native(kernel);
  if (!native) return module_.Run(kernel, tensors, workspace, first, last);
  Inside here{.guard = this, .memory = module_.memory()};
  std::atomic<int>& thread = inside_[static_cast<size_t>(worker)];
  thread.store(PrepareThread(worker), std::memory_order_relaxed);
  inside = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const int left = vta_enter_guest(&here.stack, native, tensors, workspace, first, last);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  inside = nullptr;
  thread.store(0, std::memory_order_relaxed);
  if (left == 0) return;
  stopping_.store(true, std::memory_order_relaxed);
  if (!stopped_.exchange(true)) stop_ = here.stop;
}

std::optional<KernelStop> KernelGuard::End() {
  if (has_deadline_) {
    // A signal that is on its way to this thread arrives before the call returns, or not at all.
    const itimerspec never{};
    timer_settime(timer_->timer, 0, &never, nullptr);
    has_deadline_ = false;
    waiting = nullptr;
    if (const sigset_t ours = DeadlineSignal(); was_blocked_)
      pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  }
  if (!stopping_) return std::nullopt;
  return stopped_ ? stop_ : KernelStop{};
}

}  // namespace vta::runtime
