// Files of sysfs are read strictly.
#include "driver/uio/sysfs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace vta::driver::uio {
namespace {

class SysfsTest : public testing::Test {
 protected:
  SysfsTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "vta_sysfs_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~SysfsTest() override { std::filesystem::remove_all(folder_); }
  std::string File(const std::string& text) const {
    std::ofstream(folder_ + "/file") << text;
    return folder_ + "/file";
  }

  std::string folder_;
};

TEST_F(SysfsTest, ANumberIsOneLine) {
  EXPECT_EQ(ReadSysfsNumber(File("0x43c00000\n")), 0x43c00000u);
  EXPECT_EQ(ReadSysfsNumber(File("0x00000000ffffffffffffffff\n")), ~uint64_t{0});
  EXPECT_EQ(ReadSysfsNumber(File("67108864\n")), 67108864u);
  EXPECT_EQ(ReadSysfsNumber(File("010\n")), 10u);
  for (const char* text : {"0x", "", "x", "12 ", " 12", "+1", "-1", "1e3", "0X10", "0x1g",
                           "18446744073709551616", "0x10000000000000000"}) {
    const std::string file = File(std::string(text) + "\n");
    EXPECT_NE(ErrorOf([&] { ReadSysfsNumber(file); }).find(file + ": "), std::string::npos) << text;
  }
}

TEST_F(SysfsTest, ALineEnds) {
  EXPECT_EQ(ReadSysfsLine(File("vta\n")), "vta");
  for (const char* text : {"", "\n", "vta", "vta\nvta\n", "vta\n\n"}) {
    const std::string file = File(text);
    EXPECT_NE(ErrorOf([&] { ReadSysfsLine(file); }).find("must be one line"), std::string::npos)
        << text;
  }
  EXPECT_EQ(ErrorOf([&] { ReadSysfsLine(folder_ + "/none"); }),
            folder_ + "/none: cannot open: No such file or directory");
}

TEST_F(SysfsTest, AFolderIsListedInTheOrderOfItsNumbers) {
  EXPECT_EQ(ListSysfs(folder_ + "/none"), std::vector<std::string>());
  for (const char* name : {"uio10", "uio2", "uio1"}) std::ofstream(folder_ + "/" + name) << "";
  EXPECT_EQ(ListSysfs(folder_), (std::vector<std::string>{"uio1", "uio2", "uio10"}));
  const std::string file = File("");
  EXPECT_EQ(ErrorOf([&] { ListSysfs(file); }), file + ": cannot read: Not a directory");
}

}  // namespace
}  // namespace vta::driver::uio
