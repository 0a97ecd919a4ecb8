// Area from Yosys' numbers: hierarchy, instances, cells, and the part that is not JSON.
#include "tools/area/area.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr char kStat[] = R"({
   "modules": {
      "$paramod$1a\\vta_ram": {
         "num_cells_by_type": {
            "RAMB18E1": 3,
            "LUT2": 1
         }
      },
      "$paramod$2b\\vta_ram": {
         "num_cells_by_type": {
            "RAMB36E1": 1
         }
      },
      "\\vta_alu": {
         "num_cells_by_type": {
            "LUT3": 10
         }
      },
      "\\vta_core": {
         "num_cells_by_type": {
            "$paramod$1a\\vta_ram": 2,
            "$paramod$2b\\vta_ram": 1,
            "vta_alu": 2,
            "FDRE": 5,
            "LUT6": 4,
            "DSP48E1": 7,
            "BUFG": 1
         }
      }
   },
       vta_core    1
)";

TEST(Area, CountsInstancesThroughTheHierarchy) {
  const auto rows = AreaOf(ParseStat(kStat, "stat"), "vta_core");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "vta_core");
  EXPECT_EQ(rows[0].resources.lut, 26);
  EXPECT_EQ(rows[0].resources.ff, 5);
  EXPECT_EQ(rows[0].resources.dsp, 7);
  EXPECT_EQ(rows[0].resources.bram, 4);
  EXPECT_EQ(rows[1].name, "vta_alu");
  EXPECT_EQ(rows[1].resources.lut, 20);
  EXPECT_EQ(rows[2].name, "vta_ram");
  EXPECT_EQ(rows[2].instances, 3);
  EXPECT_EQ(rows[2].resources.bram, 4);
  EXPECT_EQ(rows[2].resources.lut, 2);
}

TEST(Area, RefusesWhatItDoesNotKnow) {
  try {
    FindPart("xc7z999");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--part: xc7z999: must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f");
  }
  EXPECT_THROW(AreaOf(ParseStat(kStat, "stat"), "vta_other"), Error);
}

}  // namespace
}  // namespace vta::tools
