// Timing from delays: paths between registers, their parts, and what is no delay file.
#include "tools/vta/hw/sdf.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

// a.count_q[0] and [1] -> a LUT -> a carry chain -> sum_q; a memory -> sum_q; a pin that no
// register drives. As nextpnr 0.11 writes it.
constexpr char kSdf[] = R"((DELAYFILE
  (SDFVERSION "3.0")
  (DIVIDER /)
  (TIMESCALE 1ps)
  (CELL
    (CELLTYPE "top")
    (INSTANCE )
    (DELAY
      (ABSOLUTE
        (INTERCONNECT \$gbuf\$clk/CLKO a.count_q\[0\]\\TRELLIS_FF/CLK (0:0:0) (0:0:0))
        (INTERCONNECT a.count_q\[0\]\\TRELLIS_FF/Q a.count_q\[1\]\\TRELLIS_FF/M (300:350:400) (300:350:400))
        (INTERCONNECT a.count_q\[0\]\\TRELLIS_FF/Q lut/A (600:650:700) (600:650:700))
        (INTERCONNECT a.count_q\[1\]\\TRELLIS_FF/Q lut/B (800:850:900) (800:850:900))
        (INTERCONNECT lut/F carry/A (0:0:1000) (0:0:1000))
        (INTERCONNECT carry/FCO carry_1/FCI (0:0:0) (0:0:0))
        (INTERCONNECT carry_1/F sum_q_TRELLIS_FF_Q_3/DI (100:100:100) (100:100:100))
        (INTERCONNECT pad/O sum_q_TRELLIS_FF_Q_4/DI (9000:9000:9000) (9000:9000:9000))
        (INTERCONNECT mem.0.0/DOB2 sum_q_TRELLIS_FF_Q_5/DI (200:200:200) (200:200:200))
      )
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE a.count_q\[0\]\\TRELLIS_FF)
    (DELAY (ABSOLUTE (IOPATH CLK Q (430:477:525) (430:477:525))))
    (TIMINGCHECK
      (SETUPHOLD (posedge M) (posedge CLK) (0:0:0) (233:268:303))
      (SETUPHOLD (negedge M) (posedge CLK) (0:0:0) (233:268:303))
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE a.count_q\[1\]\\TRELLIS_FF)
    (DELAY (ABSOLUTE (IOPATH CLK Q (430:477:500) (430:477:500))))
    (TIMINGCHECK
      (SETUPHOLD (posedge M) (posedge CLK) (10:20:30) (233:268:303))
      (SETUPHOLD (negedge M) (posedge CLK) (10:20:50) (233:268:303))
    )
  )
  (CELL
    (CELLTYPE "TRELLIS_COMB")
    (INSTANCE lut)
    (DELAY (ABSOLUTE (IOPATH A F (200:218:236) (200:218:236)) (IOPATH B F (200:218:236) (200:218:236))))
  )
  (CELL
    (CELLTYPE "TRELLIS_COMB")
    (INSTANCE carry)
    (DELAY (ABSOLUTE (IOPATH A FCO (400:400:450) (400:400:450))))
  )
  (CELL
    (CELLTYPE "TRELLIS_COMB")
    (INSTANCE carry_1)
    (DELAY (ABSOLUTE (IOPATH FCI F (400:400:440) (400:400:440))))
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE sum_q_TRELLIS_FF_Q_3)
    (TIMINGCHECK (SETUPHOLD (posedge DI) (posedge CLK) (0:0:0) (0:0:0)))
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE sum_q_TRELLIS_FF_Q_4)
    (TIMINGCHECK (SETUPHOLD (posedge DI) (posedge CLK) (0:0:0) (0:0:0)))
  )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE sum_q_TRELLIS_FF_Q_5)
    (TIMINGCHECK (SETUPHOLD (posedge DI) (posedge CLK) (0:0:0) (0:0:0)))
  )
  (CELL
    (CELLTYPE "DP16KD")
    (INSTANCE mem.0.0)
    (DELAY (ABSOLUTE (IOPATH CLKB DOB2 (5795:5812:5830) (5795:5812:5830))))
    (TIMINGCHECK (SETUPHOLD (posedge ADB3) (posedge CLKB) (139:139:139) (102:102:102)))
  )
)
)";

