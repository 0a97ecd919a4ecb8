#include "tools/explore/results.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ResultsHead kHead{1, 2, "vta 1"};

PointResult Costed(int64_t point) {
  return {point, PointResult::End::kCosted, "", {{100 + point, 90, 5000, 0.125, 1}}};
}

class ResultsTest : public testing::Test {
 protected:
  const Temporary folder_{NewTemporaryFolder("vta-results-test")};
  const std::string path_ = folder_.path() + "/points.jsonl";
};

TEST_F(ResultsTest, AreReadAsTheyWereWritten) {
  const PointResult refused{7, PointResult::End::kRefused, "does not fit", {}};
  EXPECT_THAT(ReadResults(path_, kHead), ElementsAre());
  {
    ResultsWriter writer(path_, kHead);
    writer.Append(Costed(3));
    writer.Append(refused);
  }
  ResultsWriter(path_, kHead).Append(Costed(1));
  EXPECT_THAT(ReadResults(path_, kHead), ElementsAre(Costed(3), refused, Costed(1)));
}

// As after a kill -9, twice.
TEST_F(ResultsTest, LoseTheLineThatWasCut) {
  for (const int64_t point : {1, 2}) {
    ResultsWriter(path_, kHead).Append(Costed(point));
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 9);
  }
  ResultsWriter(path_, kHead).Append(Costed(3));
  EXPECT_THAT(ReadResults(path_, kHead), ElementsAre(Costed(3)));
}

TEST_F(ResultsTest, LeaveAFileOfSomethingElse) {
  std::ofstream(path_) << "my own notes";
  EXPECT_NE(ErrorOf([&] { ReadResults(path_, kHead); }), "no error");
  EXPECT_EQ(ReadTextFile(path_), "my own notes");
}

TEST_F(ResultsTest, BeginAnewWhereTheFirstLineWasCut) {
  { const ResultsWriter writer(path_, kHead); }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 9);
  EXPECT_THAT(ReadResults(path_, kHead), ElementsAre());
  ResultsWriter(path_, kHead).Append(Costed(3));
  EXPECT_THAT(ReadResults(path_, kHead), ElementsAre(Costed(3)));
}

TEST_F(ResultsTest, AreOfOneSpaceWorkloadAndTool) {
  ResultsWriter(path_, kHead).Append(Costed(1));
  const auto error_with = [&](const ResultsHead& head) {
    return ErrorOf([&] { ReadResults(path_, head); });
  };
  EXPECT_THAT(error_with({9, 2, "vta 1"}), HasSubstr("are of another space"));
  EXPECT_THAT(error_with({1, 9, "vta 1"}), HasSubstr("are of another workload"));
  EXPECT_THAT(error_with({1, 2, "vta 2"}), HasSubstr("are of another tool"));
  std::ofstream(path_) << "{}\n";
  EXPECT_THAT(error_with(kHead), HasSubstr(path_));
}

TEST_F(ResultsTest, HaveOneWriter) {
  const ResultsWriter writer(path_, kHead);
  EXPECT_THAT(ErrorOf([&] { ResultsWriter(path_, kHead); }), HasSubstr("another search writes"));
}

}  // namespace
}  // namespace vta::tools
