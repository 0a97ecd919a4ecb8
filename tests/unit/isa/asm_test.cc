// Assembler and disassembler: hand-assembled words, every bit pattern there and back, programs.
#include "isa/asm.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

Config FullConfig() {
  Config config;
  config.version = Version::k100;
  config.arch.mul = config.arch.acc8 = config.arch.requant = config.arch.pad_value = 1;
  config.arch.overwrite = 1;
  return config;
}

// The default layout with unused bits in the upper words and in the micro-op.
Config SmallConfig() {
  Config config;
  config.name = "small";
  config.arch.uop_depth = 64;
  config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth = 32;
  return config;
}

Word One(const std::string& line, const Config& config = FullConfig()) {
  const Program program = Assemble(line, "p.s", config);
  const std::vector<Word> words = WordsOf(program.code()->bytes);
  EXPECT_EQ(words.size(), 1u) << line;
  return words.at(0);
}

TEST(AsmTest, WordsByHand) {
  constexpr uint64_t k1 = 1;
  EXPECT_EQ(One("load.inp sram=5 dram=0x100 y=2 x=3 stride=7 pad=1,2,3,4 pop_next push_next"),
            (Word{k1 << 4 | k1 << 6 | 2 << 7 | 5 << 10 | k1 << 34,
                  2 | 3 << 16 | k1 << 32 | 6ull << 32 | 1ull << 48 | 2ull << 52 | 3ull << 56 |
                      4ull << 60}));
  EXPECT_EQ(One("store.out x=1 pop_prev"), (Word{1 | 1 << 3 | 4 << 7, 1 | 1 << 16}));
  EXPECT_EQ(One("gemm uop=1:4 out=2 in=3 dst=5,6 src=7,8 wgt=9,10 reset push_prev"),
            (Word{2 | 1 << 5 | 1 << 7 | 1 << 8 | 4 << 21 | 2ull << 35 | 3ull << 49,
                  5 | 6ull << 11 | 7ull << 22 | 8ull << 33 | 9ull << 44 | 10ull << 54}));
  EXPECT_EQ(One("gemm overwrite reset"), (Word{2 | 1 << 7 | k1 << 35 | k1 << 49 | k1 << 63, 0}));
  EXPECT_EQ(One("alu.requant uop=0:1 src=0,3"),
            (Word{4 | 1 << 21 | k1 << 35 | k1 << 49, 3ull << 33 | 5ull << 44}));
  EXPECT_EQ(One("alu.add imm=-2"),
            (Word{4 | k1 << 35 | k1 << 49, 2ull << 44 | 1ull << 47 | 0xfffeull << 48}));
  EXPECT_EQ(One("set rounding=1"), (Word{5 | 2 << 7 | 1 << 10, 0}));
  EXPECT_EQ(One("finish"), (Word{3, 0}));
  EXPECT_EQ(One(".word 0xfedcba9876543210 0x7"), (Word{0xfedcba9876543210, 7}));
}

TEST(AsmTest, TextByHand) {
  const Layout layout(FullConfig());
  for (const char* line :
       {"load.uop sram=0 dram=0x0 y=1 x=16 stride=16 pop_prev",
        "load.acc8 sram=65535 dram=0xffffffff y=1 x=1 stride=0 pad=0,0,15,1 pad_select",
        "gemm uop=0:8192 out=16383 in=0 dst=0,1 src=2047,0 wgt=0,1023",
        "gemm uop=0:1 out=1 in=1 dst=0,0 src=0,0 wgt=0,0 overwrite",
        "alu.shr uop=0:1 out=1 in=1 dst=0,0 src=0,0 imm=-32768",
        "alu.7 uop=0:1 out=1 in=1 dst=0,0 src=0,0 reset", "set pad_load=255 push_next",
        "set 7=65535", "load.7 sram=0 dram=0x0 y=0 x=0 stride=0",
        ".word 0x000000000000000b 0x0000000000000001",   // FINISH with a reserved bit
        ".word 0x0000000000000006 0x0000000000000000",   // opcode 6
        ".word 0x0000000000000004 0x0001000000000000"})  // an immediate that is not used
    EXPECT_EQ(Disassemble(layout, One(line)), line);
  EXPECT_EQ(Disassemble(Layout(Config{}), Word{5, 0}),
            ".word 0x0000000000000005 0x0000000000000000");  // no SET in ISA 0.0.2
  EXPECT_EQ(Disassemble(Layout(Config{}), Word{uint64_t{1} << 63 | 2, 0}),
            ".word 0x8000000000000002 0x0000000000000000");  // and no overwrite
}

