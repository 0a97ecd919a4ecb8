#include "driver/uio/bus_access.h"

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace vta::driver::uio {
namespace {

// UIO maps registers as memory that is strongly ordered (ARMv7) or Device-nGnRnE (ARMv8): accesses
// reach the bus one by one, in the order of the program, with the width of the instruction, and a
// store is done when the register's port has answered. This order is among such accesses alone.
// Buffers are normal memory, cached or (with sync_mode's bit 2) not, and a DMB would order those
// for other processors; the accelerator is none, so this is a DSB, which ends when all accesses
// before it have:
// - before a store, so that what was written to buffers cannot follow the start of a launch. Lines
//   in caches, and what waits in the L2's own store buffer (PL310), are not its business: the
//   kernel's sync_for_device cleans both down to memory before the driver comes here;
// - after a store, so that a refusal meets the handler below, not some later instruction;
// - after a load, so that no load from a buffer, and no sync_for_cpu, is begun before STATUS has
//   said that the launch is done.
void Barrier() {
#if defined(__arm__) || defined(__aarch64__)
  asm volatile("dsb sy" ::: "memory");
#else
  __sync_synchronize();
#endif
}

// Where this thread's access goes on if the bus refuses it. Volatile keeps its stores around the
// access.
thread_local sigjmp_buf* volatile expected = nullptr;

std::mutex guard;
int users = 0;
struct sigaction previous;

// SA_NODEFER leaves the signal unblocked, so that the jump need not restore a mask: that would be
// a system call at every access.
void OnBusError(int signal) {
  if (sigjmp_buf* const access = expected) siglongjmp(*access, 1);
  sigaction(signal, &previous, nullptr);
  raise(signal);
}

}  // namespace

BusErrors::BusErrors() {
  const std::lock_guard lock(guard);
  if (users++ != 0) return;
  struct sigaction action = {};
  action.sa_handler = OnBusError;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGBUS, &action, &previous);
}

BusErrors::~BusErrors() {
  const std::lock_guard lock(guard);
  if (--users == 0) sigaction(SIGBUS, &previous, nullptr);
}

std::optional<uint32_t> LoadRegister(const volatile uint32_t* address) {
  sigjmp_buf refused;
  if (sigsetjmp(refused, 0) != 0) {
    expected = nullptr;
    return std::nullopt;
  }
  expected = &refused;
  const uint32_t value = *address;
  Barrier();
  expected = nullptr;
  return value;
}

bool StoreRegister(volatile uint32_t* address, uint32_t value) {
  sigjmp_buf refused;
  if (sigsetjmp(refused, 0) != 0) {
    expected = nullptr;
    return false;
  }
  expected = &refused;
  Barrier();
  *address = value;
  Barrier();
  expected = nullptr;
  return true;
}

}  // namespace vta::driver::uio