TEST(Sdf, FindsTheLongestPathToEachEnd) {
  const std::vector<RoutedPath> paths = RoutedPaths(kSdf, "test.sdf");
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[0].from, "mem.0.0");
  EXPECT_EQ(paths[0].to, "sum_q_TRELLIS_FF_Q_5");
  EXPECT_DOUBLE_EQ(paths[0].logic_ns, 5.83);
  EXPECT_DOUBLE_EQ(paths[0].routing_ns, 0.2);
  EXPECT_EQ(paths[0].levels, 0);
  // The later of the two bits; its own delay, the LUT's and two of the carry chain, which is one
  // level.
  EXPECT_EQ(paths[1].from, "a.count_q[1]\\TRELLIS_FF");
  EXPECT_EQ(paths[1].to, "sum_q_TRELLIS_FF_Q_3");
  EXPECT_DOUBLE_EQ(paths[1].logic_ns, 0.5 + 0.236 + 0.45 + 0.44);
  EXPECT_DOUBLE_EQ(paths[1].routing_ns, 0.9 + 1.0 + 0.1);
  EXPECT_EQ(paths[1].levels, 2);
  // The slower of two set-up times.
  EXPECT_EQ(paths[2].to, "a.count_q[1]\\TRELLIS_FF");
  EXPECT_DOUBLE_EQ(paths[2].total_ns(), 0.525 + 0.4 + 0.05);
}

TEST(Sdf, NamesRegisters) {
  for (const auto& [cell, name] : std::vector<std::pair<std::string, std::string>>{
           {"u_core.u_a.count_q[3]\\TRELLIS_FF", "u_core.u_a.count_q"},
           {"u_core.u_a.count_q[3]\\TRELLIS_FF_DI_MULT18X18D_P9", "u_core.u_a.count_q"},
           {"u_core.left_q_TRELLIS_FF_Q_12", "u_core.left_q"},
           {"u_inp.g_lane[1].mem.0.0", "u_inp.g_lane[1].mem"},
           {"mem.2.0_DIA5_TRELLIS_FF_Q", "mem"},
           {"u_queue.g_lane[0].mem.0.41_DO_TRELLIS_FF_DI", "u_queue.g_lane[0].mem"},
           {"ar_ready_LUT4_B_Z_TRELLIS_FF_DI", "ar_ready"},
           {"$auto$ff.cc:1$2", "$auto$ff.cc:1$2"},
           {"plain", "plain"}})
    EXPECT_EQ(RegisterOf(cell), name) << cell;
}

TEST(Sdf, JoinsPathsOfTheSameRegisters) {
  const std::vector<RegisterPair> pairs =
      ByRegister({{"a[0]\\TRELLIS_FF", "b[0]\\TRELLIS_FF", 3, 1, 2},
                  {"a[0]\\TRELLIS_FF", "c[0]\\TRELLIS_FF", 2, 1, 2},
                  {"a[1]\\TRELLIS_FF", "b[3]\\TRELLIS_FF", 1, 1, 2}});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].to, "b");
  EXPECT_EQ(pairs[0].ends, 2);
  EXPECT_EQ(pairs[0].worst.total_ns(), 4);
  EXPECT_EQ(pairs[1].to, "c");
  EXPECT_EQ(pairs[1].ends, 1);
}

TEST(Sdf, RefusesWhatIsNone) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"(INSTANCE a)\n(IOPATH A F (1:2:x))", "d: line 2 = 1:2:x: must be a delay"},
           {"(IOPATH A F 7)", "d: line 1 = 7: must be ("},
           {"(INTERCONNECT a/Q (", "d: line 1 = (: must be a name"},
           {"(SETUPHOLD (posedge M", "d: line 1: must be )"}}) {
    try {
      RoutedPaths(text, "d");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
  EXPECT_TRUE(RoutedPaths("", "d").empty());
}

}  // namespace
}  // namespace vta::tools
