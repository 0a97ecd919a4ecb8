// The decoder of the fake board, on instructions as the GNU assembler (2.40) encodes them.
#include "tests/uio/fake/mov.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::test::uio {
namespace {

struct Case {
  const char* text;
  std::vector<uint8_t> code;
  bool is_load;
  int reg;
  uint32_t constant = 0;
};

TEST(Mov, IsDecoded) {
  const std::vector<Case> cases = {
      {"mov (%rax),%eax", {0x8b, 0x00}, true, 0},
      {"mov (%r13),%r9d", {0x45, 0x8b, 0x4d, 0x00}, true, 9},
      {"mov 0x10(%rsp),%edx", {0x8b, 0x54, 0x24, 0x10}, true, 2},
      {"mov 0x1234(%rdi,%rcx,4),%esi", {0x8b, 0xb4, 0x8f, 0x34, 0x12, 0, 0}, true, 6},
      {"mov 0x0(,%rcx,4),%eax", {0x8b, 0x04, 0x8d, 0, 0, 0, 0}, true, 0},
      {"mov 0x100(%rip),%ebx", {0x8b, 0x1d, 0, 1, 0, 0}, true, 3},
      {"mov %r15d,0x4(%r12)", {0x45, 0x89, 0x7c, 0x24, 0x04}, false, 15},
      {"mov %ebp,(%rsi)", {0x89, 0x2e}, false, 5},
      {"movl $0x12345678,0x8(%rbx)",
       {0xc7, 0x43, 8, 0x78, 0x56, 0x34, 0x12},
       false,
       -1,
       0x12345678},
      {"movl $1,(%r10)", {0x41, 0xc7, 0x02, 1, 0, 0, 0}, false, -1, 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    std::vector<uint8_t> code = c.code;
    code.resize(16, 0x90);
    const std::optional<Mov> mov = DecodeMov(code.data());
    ASSERT_TRUE(mov);
    EXPECT_EQ(mov->bytes, static_cast<int>(c.code.size()));
    EXPECT_EQ(mov->is_load, c.is_load);
    EXPECT_EQ(mov->reg, c.reg);
    EXPECT_EQ(mov->constant, c.constant);
  }
}

// Other widths, and what reads and writes at once.
TEST(Mov, NothingElseIs) {
  const std::vector<std::vector<uint8_t>> others = {
      {0x48, 0x8b, 0x00},                    // mov (%rax),%rax
      {0x66, 0x8b, 0x00},                    // mov (%rax),%ax
      {0x8a, 0x00},                          // mov (%rax),%al
      {0x66, 0xc7, 0x00, 1, 0},              // movw $1,(%rax)
      {0x83, 0x08, 0x01},                    // orl $1,(%rax)
      {0x87, 0x00},                          // xchg %eax,(%rax)
      {0x8b, 0xc1},                          // mov %ecx,%eax
      {0x0f, 0x11, 0x00},                    // movups %xmm0,(%rax)
      {0x48, 0xc7, 0x00, 1, 0, 0, 0, 0, 0},  // movq $1,(%rax)
  };
  for (std::vector<uint8_t> code : others) {
    code.resize(16, 0x90);
    EXPECT_FALSE(DecodeMov(code.data())) << static_cast<int>(code[0]);
  }
}

}  // namespace
}  // namespace vta::test::uio
