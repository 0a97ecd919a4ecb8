// Kernels that fault, loop and call the system: what is said, that the session is dead, and that
// all else goes on.
#include "tests/unit/runtime/modules/confinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <cstring>
#include <optional>
#include <thread>

#include "isa/support/error.h"
#include "runtime/pipeline.h"
#include "tests/unit/runtime/allocations.h"

namespace vta::runtime {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;
using testing::HasSubstr, testing::MatchesRegex, testing::StartsWith;

TEST_F(ConfinementTest, RunsKernelsAsWithoutIt) {
  for (const Confinement confinement :
       {Confinement::kNone, Confinement::kGuarded, Confinement::kProcess, Confinement::kSandboxed})
    for (const int64_t threads : {1, 3}) {
      Session session = Open(HostileCode::Good(), confinement, 1, threads);
      for (int i = 0; i < 100; ++i) EXPECT_EQ(RangeOf(session), (std::vector<int64_t>{0, 1}));
      EXPECT_EQ(session.threads(), threads);
    }
}

TEST_F(ConfinementTest, NamesKernelSignalAddressAndInstructionOfAFault) {
  struct Case {
    std::vector<uint8_t> code;
    const char* rule;
  };
  const Case cases[] = {
      {HostileCode::Null(), " by SIGSEGV at address 0x10, instruction 0x10502 of its module"},
      {HostileCode::Illegal(), " by SIGILL at address 0x[0-9a-f]*500, instruction 0x10500 of .*"},
      {HostileCode::Breakpoint(), " by SIGTRAP at address 0x[0-9a-f]*, instruction 0x10501 of .*"},
      {HostileCode::DivideByZero(),
       " by SIGFPE at address 0x[0-9a-f]*502, instruction 0x10502 of .*"},
      {HostileCode::Misaligned(), " by SIGBUS at address 0x[0-9a-f]*, instruction 0x1050c of .*"},
      {HostileCode::Deep(), " by SIGSEGV at address 0x[0-9a-f]+, instruction 0x10500 of .*"},
  };
  for (const Confinement confinement : kConfined)
    for (const Case& each : cases)
      for (const int64_t tasks : {1, 16}) {
        Session session = Open(each.code, confinement, tasks);
        const std::string error = RunOf(session);
        EXPECT_THAT(error, MatchesRegex(StrCat("p\\.vta: step 0 only .op 2.: kernel k: was stopped",
                                               each.rule)));
        // Dead, and each call says why.
        std::vector<uint8_t> bytes(16);
        const std::string dead = StrCat("p.vta: session: is dead since ", error);
        EXPECT_EQ(ErrorOf([&] { Set(session); }), dead);
        EXPECT_EQ(ErrorOf([&] { session.Run(); }), dead);
        EXPECT_EQ(ErrorOf([&] { session.RunStep(0); }), dead);
        EXPECT_EQ(ErrorOf([&] { session.GetOutput(0, bytes); }), dead);
      }
}

// Of several tasks one faults, on any thread: the others end, and the caller has the error.
TEST_F(ConfinementTest, LetsOtherTasksEnd) {
  for (const Confinement confinement : kConfined)
    for (int i = 0; i < 20; ++i) {
      Session session = Open(HostileCode::ForTaskOne(HostileCode::Illegal()), confinement, 2);
      EXPECT_THAT(RunOf(session), HasSubstr("by SIGILL"));
    }
}

TEST_F(ConfinementTest, StopsALoopAtTheRunsDeadlineOrItsOwn) {
  for (const Confinement confinement : kConfined)
    for (const int64_t tasks : {1, 2})  // in one thread, or both
      for (const bool own : {false, true}) {
        Session session = Open(HostileCode::Loop(), confinement, tasks, 2,
                               own ? milliseconds(30) : KernelOptions::kForever);
        Set(session);
        const auto start = steady_clock::now();
        if (!own) session.StopAt(start + milliseconds(30));
        EXPECT_EQ(
            ErrorOf([&] { session.Run(); }),
            StrCat(kPlace, ": ", own ? "its limit, 0.03 s, ended" : "the time for the run ended"));
        EXPECT_GE(steady_clock::now() - start, milliseconds(30));
        EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
        EXPECT_THAT(RunOf(session), StartsWith("p.vta: session: is dead since p.vta: step 0"));
      }
}

// One that loops on a thread of the pool, while the caller waits for it.
TEST_F(ConfinementTest, StopsALoopOnAnotherThread) {
  for (const Confinement confinement : kConfined) {
    Session session =
        Open(HostileCode::Beside(HostileCode::Loop()), confinement, 2, 2, milliseconds(300));
    EXPECT_EQ(RunOf(session), StrCat(kPlace, ": its limit, 0.3 s, ended"));
  }
}

// A deadline that does not come is not seen.
TEST_F(ConfinementTest, ADeadlineIsOfOneKernel) {
  for (const Confinement confinement : kConfined) {
    Session session = Open(HostileCode::Good(), confinement, 1, 2, milliseconds(200));
    const auto start = steady_clock::now();
    while (steady_clock::now() - start < milliseconds(300))
      ASSERT_EQ(RangeOf(session), (std::vector<int64_t>{0, 1}));
  }
}

TEST_F(ConfinementTest, RestoresWhatAKernelMustLeave) {
  for (const int64_t threads : {1, 2}) {
    Session session = Open(HostileCode::Untidy(), Confinement::kGuarded, threads, threads);
    const long double before = 1.0L;
    EXPECT_THAT(RunOf(session), HasSubstr("by SIGILL"));
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    volatile float third = 2.0f;
    third = third / 3.0f;
    EXPECT_EQ(third, 0x1.555556p-1f);  // rounded up
    volatile long double x = before;
    EXPECT_EQ(x + 1, 2.0L);  // a full x87 stack would give a NaN
    uint64_t flags = 0;
    asm volatile("pushfq; popq %0" : "=r"(flags));
    EXPECT_EQ(flags & 0x40400, 0u);  // direction, alignment check
  }
}

// Without the sandbox a call is made; with it none, and the kernel ends.
TEST_F(ConfinementTest, TheSandboxLetsNoKernelCallTheSystem) {
  struct Case {
    uint8_t number;
    const char* name;
  };
  for (const Case& call : {Case{2, "open"},
                           {41, "socket"},
                           {59, "execve"},
                           {57, "fork"},
                           {9, "mmap"},
                           {62, "kill"},
                           {101, "ptrace"}}) {
    Session session = Open(HostileCode::SystemCall(call.number), Confinement::kSandboxed);
    EXPECT_EQ(RunOf(session), StrCat(kPlace, ": it made system call ", int{call.number},
                                     ", instruction 0x10507 of its module"))
        << call.name;
  }
  Session session = Open(HostileCode::SystemCall(39), Confinement::kProcess);  // getpid
  EXPECT_EQ(RunOf(session), "no error");
}

// exit_group is allowed, and no signal.
TEST_F(ConfinementTest, SaysWhenAKernelEndsItsProcess) {
  for (const Confinement confinement : {Confinement::kProcess, Confinement::kSandboxed}) {
    Session session = Open(HostileCode::SystemCall(231), confinement);
    EXPECT_EQ(RunOf(session),
              "p.vta: step 0 only (op 2): kernel k: ended the process that it ran in");
    EXPECT_THAT(RunOf(session), StartsWith("p.vta: session: is dead since"));
  }
  // A jump to nowhere is no instruction of the module.
  const std::vector<uint8_t> wild = {0x31, 0xc0, 0xff, 0xe0};  // xorl %eax, %eax; jmpq *%rax
  Session session = Open(wild, Confinement::kProcess);
  EXPECT_EQ(RunOf(session),
            "p.vta: step 0 only (op 2): kernel k: ended the process that it ran in, by SIGSEGV");
}

// What a kernel writes into its process's socket is no message, or one of no cause that there is.
TEST_F(ConfinementTest, BelievesNothingThatAKernelSays) {
  for (const uint8_t bytes : {1, 31, 32, 33})
    for (const Confinement confinement : {Confinement::kProcess, Confinement::kSandboxed}) {
      Session session = Open(HostileCode::Chatter(bytes), confinement, 1, 1);
      EXPECT_EQ(RunOf(session),
                "p.vta: step 0 only (op 2): kernel k: ended the process that it ran in")
          << int{bytes};
    }
}

// What handlers of the caller's own see, and do.
volatile sig_atomic_t handled = 0;
thread_local sigjmp_buf back;
void OwnHandler(int, siginfo_t*, void*) {
  handled = handled + 1;
  siglongjmp(back, 1);
}

class OwnSegvHandler {
 public:
  OwnSegvHandler() {
    struct sigaction own {};
    own.sa_sigaction = OwnHandler;
    own.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &own, &before_);
    handled = 0;
  }
  ~OwnSegvHandler() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

void FaultHere() {
  if (sigsetjmp(back, 1) == 0) {
    volatile uintptr_t nowhere = 8;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  }
}

TEST_F(ConfinementTest, TheCallersOwnHandlerHasItsOwnFaults) {
  const OwnSegvHandler own;
  {
    Session session = Open(HostileCode::Null(), Confinement::kGuarded);
    FaultHere();
    EXPECT_EQ(handled, 1);
    EXPECT_THAT(RunOf(session), HasSubstr("by SIGSEGV at address 0x10"));
    EXPECT_EQ(handled, 1);
    FaultHere();
    EXPECT_EQ(handled, 2);
  }
  // The last guard has gone: so has our handler.
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_sigaction, &OwnHandler);
  FaultHere();
  EXPECT_EQ(handled, 3);
}

