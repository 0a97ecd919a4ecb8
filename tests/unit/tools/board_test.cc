// board.json: each key is asked for, and what is wrong with it is said with file, place and rule.
#include "tools/vta/hw/board.h"

#include <gmock/gmock.h>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"

namespace vta::tools {
namespace {

const std::string& Text() {
  static const std::string text = ReadTextFile(BoardFile("zcu104", "board.json"));
  return text;
}

// The message where `to` stands in the place of `from`.
std::string BoardError(const std::string& from, const std::string& to) {
  std::string text = Text();
  const size_t at = text.find(from);
  if (at == std::string::npos) return StrCat("no ", from);
  text.replace(at, from.size(), to);
  return ErrorOf([&] { ParseBoard(text, "b.json"); });
}

TEST(Board, IsWhatItsFileSays) {
  const Board board = ParseBoard(Text(), "b.json");
  EXPECT_EQ(board.name, "zcu104");
  EXPECT_EQ(board.part->name, "xczu7ev");
  EXPECT_EQ(board.config, "zcu104");
  EXPECT_EQ(board.control_address, 0xa0000000u);
  EXPECT_THAT(board.memory_widths_bits, testing::ElementsAre(32, 64, 128));
  ASSERT_EQ(board.memory_ranges.size(), 1u);
  EXPECT_EQ(board.memory_ranges[0].bytes, uint64_t{1} << 31);
  EXPECT_EQ(board.interrupt_spi, 89);
}

TEST(Board, AllAreThereWithAConfigOfTheirPart) {
  EXPECT_THAT(BoardNames(), testing::ElementsAre("kv260", "pynq_z1", "ultra96", "zcu104"));
  for (const std::string& name : BoardNames()) EXPECT_EQ(FindBoard(name).name, name);
  EXPECT_EQ(ErrorOf([] { FindBoard("zcu102"); }),
            "--board: zcu102: must be one of kv260, pynq_z1, ultra96, zcu104");
}

TEST(Board, SaysWhatIsWrong) {
  EXPECT_EQ(BoardError("\"about\"", "\"abuot\""), "b.json: about: is missing");
  EXPECT_THAT(BoardError("\"spi\"", "\"gic\": 1, \"spi\""),
              testing::StartsWith("b.json: interrupt.gic: unknown key"));
  EXPECT_EQ(BoardError("xczu7ev-ffvc1156-2-e", "xczu7ev [exit]"),
            "b.json: vendor_part = xczu7ev [exit]: must be of letters, digits, _ . : and -");
  EXPECT_EQ(BoardError("\"part\": \"xczu7ev\"", "\"part\": \"xc6\""),
            "b.json: part = xc6: must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f");
  EXPECT_EQ(BoardError("zynqmp", "versal"),
            "b.json: processing_system = versal: must be one of zynq7, zynqmp");
  EXPECT_THAT(BoardError("\"config\": \"zcu104\"", "\"config\": \"mine\""),
              testing::StartsWith("b.json: config = mine: must be one of batch2_16x16, "));
  EXPECT_EQ(BoardError("0xa0000000", "0xa0000800"),
            "b.json: control.address = 0xa0000800: must be hexadecimal, 0x..., and a multiple of "
            "4096");
  for (const char* wrong : {"a0000000", "0x", "0xg000", "0x1000 ", "0x10000000000000000"})
    EXPECT_THAT(BoardError("0xa0000000", wrong), testing::HasSubstr("must be hexadecimal"))
        << wrong;
  EXPECT_EQ(BoardError("AXI4", "AXI5"),
            "b.json: memory.protocol = AXI5: must be one of AXI3, AXI4");
  EXPECT_EQ(BoardError("[32, 64, 128]", "[16]"),
            "b.json: memory.widths_bits = [16]: must be integers, 32 to 512");
  EXPECT_EQ(BoardError("0011", "0021"),
            "b.json: memory.cache = 0021: must be four bits, such as 0011");
  EXPECT_THAT(BoardError("\"coherent\": false", "\"coherent\": 0"),
              testing::StartsWith("b.json: memory.coherent"));
  EXPECT_EQ(BoardError("0x80000000", "0x0"),
            "b.json: memory.ranges[0].bytes = 0x0: must be more than 0 and end inside 64 bits");
  EXPECT_EQ(BoardError("\"0x0\", \"bytes\": \"0x80000000\"",
                       "\"0xfffffffffffff000\", \"bytes\": \"0x2000\""),
            "b.json: memory.ranges[0].bytes = 0x2000: must be more than 0 and end inside 64 bits");
  EXPECT_EQ(BoardError("\"ps_mhz\": 100", "\"ps_mhz\": 0"),
            "b.json: clock.ps_mhz = 0: must be an integer in [1, 1000]");
}

}  // namespace
}  // namespace vta::tools
