// What the example platform says of files that it cannot run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "isa/support/error.h"
#include "sim/build/shell.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

using testing::HasSubstr;

// What it prints where it exits with 1; "" where it does not.
std::string ErrorOf(const std::string& lines) {
  const std::filesystem::path folder = std::filesystem::path(PLATFORM_FOLDER);
  std::filesystem::create_directories(folder);
  const std::string list = (folder / "launches.txt").string(),
                    output = (folder / "output.txt").string();
  std::ofstream(list) << lines;
  if (!sim::RunShell(StrCat("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ", sim::ShellQuoted(PLATFORM), " ",
                            sim::ShellQuoted(list), " >", sim::ShellQuoted(output),
                            " 2>&1; test $? -eq 1")))
    return "";
  std::ifstream in(output);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PlatformTest, SaysWhatIsWrongWithItsFiles) {
  const std::string config = SourcePath("isa/configs/default.json");
  const std::string start = config + " " + config + " 0 1 0 0 0 0 0 ";
  EXPECT_THAT(ErrorOf(""), HasSubstr("launches.txt: lists no launch\n"));
  EXPECT_THAT(ErrorOf(start + "none\n" + config + " word\n"),
              HasSubstr("launches.txt: line 2: must be ten words\n"));
  EXPECT_THAT(ErrorOf(start + "none none\n"), HasSubstr("line 1: must be ten words\n"));
  EXPECT_THAT(ErrorOf(start + "foo\n"), HasSubstr("line 1: seed foo: must be a number, or none\n"));
  EXPECT_THAT(ErrorOf(start + "7foo\n"), HasSubstr("line 1: seed 7foo: must be a number"));
  EXPECT_THAT(ErrorOf(config + " missing.bin 0 1 0 0 0 0 0 none\n"),
              HasSubstr("line 1: missing.bin: cannot be read\n"));
}

}  // namespace
}  // namespace vta::test
