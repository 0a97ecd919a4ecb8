// What place and route says: its report, its log, and the floors that hold its clock.
#include "tools/vta/hw/pnr_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;

// Of nextpnr 0.11.1, shortened.
constexpr char kReport[] =
    R"({"critical_paths": [{"from": "posedge $glbnet$clk_i$TRELLIS_IO_IN", "path":
[{"delay": 5.8299999237060547, "from": {"cell": "mem.0.0", "loc": [120, 22], "port": "DOB2"}, "type": "clk-to-q"}],
"to": "posedge $glbnet$clk_i$TRELLIS_IO_IN"}],
"fmax": {"$glbnet$clk_i$TRELLIS_IO_IN": {"achieved": 37.66762161254883, "constraint": 50}, "other": {"achieved": 40, "constraint": 50}},
"utilization": {"DP16KD": {"available": 208, "used": 15}, "TRELLIS_COMB": {"available": 83640, "used": 18013}}})";

std::string Problem(const std::string& text) {
  try {
    ParsePnrReport(Json::Parse(text, "r.json"), "r.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PnrReport, ReadsClockAndCells) {
  const PnrReport report = ParsePnrReport(Json::Parse(kReport, "r.json"), "r.json");
  EXPECT_DOUBLE_EQ(report.fmax_mhz, 37.66762161254883);
  ASSERT_EQ(report.cells.size(), 2u);
  EXPECT_EQ(report.cells[0].type, "DP16KD");
  EXPECT_EQ(report.cells[0].used, 15);
  EXPECT_EQ(report.cells[0].available, 208);
}

TEST(PnrReport, RefusesWhatIsNone) {
  EXPECT_EQ(Problem("[]"), "r.json: fmax: must be an object");
  EXPECT_EQ(Problem(R"({"fmax": {}})"), "r.json: fmax: names no clock");
  EXPECT_EQ(Problem(R"({"fmax": {"c": {"achieved": "fast"}}})"),
            "r.json: fmax.c.achieved: must be a number");
  EXPECT_EQ(Problem(R"({"fmax": {"c": {"achieved": 0}}})"),
            "r.json: fmax.c.achieved: must be more than 0");
  EXPECT_EQ(Problem(R"({"fmax": {"c": {"achieved": 9}}})"),
            "r.json: utilization: must be an object");
  EXPECT_EQ(Problem(R"({"fmax": {"c": {"achieved": 9}}, "utilization": {"FF": {"used": 1}}})"),
            "r.json: utilization.FF.available: must be a number");
}

TEST(PnrReport, ReadsLogs) {
  const std::string log =
      "Info: Packing constants..\n\nInfo: Device utilisation:\nInfo: \t          TRELLIS_IO:       "
      "4/    365     1%\n"
      "Info: \t              DP16KD:     209/    208   100%\nInfo: \t        TRELLIS_COMB:   "
      "90000/  83640   107%\n";
  const std::vector<CellUse> cells = TooMany(log);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].type, "DP16KD (block RAM of 18 kbit)");
  EXPECT_EQ(cells[0].used, 209);
  EXPECT_EQ(cells[0].available, 208);
  EXPECT_EQ(cells[1].used, 90000);
  EXPECT_EQ(StageOf(""), "starts");
  EXPECT_EQ(StageOf(log), "packs");
  EXPECT_EQ(StageOf(log + "Info: Creating initial analytic placement\n"), "places");
  const std::string routing =
      log +
      "Info: Creating initial analytic placement\nInfo: Routing..\nInfo: Routing 128101 arcs.\n"
      "Info:            |   (re-)routed arcs  |   delta    | remaining|       time spent     |\n"
      "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|\n";
  EXPECT_EQ(StageOf(routing), "routes");
  EXPECT_EQ(StageOf(routing + "Info:       1000 |       14        985 |   14   985 |    127116|    "
                              "   0.37       0.37|\n"
                              "Info:       2000 |       77       1921 |   63   936 |     23513|    "
                              "   0.40       0.77|\n"
                              "Info:       3000 |       14        985 |   14   985 |     235"),
            "routes (23513 arcs left)");
  EXPECT_EQ(LastError(log + "ERROR: no route\nInfo: end\n\n"), "ERROR: no route");
  EXPECT_EQ(LastError("a\nb\n\n"), "b");
  EXPECT_EQ(LastError(""), "");
}