// Threads inside other sessions, and one that has faults of its own, all at once.
TEST_F(ConfinementTest, OtherSessionsGoOn) {
  const OwnSegvHandler own;
  std::atomic<bool> stop = false;
  std::atomic<int64_t> good = 0, own_faults = 0;
  std::thread inside([&] {
    Session session = Open(HostileCode::Good(), Confinement::kGuarded);
    while (!stop) good += RangeOf(session) == std::vector<int64_t>{0, 1};
  });
  std::thread faulty([&] {
    for (; !stop; ++own_faults) FaultHere();
  });
  int64_t died = 0;
  for (int i = 0; i < 100; ++i) {
    Session session = Open(i % 2 ? HostileCode::Null() : HostileCode::Loop(), Confinement::kGuarded,
                           4, 2, milliseconds(i % 2 ? 1000 : 2));
    died += RunOf(session) != "no error";
  }
  const int64_t before = good;
  while (good < before + 10) std::this_thread::yield();
  stop = true;
  inside.join();
  faulty.join();
  EXPECT_EQ(died, 100);
  EXPECT_EQ(handled, own_faults);
}

// A signal that somebody sends is nobody's fault: the process ends as it would without a guard.
TEST_F(ConfinementTest, PassesOnWhatIsNotTheKernels) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);  // not the sanitizer's
    Session session = Open(HostileCode::Good(), Confinement::kGuarded);
    raise(SIGSEGV);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

