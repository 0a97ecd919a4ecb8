// Preloaded into a program: what the time of day is, is wrong by $VTA_TEST_CLOCK seconds. Clocks
// that only count on are right.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include <cstdlib>

namespace {

time_t Wrong() {
  const char* const seconds = getenv("VTA_TEST_CLOCK");
  return seconds ? static_cast<time_t>(std::atoll(seconds)) : 0;
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const next = Next<int(clockid_t, timespec*)>("clock_gettime");
  const int status = next(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += Wrong();
  return status;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const next = Next<int(timeval*, void*)>("gettimeofday");
  const int status = next(now, zone);
  if (status == 0) now->tv_sec += Wrong();
  return status;
}

// The kernel's clock is right: a time of day that is waited for, not one since the start, is made
// so.
__attribute__((visibility("default"))) int pthread_cond_timedwait(
    pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) noexcept(false) {
  static auto* const next =
      Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  constexpr time_t kLongSinceTheStart = 1'000'000'000;
  timespec right = *until;
  if (right.tv_sec > kLongSinceTheStart) right.tv_sec -= Wrong();
  return next(condition, mutex, &right);
}

__attribute__((visibility("default"))) time_t time(time_t* seconds) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
}
