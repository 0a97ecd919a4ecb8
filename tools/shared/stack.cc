#include "tools/shared/stack.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <cstring>

namespace vta::tools {
namespace {

// What Linux gives a process where nobody set a limit.
constexpr size_t kStackBytes = size_t{8} << 20;

struct Work {
  const std::function<int()>& work;
  sigset_t signals;  // blocked before
  int status = 0;
};

void* Do(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  pthread_sigmask(SIG_SETMASK, &work.signals, nullptr);
  work.status = work.work();
  return nullptr;
}

}  // namespace

int OnOwnStack(const std::string& program, const std::function<int()>& work) {
  Work own{work};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &own.signals);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, Do, &own);
  pthread_attr_destroy(&attributes);
  if (error == 0) pthread_join(thread, nullptr);
  pthread_sigmask(SIG_SETMASK, &own.signals, nullptr);
  if (error == 0) return own.status;
  std::fprintf(stderr, "%s: a stack of %zu bytes cannot be had: %s\n", program.c_str(), kStackBytes,
               std::strerror(error));
  return 1;
}

}  // namespace vta::tools
