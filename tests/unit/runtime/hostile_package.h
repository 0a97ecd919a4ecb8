// Packages of one kernel in machine code, which does what no kernel of the compiler does. For
// x86-64; tests/cross has others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/package.h"
#include "runtime/model.h"
#include "tests/support/test_elf.h"

namespace vta::runtime {

/// Code of a kernel: tensors in rdi, workspace in rsi, tasks from rdx to rcx.
struct HostileCode {
  static std::vector<uint8_t> Loop() { return {0xeb, 0xfe}; }
  /// Loops where the input's first byte, which lies behind the output, is not 0.
  static std::vector<uint8_t> LoopIfAsked() {
    return {0x48, 0x8b, 0x07,        // movq (%rdi), %rax
            0x80, 0x78, 0x40, 0x00,  // cmpb $0, 64(%rax)
            0x75, 0xfe,              // jne to itself
            0xc3};                   // retq
  }
  static std::vector<uint8_t> Null() {
    return {0x31, 0xc0,         // xorl %eax, %eax
            0x88, 0x40, 0x10};  // movb %al, 16(%rax)
  }
  static std::vector<uint8_t> Illegal() { return {0x0f, 0x0b}; }
  static std::vector<uint8_t> Breakpoint() { return {0xcc}; }
  static std::vector<uint8_t> DivideByZero() {
    return {0x31, 0xc9,   // xorl %ecx, %ecx
            0xf7, 0xf1};  // divl %ecx
  }
  static std::vector<uint8_t> Misaligned() {
    return {0x9c,                                      // pushfq
            0x81, 0x0c, 0x24, 0x00, 0x00, 0x04, 0x00,  // orl $0x40000, (%rsp): check alignment
            0x9d,                                      // popfq
            0x48, 0x8b, 0x07,                          // movq (%rdi), %rax
            0x8b, 0x40, 0x01,                          // movl 1(%rax), %eax
            0xc3};                                     // retq
  }
  /// Until the stack ends.
  static std::vector<uint8_t> Deep() { return {0xe8, 0xfb, 0xff, 0xff, 0xff}; }
  static std::vector<uint8_t> SystemCall(uint8_t number) {
    return {0xb8, number, 0x00, 0x00, 0x00,  // movl $number, %eax
            0x0f, 0x05,                      // syscall
            0xc3};                           // retq
  }
  /// Writes so many bytes of its code to all that its process has open.
  static std::vector<uint8_t> Chatter(uint8_t bytes) {
    return {0x41, 0xb8,  0x03, 0x00, 0x00, 0x00,        // movl $3, %r8d
            0xb8, 0x01,  0x00, 0x00, 0x00,              // movl $1, %eax: write
            0x44, 0x89,  0xc7,                          // movl %r8d, %edi
            0x48, 0x8d,  0x35, 0x00, 0x00, 0x00, 0x00,  // leaq 0(%rip), %rsi
            0xba, bytes, 0x00, 0x00, 0x00,              // movl $bytes, %edx
            0x0f, 0x05,                                 // syscall
            0x41, 0xff,  0xc0,                          // incl %r8d
            0x41, 0x83,  0xf8, 0x10,                    // cmpl $16, %r8d
            0x75, 0xe1,                                 // jne to the second instruction
            0xc3};                                      // retq
  }
  /// Loops with all signals blocked, by the return from a signal that never was.
  static std::vector<uint8_t> Deaf() {
    return {0x48, 0x81, 0xec, 0x00, 0x02, 0x00, 0x00,        // subq $512, %rsp
            0x48, 0x89, 0xe7,                                // movq %rsp, %rdi
            0x31, 0xc0,                                      // xorl %eax, %eax
            0xb9, 0x40, 0x00, 0x00, 0x00,                    // movl $64, %ecx
            0xf3, 0x48, 0xab,                                // rep stosq: the frame
            0x48, 0x8d, 0x05, 0x3c, 0x00, 0x00, 0x00,        // leaq of the jmp, %rax
            0x48, 0x89, 0x84, 0x24, 0xa8, 0x00, 0x00, 0x00,  // movq %rax, 168(%rsp): rip
            0x48, 0x89, 0xa4, 0x24, 0xa0, 0x00, 0x00, 0x00,  // movq %rsp, 160(%rsp): rsp
            0xc7, 0x84, 0x24, 0xb0, 0x00, 0x00, 0x00,        //
            0x02, 0x02, 0x00, 0x00,                          // movl $0x202, 176(%rsp): flags
            0x8c, 0x8c, 0x24, 0xb8, 0x00, 0x00, 0x00,        // movw %cs, 184(%rsp)
            0x8c, 0x94, 0x24, 0xbe, 0x00, 0x00, 0x00,        // movw %ss, 190(%rsp)
            0x48, 0xc7, 0x84, 0x24, 0x28, 0x01, 0x00, 0x00,  //
            0xff, 0xff, 0xff, 0xff,                          // movq $-1, 296(%rsp): the mask
            0xb8, 0x0f, 0x00, 0x00, 0x00,                    // movl $15, %eax: rt_sigreturn
            0x0f, 0x05,                                      // syscall
            0xeb, 0xfe};                                     // jmp to itself
  }
  /// Faults with each register and mode changed that a function must leave as it was.
  static std::vector<uint8_t> Untidy() {
    return {
        0xfd,                                            // std
        0xc7, 0x44, 0x24, 0xf8, 0x80, 0x7f, 0x00, 0x00,  // movl $0x7f80, -8(%rsp)
        0x0f, 0xae, 0x54, 0x24, 0xf8,                    // ldmxcsr -8(%rsp): towards zero
        0xd9, 0xee, 0xd9, 0xee, 0xd9, 0xee, 0xd9, 0xee,  // fldz, and so on: eight of them
        0xd9, 0xee, 0xd9, 0xee, 0xd9, 0xee, 0xd9, 0xee, 0x31, 0xdb, 0x31, 0xed,  // xorl %ebx, %ebx
                                                                                 // and so on
        0x45, 0x31, 0xe4, 0x45, 0x31, 0xed, 0x45, 0x31, 0xf6, 0x45, 0x31, 0xff, 0x0f, 0x0b};  // ud2
  }
  /// Code for the second task alone; the first writes its range, as TestElf's.
  static std::vector<uint8_t> ForTaskOne(const std::vector<uint8_t>& code) {
    std::vector<uint8_t> all = {0x48, 0x85, 0xd2,        // testq %rdx, %rdx
                                0x75, 0x0b,              // jne to what follows the store
                                0x48, 0x8b, 0x07,        // movq (%rdi), %rax
                                0x48, 0x89, 0x10,        // movq %rdx, (%rax)
                                0x48, 0x89, 0x48, 0x08,  // movq %rcx, 8(%rax)
                                0xc3};                   // retq
    all.insert(all.end(), code.begin(), code.end());
    return all;
  }
  /// Code for the second task; the first returns once that begins, so that they are two threads'.
  static std::vector<uint8_t> Beside(const std::vector<uint8_t>& code) {
    std::vector<uint8_t> all = {0x48, 0x8b, 0x07,        // movq (%rdi), %rax
                                0x48, 0x85, 0xd2,        // testq %rdx, %rdx
                                0x75, 0x07,              // jne to the second task
                                0x48, 0x83, 0x38, 0x00,  // cmpq $0, (%rax)
                                0x74, 0xfa,              // je to the comparison
                                0xc3,                    // retq
                                0x48, 0xff, 0x00};       // incq (%rax)
    all.insert(all.end(), code.begin(), code.end());
    return all;
  }
  /// TestElf's store_range.
  static std::vector<uint8_t> Good() { return ForTaskOne({0xc3}); }
};

/// One step that runs the kernel; its output is two int64.
inline isa::Package HostilePackage(const std::string& kernel, const std::vector<uint8_t>& code,
                                   int64_t tasks = 1) {
  test::TestElf elf("x86_64");
  elf.code = code;
  elf.symbols = {{kernel, test::TestElf::kCode, code.size()}};
  elf.segments[1].p_filesz = elf.segments[1].p_memsz = code.size();
  isa::Package package;
  package.model = "hostile";
  package.arena_bytes = 128;
  package.kernels = {{kernel, tasks, 0, {16}}};
  package.modules = {elf.Module()};
  package.tensors = {{"x", isa::ElementType::kInt64, {1}, 64},
                     {"range", isa::ElementType::kInt64, {2}, 0}};
  package.steps = {{"only", isa::PackageStep::Kind::kKernel, 0, 0, {}, {1}, {"op", "2", 0}}};
  package.inputs = {0};
  package.outputs = {1};
  return package;
}

inline std::shared_ptr<const Model> HostileModel(const std::string& kernel,
                                                 const std::vector<uint8_t>& code,
                                                 int64_t tasks = 1) {
  return std::make_shared<Model>(HostilePackage(kernel, code, tasks), "p.vta");
}

}  // namespace vta::runtime
