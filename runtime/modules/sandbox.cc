#include "runtime/modules/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vta::runtime {
namespace {

// The numbers of calls are those of one architecture; another kind of call, which some CPUs have
// beside it, is none of them.
constexpr uint32_t kArch =
#if defined(__x86_64__)
    AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    AUDIT_ARCH_AARCH64;
#elif defined(__arm__)
    AUDIT_ARCH_ARM;
#else
    0;
#endif

// What threads that were there before need to wait, answer and end.
constexpr uint32_t kAllowed[] = {
    SYS_read,          SYS_write,        SYS_ppoll,           SYS_futex, SYS_sched_yield,
    SYS_clock_gettime, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit,  SYS_exit_group,
#if defined(SYS_ppoll_time64)
    SYS_ppoll_time64,  SYS_futex_time64, SYS_clock_gettime64,
#endif
};

}  // namespace

int EnterSandbox() {
  if (kArch == 0) return ENOSYS;
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const uint32_t number : kAllowed) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // Of all threads at once.
  const long failed =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  return failed == 0 ? 0 : failed > 0 ? EBUSY : errno;
}

}  // namespace vta::runtime
