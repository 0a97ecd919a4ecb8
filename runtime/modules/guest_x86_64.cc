// The border of kernels on x86-64.
#if defined(__x86_64__)
#include <signal.h>
#include <ucontext.h>

#include "runtime/modules/guest.h"

asm(R"(
        .text
        .globl  vta_enter_guest
        .hidden vta_enter_guest
        .type   vta_enter_guest, @function
vta_enter_guest:
        endbr64
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rax
        movq    %rdx, %rdi
        movq    %rcx, %rsi
        movq    %r8, %rdx
        movq    %r9, %rcx
        call    *%rax
        xorl    %eax, %eax
1:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   vta_enter_guest, . - vta_enter_guest

        .globl  vta_land_guest
        .hidden vta_land_guest
        .type   vta_land_guest, @function
vta_land_guest:
        movl    $1, %eax
        jmp     1b
        .size   vta_land_guest, . - vta_land_guest
)");

extern "C" void vta_land_guest();

namespace vta::runtime {
namespace {

// In the frame's area of the x87 state: that extended state follows, as XSAVE writes it.
constexpr int kMagicAt = 12;
constexpr uint32_t kExtendedMagic = 0x46505853;
constexpr greg_t kInterruptsOn = 0x202;  // and no trap, no alignment check, strings upwards

}  // namespace

// The check of alignment, which no compiler's code passes; below what leaf functions use.
__attribute__((no_sanitize("address", "undefined"))) void ResetModes() {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushfq\n\t"
      "andq $~0x40000, (%%rsp)\n\t"
      "popfq\n\t"
      "leaq 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}

uintptr_t InstructionOf(const void* context) {
  return static_cast<uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

void SendToLanding(void* context, void* stack) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.gregs[REG_RIP] = reinterpret_cast<greg_t>(&vta_land_guest);
  machine.gregs[REG_RSP] = reinterpret_cast<greg_t>(stack);
  machine.gregs[REG_EFL] = kInterruptsOn;
  // Vectors, x87 and tiles begin anew: no caller keeps anything there.
  auto* const state = reinterpret_cast<_xstate*>(machine.fpregs);
  if (state && state->fpstate.__glibc_reserved1[kMagicAt] == kExtendedMagic)
    state->xstate_hdr.xstate_bv = 0;
}

}  // namespace vta::runtime
#endif
