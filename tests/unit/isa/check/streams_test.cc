// Published raw ISA 0.0.2 streams, made elsewhere: all are proved.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "isa/check/check.h"
#include "isa/codec.h"
#include "isa/support/file.h"

namespace vta::isa {
namespace {

std::filesystem::path StreamFolder() {
  const char* cases = std::getenv("VTA_CASES");
  const std::filesystem::path root =
      cases ? std::filesystem::path(cases)
            : std::filesystem::path(VTA_SOURCE_DIR) / ".." / "shared" / "cases";
  return root / "streams";
}

class CheckedStreams : public testing::TestWithParam<const char*> {};

TEST_P(CheckedStreams, AreProved) {
  const std::string stem = (StreamFolder() / GetParam()).string();
  if (!std::filesystem::exists(stem + ".img")) GTEST_SKIP() << "no " << stem << ".img";
  int64_t address = 0, count = 0;
  std::ifstream(stem + ".txt") >> std::hex >> address >> std::dec >> count;
  const std::vector<uint8_t> image = ReadFile(stem + ".img");
  const std::vector<Word> words = WordsOf(std::span(image).subspan(address, 16 * count));
  const ImagePart part{0, image};
  const Config config = LoadConfig(VTA_SOURCE_DIR "/isa/configs/vta_0.0.2.json");
  const Report report = Check(config, {.instructions = words,
                                       .instruction_address = address,
                                       .memory_bytes = std::ssize(image),
                                       .image = std::span(&part, 1)});
  EXPECT_TRUE(report.ok()) << ReportToText(report);
  EXPECT_EQ(report.statistics.instructions, count);
}

INSTANTIATE_TEST_SUITE_P(Published, CheckedStreams,
                         testing::Values("gemm", "s_gred3", "s_nest2", "s_pad_xy", "s_shr_3",
                                         "s_st2d"));

}  // namespace
}  // namespace vta::isa
