// Each message of the assembler, whole.
#include <gtest/gtest.h>

#include "isa/asm.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

struct Case {
  const char* text;
  const char* message;
};

class AsmErrors : public testing::TestWithParam<Case> {};

TEST_P(AsmErrors, Message) {
  try {
    Assemble(GetParam().text, "p.s", Config{});
    FAIL() << "accepted: " << GetParam().text;
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Instructions, AsmErrors,
    testing::Values(
        Case{"finish\n jump x=1",
             "p.s:2: instruction = jump: this config has load, store, gemm, finish, alu"},
        Case{"set rounding=1",
             "p.s:1: instruction = set: this config has load, store, gemm, finish, alu"},
        Case{"load x=1",
             "p.s:1: load memory type: must be one of uop, wgt, inp, acc, out, acc8, lut, or a "
             "number in [0, 7]"},
        Case{"alu.sub",
             "p.s:1: alu operation = sub: must be one of min, max, add, shr, mul, requant, lut, or "
             "a number in [0, 7]"},
        Case{"load.8",
             "p.s:1: load memory type = 8: must be one of uop, wgt, inp, acc, out, acc8, lut, or "
             "a number in [0, 7]"},
        Case{"gemm.add", "p.s:1: gemm = add: takes no suffix"},
        Case{"load.inp sarm=1",
             "p.s:1: sarm = 1: load takes sram, dram, y, x, stride, pad, pop_prev, pop_next, "
             "push_prev, push_next, pad_select"},
        Case{"load.inp x", "p.s:1: x: needs a value: x=..."},
        Case{"load.inp x=", "p.s:1: x: must be an integer in [0, 65535] (16 bits)"},
        Case{"load.inp x=ten", "p.s:1: x = ten: must be an integer in [0, 65535] (16 bits)"},
        Case{"load.inp x=65536", "p.s:1: x = 65536: must be in [0, 65535] (16 bits)"},
        Case{"load.inp x=-1", "p.s:1: x = -1: must be in [0, 65535] (16 bits)"},
        Case{"load.inp x=99999999999999999999",
             "p.s:1: x = 99999999999999999999: must be an integer in [0, 65535] (16 bits)"},
        Case{"load.inp x=1 x=1", "p.s:1: x = 1: stands there twice"},
        Case{"load.inp pad=1,2",
             "p.s:1: pad = 1,2: needs 4 values: y_pad_top,y_pad_bottom,x_pad_left,x_pad_right"},
        Case{"gemm uop=3", "p.s:1: uop = 3: needs 2 values: uop_begin:uop_end"},
        Case{"gemm overwrite",
             "p.s:1: overwrite: gemm takes uop, out, in, dst, src, wgt, pop_prev, pop_next, "
             "push_prev, push_next, reset"},
        Case{"gemm uop=0:16384", "p.s:1: uop = 16384: must be in [0, 16383] (14 bits)"},
        Case{"gemm pop_prev=1", "p.s:1: pop_prev = 1: takes no value"},
        Case{"alu.add imm=32768", "p.s:1: imm = 32768: must be in [-32768, 32767] (16 bits)"},
        Case{".word 1", "p.s:1: .word: of an instruction needs its low and its high 64 bits"},
        Case{".word 1 -1", "p.s:1: .word = -1: must be in [0, 0xffffffffffffffff]"}));

INSTANTIATE_TEST_SUITE_P(
    MicroOps, AsmErrors,
    testing::Values(
        Case{".uop\ndst=2048", "p.s:2: dst = 2048: must be in [0, 2047] (11 bits)"},
        Case{".uop\ndst=1 dst=1", "p.s:2: dst = 1: stands there twice"},
        Case{".uop\ninp=1", "p.s:2: inp = 1: a micro-op takes dst, src, wgt, each as name=value"},
        Case{".uop\ndst", "p.s:2: dst: a micro-op takes dst, src, wgt, each as name=value"},
        Case{".uop\n.word 1 2", "p.s:2: .word: of a micro-op needs its 32 bits"},
        Case{".uop\n.word 0x100000000", "p.s:2: .word = 0x100000000: must be in [0, 0xffffffff]"}));

INSTANTIATE_TEST_SUITE_P(
    Sections, AsmErrors,
    testing::Values(
        Case{".text",
             "p.s:1: directive = .text: must be one of .config, .word, .space, .code, .uop, .data, "
             ".package, .modules, .byte, .int"},
        Case{"finish\n.code 64", "p.s:2: .code: stands at p.s:1 already"},
        Case{".code 8", "p.s:1: .code = 8: must be a multiple of 16"},
        Case{".uop 2", "p.s:1: .uop = 2: must be a multiple of 4"},
        Case{".uop 4 4", "p.s:1: .uop = 4: takes one address"},
        Case{".data -1", "p.s:1: .data = -1: must be in [0, 268435455]"},
        Case{".code 16\nfinish\n.data 0\n.space 17",
             "p.s:1: section = 0x10: lies inside that of p.s:3, which ends at 0x11"},
        Case{".data 0xfffffff\n.byte 1 2",
             "p.s:1: section = end 0x10000001: must end below 0x10000000"},
        Case{".data\n.space 0x10000000\n.byte 1",
             "p.s:3: program = 268435457 bytes: must be at most 268435456"},
        Case{".data\nfinish", "p.s:2: finish: a .data section holds .byte, .int and .space"},
        Case{"finish\n.byte 1", "p.s:2: .byte: belongs into a .data section"},
        Case{".data\n.byte 256", "p.s:2: .byte = 256: must be in [-128, 255]"},
        Case{".data\n.int 0x100000000",
             "p.s:2: .int = 0x100000000: must be in [-2147483648, 4294967295]"},
        Case{".data\n.byte 1*x", "p.s:2: count = x: must be an integer in [0, 268435456]"},
        Case{".data\n.space 1 2", "p.s:2: .space: takes one number of bytes"}));

INSTANTIATE_TEST_SUITE_P(
    Labels, AsmErrors,
    testing::Values(
        Case{"1a: finish", "p.s:1: label = 1a: must be letters, digits and _"},
        Case{"a:\na: finish", "p.s:2: label = a: is defined at p.s:1 already"},
        Case{"load.inp dram=a", "p.s:1: label = a: is not defined"},
        Case{"load.7 dram=a\na:", "p.s:1: label = a: needs a memory type that has elements"},
        Case{"load.inp dram=a\n.data 8\na:",
             "p.s:1: label = a: lies at 0x8, not at a multiple of an element's 16 bytes"},
        Case{"load.inp dram=a+-1\n.data 16\na:", "p.s:1: a = -1: must be in [0, 4294967295]"},
        Case{"load.inp dram=a+4294967295\n.data 16\na:",
             "p.s:1: dram = 4294967296: must be in [0, 4294967295] (32 bits)"}));

INSTANTIATE_TEST_SUITE_P(
    Configs, AsmErrors,
    testing::Values(
        Case{"finish\n.config isa=1.0",
             "p.s:2: .config: must stand before all instructions, data and labels"},
        Case{".config arch.acc_depth=100",
             "p.s:1: arch.acc_depth = 100: must be a power of two in [4, 2048]"},
        Case{".config arch.acc=100",
             "p.s:1: arch.acc: unknown key; known here: batch, block_in, block_out, uop_depth, "
             "inp_depth, wgt_depth, acc_depth, mul, acc8, requant, pad_value, overwrite, "
             "requant_multiplier_bits, token_capacity, lut"},
        Case{".config arch.mul=true x", "p.s:1: .config = x: needs NAME first, then key=value"},
        Case{"\x1b\x01",
             "p.s:1: instruction = \\x1b\\x01: this config has load, store, gemm, finish, alu"},
        Case{".config none.json", "p.s:1: none.json: cannot open: No such file or directory"},
        Case{".config arch.requant=true", "p.s:1: arch.requant = true: needs \"isa\": \"1.0\""}));

}  // namespace
}  // namespace vta::isa