TEST(AsmTest, EveryBitPatternSurvivesTheText) {
  std::mt19937_64 random(1);
  for (const Config& config : {FullConfig(), SmallConfig(), Config{}}) {
    const Layout layout(config);
    int raw = 0;
    for (int n = 0; n < 4000; ++n) {
      Word word{random(), random()};
      // All bits random, few bits set, or the few differences from a legal word.
      if (n % 4 == 1) word = {word.low & random() & random(), word.high & random() & random()};
      if (n % 4 >= 2 && FindInstruction(config, word.low & 7))
        word = Encode(layout, Decode(layout, word));
      if (n % 4 == 3) (n % 8 == 3 ? word.low : word.high) ^= uint64_t{1} << (random() % 64);
      const std::string text = Disassemble(layout, word);
      ASSERT_EQ(One(text, config), word) << text;
      ASSERT_EQ(Disassemble(layout, One(text, config)), text);
      raw += text.starts_with(".word");
    }
    EXPECT_GT(raw, 100);
    EXPECT_LT(raw, 3000);
  }
}

TEST(AsmTest, EveryMicroOpSurvivesTheText) {
  std::mt19937_64 random(2);
  for (const Config& config : {FullConfig(), SmallConfig()}) {
    const Layout layout(config);
    for (int n = 0; n < 1000; ++n) {
      const auto word = static_cast<uint32_t>(n % 2 ? random() : random() % 32768);
      const Program program = Assemble(".uop\n" + DisassembleUop(layout, word), "p.s", config);
      const std::vector<uint8_t>& b = program.sections.at(0).bytes;
      ASSERT_EQ(b.size(), 4u);
      ASSERT_EQ(b[0] | b[1] << 8 | b[2] << 16 | static_cast<uint32_t>(b[3]) << 24, word);
    }
  }
  EXPECT_EQ(DisassembleUop(Layout(FullConfig()), 1 | 2 << 11 | 3 << 22), "dst=1 src=2 wgt=3");
  EXPECT_EQ(DisassembleUop(Layout(SmallConfig()), 1u << 31), ".word 0x80000000");
}

constexpr const char* kProgram = R"(# a comment
.config isa=1.0 arch.requant=true
.code 0x40
start: load.uop dram=kernel+1 x=1  # the second micro-op
  load.acc dram=bias x=1
  finish
.uop
kernel: dst=1
  src=2 dst=3
.data
weights: .byte 1 -1*2 0xff
.int -2 0x80000000
.space 3
.data 0x5040
bias: end:
.int 7*3
)";

