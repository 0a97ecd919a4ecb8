// What Linux says of temperatures, in a folder of our own.
#include "tools/serve/program/temperature.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "isa/support/file.h"
#include "isa/support/temporary.h"

namespace vta::tools {
namespace {

TEST(Temperature, IsTheWarmestThatLinuxHas) {
  const Temporary sys(NewTemporaryFolder("vta-temperature-test"));
  EXPECT_EQ(WarmestOf(sys.path()), std::nullopt);
  const auto write = [&](const std::string& folder, const std::string& file,
                         const std::string& text) {
    std::filesystem::create_directories(sys.path() + "/" + folder);
    WriteFileAtomically(sys.path() + "/" + folder + "/" + file, text);
  };
  // As a Zynq-7000's XADC has it: (raw + offset) * scale.
  write("bus/iio/devices/iio:device0", "in_temp0_raw", "2600\n");
  EXPECT_EQ(WarmestOf(sys.path()), std::nullopt);
  write("bus/iio/devices/iio:device0", "in_temp0_scale", "123.040771484\n");
  write("bus/iio/devices/iio:device0", "in_temp0_offset", "-2219\n");
  EXPECT_NEAR(*WarmestOf(sys.path()), 46.878, 0.001);
  write("class/thermal/thermal_zone0", "temp", "51250\n");
  write("class/thermal/thermal_zone1", "temp", "none\n");
  write("class/thermal/thermal_zone1", "type", "90000\n");
  EXPECT_EQ(WarmestOf(sys.path()), 51.25);
  write("class/hwmon/hwmon0", "temp1_input", "63000\n");
  write("class/hwmon/hwmon0", "temp1_max", "99000\n");
  EXPECT_EQ(WarmestOf(sys.path()), 63);
  std::filesystem::remove_all(sys.path() + "/class");
  write("class/hwmon/hwmon0", "temp1_input", "-3000\n");
  std::filesystem::remove_all(sys.path() + "/bus");
  EXPECT_EQ(WarmestOf(sys.path()), -3);
}

}  // namespace
}  // namespace vta::tools
