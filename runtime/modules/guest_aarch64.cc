// The border of kernels on AArch64.
#if defined(__aarch64__)
#include <signal.h>
#include <ucontext.h>

#include "runtime/modules/guest.h"

asm(R"(
        .text
        .p2align 2
        .globl  vta_enter_guest
        .hidden vta_enter_guest
        .type   vta_enter_guest, %function
vta_enter_guest:
        hint    #34                     // bti c
        stp     x29, x30, [sp, #-176]!
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x9, sp
        str     x9, [x0]
        mov     x9, x1
        mov     x0, x2
        mov     x1, x3
        mov     x2, x4
        mov     x3, x5
        blr     x9
        mov     w0, #0
1:      ldr     x9, [sp, #160]
        msr     fpcr, x9
        ldp     d14, d15, [sp, #144]
        ldp     d12, d13, [sp, #128]
        ldp     d10, d11, [sp, #112]
        ldp     d8, d9, [sp, #96]
        ldp     x27, x28, [sp, #80]
        ldp     x25, x26, [sp, #64]
        ldp     x23, x24, [sp, #48]
        ldp     x21, x22, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #176
        ret
        .size   vta_enter_guest, . - vta_enter_guest

        .globl  vta_land_guest
        .hidden vta_land_guest
        .type   vta_land_guest, %function
vta_land_guest:
        mov     w0, #1
        b       1b
        .size   vta_land_guest, . - vta_land_guest
)");

extern "C" void vta_land_guest();

namespace vta::runtime {

void ResetModes() {}

uintptr_t InstructionOf(const void* context) {
  return static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
}

void SendToLanding(void* context, void* stack) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.pc = reinterpret_cast<uintptr_t>(&vta_land_guest);
  machine.sp = reinterpret_cast<uintptr_t>(stack);
  machine.pstate = 0;  // no step, no pending branch
}

}  // namespace vta::runtime
#endif