TEST(PnrFloors, AreRows) {
  const std::vector<Floor> floors =
      ParseFloors("# comment\n\nsmall_8x8 32.5 6 3 0.70 0.11 # as of now\npynq 20 8 5 a b\n", "f");
  ASSERT_EQ(floors.size(), 2u);
  EXPECT_EQ(floors[0].config, "small_8x8");
  EXPECT_DOUBLE_EQ(floors[0].mhz, 32.5);
  EXPECT_EQ(floors[0].speed, 6);
  EXPECT_EQ(floors[0].seeds, 3);
  EXPECT_EQ(floors[0].yosys, "0.70");
  EXPECT_EQ(floors[1].nextpnr, "b");
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"a 1 6 3 x", "f: line 1: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"},
           {"\na fast 6 3 x y", "f: line 2: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"},
           {"a 1 6 3 x y z", "f: line 1: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"},
           {"a 0 6 3 x y", "f: line 1: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"},
           {"a 1 6 0 x y", "f: line 1: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"},
           {"a 1 6 3 x y\na 2 6 3 x y", "f: line 2 = a: stands twice"}}) {
    try {
      ParseFloors(text, "f");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message) << text;
    }
  }
}

std::vector<PnrRun> Runs(const std::vector<double>& mhz) {
  std::vector<PnrRun> runs;
  for (size_t i = 0; i < mhz.size(); ++i)
    runs.push_back(
        {static_cast<int64_t>(i + 1), {mhz[i], {{"TRELLIS_FF", 10, 40}, {"GSR", 0, 1}}}, {}});
  return runs;
}

TEST(PnrFloors, HoldTheMedian) {
  EXPECT_EQ(MedianMhz(Runs({30, 50, 31})), 31);
  EXPECT_EQ(MedianMhz(Runs({30, 50, 31, 33})), 32);
  EXPECT_EQ(BestOf(Runs({30, 50, 50})).seed, 2);
  const std::vector<Floor> floors{{"small", 31, 6, 3, "y", "n"}};
  const auto verdict = [&](const std::string& config, int64_t speed,
                           const std::vector<double>& mhz) {
    const FloorVerdict v = AgainstFloor(floors, config, speed, Runs(mhz));
    return StrCat(v.text, v.is_below ? "!" : "");
  };
  EXPECT_EQ(verdict("small", 6, {30, 50, 31}),
            "the median of 31.00 MHz holds the floor of 31.00 MHz");
  EXPECT_EQ(verdict("small", 6, {30, 50, 30.996}),
            "the median of 31.00 MHz holds the floor of 31.00 MHz");
  EXPECT_EQ(verdict("small", 6, {30, 50, 30.994}),
            "the median of 30.99 MHz is below the floor of 31.00 MHz!");
  EXPECT_EQ(verdict("small", 6, {30, 50, 30.9}),
            "the median of 30.90 MHz is below the floor of 31.00 MHz!");
  EXPECT_EQ(verdict("small", 7, {1, 1, 1}),
            "not held to the floor of config small, which is of 3 seeds at speed 6");
  EXPECT_EQ(verdict("small", 6, {1, 1}),
            "not held to the floor of config small, which is of 3 seeds at speed 6");
  EXPECT_EQ(verdict("other", 6, {1, 1, 1}), "config other has no floor");
}

TEST(PnrTable, ShowsSeedsCellsAndPaths) {
  std::vector<PnrRun> runs = Runs({30, 50, 31});
  runs[1].paths = {{"a[0]\\TRELLIS_FF", "b_TRELLIS_FF_Q", 12, 8, 5}};
  const std::string table = PnrTable(runs);
  EXPECT_THAT(
      table,
      HasSubstr("seed 3: 31.00 MHz\nFmax of 3 seeds: least 30.00, median 31.00, most 50.00 MHz\n"));
  EXPECT_THAT(table, HasSubstr("flip-flop    10  40  25\n"));
  EXPECT_THAT(table, HasSubstr("Worst paths of seed 2, by the registers at their ends:\n"));
  EXPECT_THAT(table, HasSubstr("20.00  12.00   8.00       5     1  a              b"));
}

}  // namespace
}  // namespace vta::tools
