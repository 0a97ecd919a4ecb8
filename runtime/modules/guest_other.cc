// Where packages hold no code for the machine, no kernel is a guest.
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__arm__)
#include "isa/support/error.h"
#include "runtime/modules/guest.h"

extern "C" int vta_enter_guest(void**, vta::runtime::NativeKernel, void* const*, void*, int64_t,
                               int64_t) {
  VTA_CHECK(false, "no module runs here");
}

namespace vta::runtime {

void ResetModes() {}
uintptr_t InstructionOf(const void*) { return 0; }
void SendToLanding(void*, void*) {}

}  // namespace vta::runtime
#endif
