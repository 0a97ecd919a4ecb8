// Published raw ISA 0.0.2 streams, made elsewhere: all are proved, and lie in the subset on which
// the published executors were seen to agree on them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "isa/check/published.h"
#include "isa/codec.h"
#include "isa/support/file.h"
#include "tests/support/files.h"

namespace vta::isa {
namespace {

class CheckedStreams : public testing::TestWithParam<const char*> {};

TEST_P(CheckedStreams, AreProved) {
  const std::string stem = (CasesFolder() / "streams" / GetParam()).string();
  if (!std::filesystem::exists(stem + ".img")) GTEST_SKIP() << "no " << stem << ".img";
  int64_t address = 0, count = 0;
  std::ifstream(stem + ".txt") >> std::hex >> address >> std::dec >> count;
  const std::vector<uint8_t> image = ReadFile(stem + ".img");
  const std::vector<Word> words = WordsOf(std::span(image).subspan(address, 16 * count));
  const ImagePart part{0, image};
  const Config config = LoadConfig(SourcePath("isa/configs/vta_0.0.2.json"));
  const Launch launch{.instructions = words,
                      .instruction_address = address,
                      .memory_bytes = std::ssize(image),
                      .image = std::span(&part, 1)};
  const Report report = Check(config, launch);
  EXPECT_TRUE(report.ok()) << ReportToText(report);
  EXPECT_EQ(report.statistics.instructions, count);
  const PublishedReport published = CheckPublished(config, launch);
  EXPECT_TRUE(published.ok()) << PublishedToText(published);
}

INSTANTIATE_TEST_SUITE_P(Published, CheckedStreams,
                         testing::Values("gemm", "s_gred3", "s_nest2", "s_pad_xy", "s_shr_3",
                                         "s_st2d"));

}  // namespace
}  // namespace vta::isa