// One that was there before, or came later and calls the one that it found.
struct sigaction found_by_later {};
void LaterHandler(int signal, siginfo_t* info, void* context) {
  found_by_later.sa_sigaction(signal, info, context);
}

// A guard's handler has only one place in a chain: the next guard's is the same.
TEST_F(ConfinementTest, AHandlerThatCameLaterStaysAboveTheGuards) {
  for (const bool goes : {false, true}) {
    const OwnSegvHandler own;
    std::optional<Session> first = Open(HostileCode::Good(), Confinement::kGuarded);
    struct sigaction later {};
    later.sa_sigaction = LaterHandler;
    later.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &later, &found_by_later);
    first.reset();
    if (goes) sigaction(SIGSEGV, &found_by_later, nullptr);
    {
      Session second = Open(HostileCode::Null(), Confinement::kGuarded);
      FaultHere();
      EXPECT_EQ(handled, 1);
      EXPECT_THAT(RunOf(second), HasSubstr("by SIGSEGV at address 0x10"));
    }
    if (!goes) sigaction(SIGSEGV, &found_by_later, nullptr);
    FaultHere();
    EXPECT_EQ(handled, 2);
    const Session third = Open(HostileCode::Good(), Confinement::kGuarded);
  }
}

// As the system does it: the second fault has no handler.
TEST_F(ConfinementTest, AHandlerForOneFaultHasOne) {
  const int status = StatusOfChild([] {
    struct sigaction once {};
    once.sa_handler = [](int) { handled = handled + 1; };
    once.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGSEGV, &once, nullptr);
    const Session session = Open(HostileCode::Good(), Confinement::kGuarded);
    volatile uintptr_t nowhere = 8;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

// It has a thread's own stack without a guard, and room with one.
TEST_F(ConfinementTest, AHandlerOfTheCallersHasRoom) {
  const int status = StatusOfChild([] {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
    struct sigaction large {};
    large.sa_handler = [](int) {
      volatile uint8_t text[200 << 10];
      for (volatile uint8_t& byte : text) byte = 1;
      _exit(text[0]);
    };
    sigaction(SIGSEGV, &large, nullptr);
    Session session = Open(HostileCode::Good(), Confinement::kGuarded, 1, 1);
    RunOf(session);
    volatile uintptr_t nowhere = 8;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
}

// A process that was forked has threads with other numbers.
TEST_F(ConfinementTest, DeadlinesAreOfTheProcessThatRuns) {
  Session session = Open(HostileCode::Good(), Confinement::kGuarded, 1, 1, milliseconds(100));
  EXPECT_EQ(RunOf(session), "no error");
  EXPECT_EQ(StatusOfChild([] {
              Session own = Open(HostileCode::Loop(), Confinement::kGuarded, 1, 1, milliseconds(5));
              if (RunOf(own) != StrCat(kPlace, ": its limit, 0.005 s, ended")) _exit(1);
            }),
            0);
}

// A guard's timer is of the thread that it was made on, and is kept.
TEST_F(ConfinementTest, StopsALoopOnWhicheverThreadRuns) {
  const auto ended = StrCat(kPlace, ": its limit, 0.3 s, ended");
  const auto loop = [](Session& session) {
    return ErrorOf([&] {
      session.SetInput(0, std::vector<uint8_t>(8, 1));
      session.Run();
    });
  };
  Session first = Open(HostileCode::LoopIfAsked(), Confinement::kGuarded, 1, 1, milliseconds(300)),
          second = Open(HostileCode::LoopIfAsked(), Confinement::kGuarded, 1, 1, milliseconds(300));
  for (Session* session : {&first, &second}) {
    std::thread([&] { EXPECT_EQ(RunOf(*session), "no error"); }).join();
    EXPECT_EQ(RunOf(*session), "no error");
  }
  // Of a process that was forked both have none.
  EXPECT_EQ(StatusOfChild([&] {
              if (RunOf(first) != "no error") _exit(1);
              if (loop(second) != ended) _exit(2);
              if (loop(first) != ended) _exit(3);
            }),
            0);
  std::thread([&] { EXPECT_EQ(loop(first), ended); }).join();
  EXPECT_EQ(loop(second), ended);
}

// Programs that take signals on one thread block them on all others, before they make them.
TEST_F(ConfinementTest, AThreadOfThePoolIsStoppedThoughItsMakerBlocksSignals) {
  for (const auto& code : {HostileCode::Loop(), HostileCode::Illegal()})
    EXPECT_EQ(StatusOfChild([&] {
                sigset_t all, before;
                sigfillset(&all);
                sigdelset(&all, SIGALRM);
                pthread_sigmask(SIG_SETMASK, &all, &before);
                Session session =
                    Open(HostileCode::Beside(code), Confinement::kGuarded, 2, 2, milliseconds(200));
                pthread_sigmask(SIG_SETMASK, &before, nullptr);
                if (!RunOf(session).starts_with(kPlace)) _exit(1);
              }),
              0);
}

// A deadline's signal may reach a thread when no session is left.
TEST_F(ConfinementTest, ALateSignalOfADeadlineEndsNothing) {
  sigset_t deadline, before;
  sigemptyset(&deadline);
  sigaddset(&deadline, SIGRTMIN + KernelGuard::kDeadlineSignal);
  EXPECT_EQ(StatusOfChild([&] {
              pthread_sigmask(SIG_BLOCK, &deadline, &before);
              {
                const Session session = Open(HostileCode::Good(), Confinement::kGuarded);
                raise(SIGRTMIN + KernelGuard::kDeadlineSignal);
              }
              pthread_sigmask(SIG_SETMASK, &before, nullptr);
            }),
            0);
}

TEST_F(ConfinementTest, ASampleInFlightDiesAloneOfItsSlot) {
  for (const Confinement confinement : kConfined) {
    Pipeline pipeline(HostileModel("k", HostileCode::Null()), nullptr,
                      {.in_flight = 2, .threads = 1, .kernels = {confinement}});
    for (int i = 0; i < 3; ++i) pipeline.Submit({std::vector<uint8_t>(8)});
    for (int i = 0; i < 3; ++i)
      EXPECT_THAT(ErrorOf([&] { pipeline.Next(); }), StartsWith(StrCat("sample ", i, ": p.vta: ")));
  }
}

TEST_F(ConfinementTest, AllocatesNothingAfterTheFirstRun) {
  for (const Confinement confinement : kConfined) {
    Session session = Open(HostileCode::Good(), confinement, 1, 1, std::chrono::seconds(10));
    std::vector<uint8_t> input(8), output(16);
    const auto run = [&] {
      session.SetInput(0, input);
      session.Run();
      session.GetOutput(0, output);
    };
    run();
    const int64_t before = test::Allocations();
    for (int i = 0; i < 100; ++i) run();
    EXPECT_EQ(test::Allocations(), before);
  }
}

}  // namespace
}  // namespace vta::runtime
