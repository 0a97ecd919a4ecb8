// The border of kernels on ARMv7.
#if defined(__arm__)
#include <signal.h>
#include <ucontext.h>

#include "runtime/modules/guest.h"

asm(R"(
        .text
        .syntax unified
        .arm
        .fpu    vfpv3
        .p2align 2
        .globl  vta_enter_guest
        .hidden vta_enter_guest
        .type   vta_enter_guest, %function
vta_enter_guest:
        push    {r4-r11, lr}
        sub     sp, sp, #4
        vpush   {d8-d15}
        vmrs    r4, fpscr
        sub     sp, sp, #8
        str     r4, [sp]
        str     sp, [r0]
        mov     r12, r1
        mov     r0, r2
        mov     r1, r3
        add     r4, sp, #112            @ first and last task, which lie on the stack
        ldrd    r2, r3, [r4]
        ldrd    r6, r7, [r4, #8]
        push    {r6, r7}
        blx     r12
        add     sp, sp, #8
        mov     r0, #0
1:      ldr     r4, [sp]
        vmsr    fpscr, r4
        add     sp, sp, #8
        vpop    {d8-d15}
        add     sp, sp, #4
        pop     {r4-r11, pc}
        .size   vta_enter_guest, . - vta_enter_guest

        .globl  vta_land_guest
        .hidden vta_land_guest
        .type   vta_land_guest, %function
vta_land_guest:
        mov     r0, #1
        b       1b
        .size   vta_land_guest, . - vta_land_guest
)");

extern "C" void vta_land_guest();

namespace vta::runtime {
namespace {

// Of the status register: the processor's mode, which stays. Thumb code, conditional blocks and big
// endian bytes end.
constexpr uint32_t kMode = 0x1f;

}  // namespace

void ResetModes() {}

uintptr_t InstructionOf(const void* context) {
  return static_cast<const ucontext_t*>(context)->uc_mcontext.arm_pc;
}

void SendToLanding(void* context, void* stack) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.arm_pc = reinterpret_cast<uintptr_t>(&vta_land_guest);
  machine.arm_sp = reinterpret_cast<uintptr_t>(stack);
  machine.arm_cpsr &= kMode;
}

}  // namespace vta::runtime
#endif