TEST(AsmTest, SectionsAndLabels) {
  const Program program = Assemble(kProgram, "p.s", Config{});
  EXPECT_EQ(program.config.arch.requant, 1);
  ASSERT_EQ(program.sections.size(), 4u);
  EXPECT_EQ(program.code()->address, 0x40u);
  EXPECT_EQ(program.sections[1].address, 0x1000u);  // the next multiple of 4096
  EXPECT_EQ(program.sections[2].address, 0x2000u);
  const std::vector<uint8_t> data = {1, 255, 255, 255, 254, 255, 255, 255, 0, 0, 0, 128, 0, 0, 0};
  EXPECT_EQ(program.sections[2].bytes, data);
  EXPECT_EQ(*program.FindLabel("start"), 0x40u);
  EXPECT_EQ(*program.FindLabel("weights"), 0x2000u);
  EXPECT_EQ(*program.FindLabel("end"), 0x5040u);
  EXPECT_EQ(program.FindLabel("nothing"), nullptr);
  const Layout layout(program.config);
  const std::vector<Word> words = WordsOf(program.code()->bytes);
  EXPECT_EQ(Decode(layout, words[0]).dram_base, 0x1000 / 4 + 1);
  EXPECT_EQ(Decode(layout, words[1]).dram_base, 0x5040 / 64);
  const std::vector<uint8_t> image = program.Image();
  ASSERT_EQ(image.size(), 0x5040u + 12);
  EXPECT_EQ(image[0], 0);
  EXPECT_EQ(image[0x1004], 3);
  EXPECT_EQ(image[0x2000], 1);
  EXPECT_EQ(image[0x5044], 7);
}

TEST(AsmTest, ProgramsSurviveTheText) {
  const Program program = Assemble(kProgram, "p.s", Config{});
  const std::string text = Disassemble(program);
  const Program again = Assemble(text, "again.s", program.config);
  EXPECT_EQ(again.sections, program.sections) << text;
  EXPECT_EQ(Disassemble(again), text);
  EXPECT_EQ(text,
            ".code 0x40\nstart:\n"
            "load.uop sram=0 dram=0x401 y=1 x=1 stride=0\n"
            "load.acc sram=0 dram=0x141 y=1 x=1 stride=0\n"
            "finish\n"
            ".uop 0x1000\ndst=1 src=0 wgt=0\ndst=3 src=2 wgt=0\n"
            ".data 0x2000\n.byte 1 255 255 255 254 255 255 255 0 0 0 128 0 0 0\n"
            ".data 0x5040\n.byte 7 0 0 0 7 0 0 0 7 0 0 0\n");
}

TEST(AsmTest, ZerosInDataBecomeSpace) {
  const Program program = Assemble(".data\n.byte 1*16\n.space 40\n.byte 2\n.space 100", "p.s", {});
  const std::string text = Disassemble(program);
  EXPECT_EQ(text,
            ".data 0x0\n.byte 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n.space 32\n"
            ".byte 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n.space 93\n");
  EXPECT_EQ(Assemble(text, "again.s", {}).sections, program.sections);
}

TEST(AsmTest, FaultsAreMarked) {
  const Program program = Assemble("load.acc8 x=1\nfinish push_next\n.word 6 0", "p.s", Config{});
  EXPECT_EQ(Disassemble(program, true),
            ".code 0x0\n"
            "load.acc8 sram=0 dram=0x0 y=1 x=1 stride=0  # 0: illegal memory type\n"
            "finish push_next  # 1\n"
            ".word 0x0000000000000006 0x0000000000000000  # 2: illegal opcode\n");
}

TEST(AsmTest, AProgramIsFoundInAnImage) {
  const Config config;
  const std::vector<uint8_t> image =
      Assemble("load.uop dram=t x=2\nload.uop dram=t+2 x=1\nfinish\n.uop\nt: dst=1\ndst=2\ndst=3",
               "p.s", config)
          .Image();
  const Program found = ProgramInImage(config, image, 0, 3);
  ASSERT_EQ(found.sections.size(), 2u);
  EXPECT_EQ(found.sections[1].address, 0x1000u);
  EXPECT_EQ(found.sections[1].bytes.size(), 12u);
  EXPECT_EQ(Assemble(Disassemble(found), "again.s", config).Image(), image);
  EXPECT_THROW(ProgramInImage(config, image, 0, 1000), Error);
  EXPECT_THROW(ProgramInImage(config, image, 1 << 20, 0), Error);
}

}  // namespace
}  // namespace vta::isa
