// Static timing analysis: hand-made netlists whose delays are added up by hand from the table of
// xc7, what is refused, and the names that paths are reported by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/unit/tools/timing_netlist.h"
#include "tools/timing/calibration.h"
#include "tools/timing/paths.h"
#include "tools/timing/report.h"

namespace vta::tools {
namespace {

constexpr int kLow = HandNetlist::kLow;

// Figures of delays_xc7.cc.
constexpr double kClockToOut = 0.456, kSetup = -0.031, kLut = 0.124, kNet = 0.607, kDoubling = 0.05,
                 kFar = 0.55;

struct Analysis {
  Netlist netlist;
  TimingGraph graph;
  std::vector<TimingPath> paths;

  /// The longest path between two registers by their names.
  const TimingPath* Between(const std::string& from, const std::string& to) const {
    for (const TimingPath& path : paths)
      if (graph.registers[path.start].name == from && graph.registers[path.end].name == to)
        return &path;
    return nullptr;
  }
  double Ns(const std::string& from, const std::string& to) const {
    const TimingPath* path = Between(from, to);
    return path ? path->ns : -1;
  }
};

Analysis Analyse(const HandNetlist& hand, std::string_view family = "xc7") {
  Analysis out;
  out.netlist = ReadNetlist(hand.Build(), "hand.json");
  out.graph = BuildTimingGraph(out.netlist, FindDelays(family));
  out.paths = LongestPaths(out.graph, 1000);
  return out;
}

std::string WhyNot(const HandNetlist& hand) {
  try {
    Analyse(hand);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr double kClose = 1e-4;

TEST(Timing, PathThroughLookupTables) {
  // a_q -> LUT2 -> LUT1 -> b_q; the last hop is inside a slice. c_q joins behind the first table.
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f2", kLow, 3)
                                 .Flop("f1", kLow, 2)
                                 .Cell("l1", "LUT2", {{"I0", {2}}, {"I1", {kLow}}}, {{"O", {4}}})
                                 .Cell("l2", "LUT2", {{"I0", {4}}, {"I1", {3}}}, {{"O", {5}}})
                                 .Flop("f3", 5, 6)
                                 .Name("a_q", {2})
                                 .Name("b_q", {6})
                                 .Name("c_q", {3}));
  const TimingPath* path = a.Between("a_q", "b_q");
  ASSERT_TRUE(path);
  EXPECT_NEAR(path->ns, kClockToOut + 2 * kNet + 2 * kLut + kSetup, kClose);
  EXPECT_NEAR(path->logic_ns, kClockToOut + 2 * kLut + kSetup, kClose);
  EXPECT_NEAR(path->routing_ns, 2 * kNet, kClose);
  EXPECT_EQ(path->levels, 2);
  EXPECT_NEAR(a.Ns("c_q", "b_q"), kClockToOut + kNet + kLut + kSetup, kClose);
  ASSERT_EQ(a.paths.size(), 2u);
  EXPECT_EQ(&a.paths[0], path);
}

TEST(Timing, NetsTakeLongerWithMoreSinks) {
  // Three sinks are two doublings; and the table's output has two, so it leaves the slice.
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", kLow, 2)
                                 .Cell("l1", "LUT1", {{"I0", {2}}}, {{"O", {3}}})
                                 .Flop("f2", 3, 4)
                                 .Flop("f3", 3, 5)
                                 .Flop("f4", 2, 6)
                                 .Flop("f5", 2, 7)
                                 .Name("a_q", {2})
                                 .Name("b_q", {4}));
  EXPECT_NEAR(a.Ns("a_q", "b_q"),
              kClockToOut + kNet + 2 * kDoubling + kLut + kNet + kDoubling + kSetup, kClose);
}

TEST(Timing, EnablesHaveTheirOwnSetup) {
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", kLow, 2)
                                 .Flop("f2", kLow, 3, 2)
                                 .Name("enable_q", {2})
                                 .Name("data_q", {3}));
  EXPECT_NEAR(a.Ns("enable_q", "data_q"), kClockToOut + kNet + 0.202, kClose);
}

TEST(Timing, CarriesFollowTheirOwnWires) {
  // S[0] -> CO[3] -> CI -> O[3] -> D: only the way into the chain is routed.
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", kLow, 2)
                                 .Cell("c1", "CARRY4",
                                       {{"CI", {kLow}},
                                        {"CYINIT", {kLow}},
                                        {"DI", {kLow, kLow, kLow, kLow}},
                                        {"S", {2, kLow, kLow, kLow}}},
                                       {{"CO", {10, 11, 12, 13}}, {"O", {14, 15, 16, 17}}})
                                 .Cell("c2", "CARRY4",
                                       {{"CI", {13}},
                                        {"CYINIT", {kLow}},
                                        {"DI", {kLow, kLow, kLow, kLow}},
                                        {"S", {kLow, kLow, kLow, kLow}}},
                                       {{"CO", {20, 21, 22, 23}}, {"O", {24, 25, 26, 27}}})
                                 .Flop("f2", 27, 3)
                                 .Name("a_q", {2})
                                 .Name("sum_q", {3}));
  EXPECT_NEAR(a.Ns("a_q", "sum_q"), kClockToOut + kNet + 0.508 + 0.313 + kSetup, kClose);
}

TEST(Timing, WideMultiplexersStandBesideTheirTables) {
  const Analysis a =
      Analyse(HandNetlist()
                  .Input("clk_i", {1})
                  .Flop("f1", kLow, 2)
                  .Cell("l1", "LUT1", {{"I0", {2}}}, {{"O", {3}}})
                  .Cell("m7", "MUXF7", {{"I0", {3}}, {"I1", {kLow}}, {"S", {kLow}}}, {{"O", {4}}})
                  .Cell("m8", "MUXF8", {{"I0", {4}}, {"I1", {kLow}}, {"S", {kLow}}}, {{"O", {5}}})
                  .Flop("f2", 5, 6)
                  .Name("a_q", {2})
                  .Name("b_q", {6}));
  EXPECT_NEAR(a.Ns("a_q", "b_q"), kClockToOut + kNet + kLut + 0.223 + 0.104 + kSetup, kClose);
}

TEST(Timing, BlockMemory) {
  // A memory reads another one's address; it lies in a column of its own.
  const std::vector<std::string> unregistered = {"DOA_REG=0", "DOB_REG=0"};
  const Analysis a =
      Analyse(HandNetlist()
                  .Input("clk_i", {1})
                  .Cell("u_a.mem.0.0", "RAMB36E1", {{"CLKARDCLK", {1}}, {"ADDRARDADDR", {kLow}}},
                        {{"DOADO", {2}}}, unregistered)
                  .Cell("u_b.mem.0.0", "RAMB36E1", {{"CLKARDCLK", {1}}, {"ADDRARDADDR", {2}}},
                        {{"DOADO", {3}}}, unregistered)
                  .Cell("u_c.mem.0.0", "RAMB36E1", {{"CLKARDCLK", {1}}, {"ADDRARDADDR", {3}}},
                        {{"DOADO", {4}}}, {"DOA_REG=1", "DOB_REG=0"})
                  .Flop("f1", 4, 5)
                  .Name("b_q", {5}));
  ASSERT_EQ(a.paths.size(), 3u);
  EXPECT_EQ(a.graph.registers[a.paths[0].start].instance, "u_a");
  EXPECT_EQ(a.graph.registers[a.paths[0].start].name, "mem");
  EXPECT_NEAR(a.paths[0].ns, 2.454 + kNet + kFar + 0.566, kClose);
  EXPECT_NEAR(a.Ns("mem", "b_q"), 0.882 + kNet + kSetup, kClose);
}

TEST(Timing, DistributedMemory) {
  // Written with the clock, read without: a path goes through it, one starts in it, one ends there.
  const Analysis a = Analyse(
      HandNetlist()
          .Input("clk_i", {1})
          .Flop("f1", kLow, 2)
          .Cell(
              "u_q.mem.0.0", "RAM32M",
              {{"WCLK", {1}}, {"WE", {2}}, {"ADDRA", {2, kLow, kLow, kLow, kLow}}, {"DIA", {kLow}}},
              {{"DOA", {3}}})
          .Flop("f2", 3, 4)
          .Name("address_q", {2})
          .Name("out_q", {4}));
  const double net = kNet + kDoubling;
  EXPECT_NEAR(a.Ns("address_q", "out_q"), kClockToOut + net + kLut + kNet + kSetup, kClose);
  EXPECT_NEAR(a.Ns("mem", "out_q"), 1.190 + kNet + kSetup, kClose);
  EXPECT_NEAR(a.Ns("address_q", "mem"), kClockToOut + net + 0.654, kClose);
}

/// a_q -> A of a DSP block, whose P goes to p_q.
Analysis AnalyseDsp(int areg, int mreg, int preg) {
  const auto bit = [](const std::string& name, int value) {
    return name + "=0000000000000000000000000000000" + std::to_string(value);
  };
  return Analyse(HandNetlist()
                     .Input("clk_i", {1})
                     .Flop("f1", kLow, 2)
                     .Cell("$flatten\\u_mac.$mul$1", "DSP48E1", {{"CLK", {1}}, {"A", {2}}},
                           {{"P", {3, 4}}},
                           {bit("AREG", areg), bit("BREG", 1), bit("MREG", mreg), bit("PREG", preg),
                            bit("CREG", 0), "USE_DPORT=FALSE"})
                     .Flop("f2", 4, 5)
                     .Name("a_q", {2})
                     .Name("p_q", {5}));
}

TEST(Timing, DspBlockByItsRegisters) {
  const double in = kClockToOut + kNet + kFar;
  EXPECT_NEAR(AnalyseDsp(0, 0, 0).Ns("a_q", "p_q"), in + 3.841 + kNet + kSetup, kClose);
  EXPECT_EQ(AnalyseDsp(0, 0, 0).Ns("a_q", "DSP48E1"), -1);

  const Analysis input = AnalyseDsp(1, 0, 0);
  EXPECT_NEAR(input.Ns("a_q", "DSP48E1"), in + 0.362, kClose);
  EXPECT_NEAR(input.Ns("DSP48E1", "p_q"), 4.009 + kNet + kSetup, kClose);
  EXPECT_EQ(input.Ns("a_q", "p_q"), -1);

  const Analysis product = AnalyseDsp(0, 1, 0);
  EXPECT_NEAR(product.Ns("a_q", "DSP48E1"), in + 1.928, kClose);
  EXPECT_NEAR(product.Ns("DSP48E1", "p_q"), 2.305 + kNet + kSetup, kClose);

  const Analysis output = AnalyseDsp(0, 0, 1);
  EXPECT_NEAR(output.Ns("a_q", "DSP48E1"), in + 3.722, kClose);
  EXPECT_NEAR(output.Ns("DSP48E1", "p_q"), 0.434 + kNet + kSetup, kClose);
}

TEST(Timing, CellsOfEcp5) {
  // Memory -> LUT4 -> carry, two of them -> multiplier -> LUT4 with its multiplexer -> register.
  const Analysis a = Analyse(
      HandNetlist()
          .Input("clk_i", {1})
          .Cell("u_a.mem.0.0", "DP16KD", {{"CLKB", {1}}, {"ADB3", {kLow}}}, {{"DOB7", {2}}},
                {"REGMODE_B=NOREG"})
          .Cell("l1", "LUT4", {{"A", {2}}}, {{"Z", {3}}})
          .Cell("c1", "CCU2C", {{"A1", {3}}, {"CIN", {kLow}}}, {{"COUT", {4}}})
          .Cell("c2", "CCU2C", {{"A0", {kLow}}, {"CIN", {4}}}, {{"S1", {5}}})
          .Cell("m1", "MULT18X18D", {{"A11", {5}}}, {{"P35", {6}}})
          .Cell("l2", "LUT4", {{"D", {6}}}, {{"Z", {7}}})
          .Cell("p1", "PFUMX", {{"ALUT", {7}}, {"BLUT", {kLow}}, {"C0", {kLow}}}, {{"Z", {8}}})
          .Cell("f1", "TRELLIS_FF", {{"CLK", {1}}, {"DI", {8}}, {"LSR", {2}}}, {{"Q", {9}}},
                {"SRMODE=ASYNC"})
          .Name("out_q", {9}),
      "ecp5");
  const double net = 1.0, doubling = 0.05, into = 1.05, from = 1.47;
  EXPECT_NEAR(a.Ns("mem", "out_q"),
              5.830 + (net + doubling) + 0.236 + net + 0.447 + 0.474 + (net + into) + 3.927 +
                  (net + from) + 0.236 + 0.165,
              kClose);
}

TEST(Timing, CellsOfUltraScalePlus) {
  // A cascade of two DSP blocks, then eight bits of carry.
  const Analysis a = Analyse(
      HandNetlist()
          .Input("clk_i", {1})
          .Flop("f1", kLow, 2)
          .Cell("d1", "DSP48E2", {{"A", {2}}}, {{"PCOUT", {3}}}, {"AREG=0", "MREG=0", "PREG=0"})
          .Cell("d2", "DSP48E2", {{"PCIN", {3}}}, {{"P", {4}}}, {"AREG=0", "MREG=0", "PREG=0"})
          .Cell("c1", "CARRY4", {{"S", {4, kLow, kLow, kLow}}}, {{"CO", {10, 11, 12, 13}}})
          .Cell("c2", "CARRY4", {{"CI", {13}}, {"S", {kLow}}}, {{"O", {20, 21, 22, 23}}})
          .Flop("f2", 23, 5)
          .Name("a_q", {2})
          .Name("sum_q", {5}),
      "xcup");
  EXPECT_NEAR(
      a.Ns("a_q", "sum_q"),
      0.097 + 0.225 + 1.941 + 0.046 + 0.839 + (0.225 + 0.08) + 0.250 + 0.146 + 0.031 - 0.027,
      kClose);
}

TEST(Timing, PortsCountAsRegisters) {
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Input("ready_i", {2})
                                 .Output("valid_o", {3})
                                 .Flop("f1", 2, 3)
                                 .Name("valid_q", {3}));
  EXPECT_NEAR(a.Ns("port ready_i", "valid_q"), kClockToOut + kNet + kSetup, kClose);
  EXPECT_NEAR(a.Ns("valid_q", "port valid_o"), kClockToOut + kNet + kSetup, kClose);
}

TEST(Timing, ResetsWithoutTheClockAreLeftOut) {
  const Analysis a =
      Analyse(HandNetlist()
                  .Input("clk_i", {1})
                  .Flop("f1", kLow, 2)
                  .Cell("f2", "FDCE", {{"C", {1}}, {"CE", {kLow}}, {"CLR", {2}}, {"D", {kLow}}},
                        {{"Q", {3}}})
                  .Name("a_q", {2})
                  .Name("b_q", {3}));
  EXPECT_EQ(a.Ns("a_q", "b_q"), -1);
}

TEST(Timing, BitsOfARegisterAreOne) {
  // The later bit counts; lanes of a generate loop are one, too.
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", kLow, 2)
                                 .Flop("f2", kLow, 3)
                                 .Cell("l1", "LUT1", {{"I0", {3}}}, {{"O", {4}}})
                                 .Flop("f3", 2, 5)
                                 .Flop("f4", 4, 6)
                                 .Name("g_lane[0].u_lane.a_q", {2})
                                 .Name("g_lane[1].u_lane.a_q", {3})
                                 .Name("b_q", {5, 6}));
  ASSERT_EQ(a.paths.size(), 1u);
  EXPECT_NEAR(a.paths[0].ns, kClockToOut + kNet + kLut + kSetup, kClose);
  EXPECT_EQ(a.graph.registers[a.paths[0].start].instance, "g_lane[*].u_lane");
}

TEST(Timing, NamesOfRegistersWin) {
  // Over those of the wires they drive, at any depth, and over what Yosys makes up.
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", 2, 2)
                                 .Name("$auto$1", {2}, true)
                                 .Name("u_a.count_q", {2})
                                 .Name("u_a.u_b.u_c.count_i", {2}));
  ASSERT_EQ(a.paths.size(), 1u);
  EXPECT_EQ(a.graph.registers[a.paths[0].start].instance, "u_a");
  EXPECT_EQ(a.graph.registers[a.paths[0].start].name, "count_q");
}

TEST(Timing, HiddenNamesLose) {
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", 2, 2)
                                 .Name("u_a.u_b.$auto$made", {2}, true)
                                 .Name("count", {2}));
  ASSERT_EQ(a.paths.size(), 1u);
  EXPECT_EQ(a.graph.registers[a.paths[0].start].name, "count");
}

TEST(Timing, NetsWithoutDriverCarryNothing) {
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Cell("l1", "LUT2", {{"I0", {7}}, {"I1", {8}}}, {{"O", {3}}})
                                 .Flop("f1", 3, 2)
                                 .Flop("f2", 9, 4)
                                 .Name("a_q", {2}));
  EXPECT_TRUE(a.paths.empty());
}

TEST(Timing, Pins) {
  EXPECT_TRUE(HasPin("A S", "S", 3));
  EXPECT_TRUE(HasPin("A S[3]", "S", 3));
  EXPECT_FALSE(HasPin("A S[3]", "S", 2));
  EXPECT_TRUE(HasPin("DO# A", "DO12", 0));
  EXPECT_FALSE(HasPin("DO#", "DO", 0));
  EXPECT_FALSE(HasPin("DO#", "DO1X", 0));
  EXPECT_FALSE(HasPin("", "A", 0));
}

TEST(Timing, RtlNames) {
  EXPECT_EQ(RtlName("u_a.\\u_b.$auto$x"), "u_a.u_b");
  EXPECT_EQ(RtlName("$flatten\\u_a.\\g_b[12].u_c.$mul$/a/b.sv:3$7"), "u_a.g_b[*].u_c");
  EXPECT_EQ(RtlName("g_lane[3].mem.0.1"), "g_lane[*].mem");
  EXPECT_EQ(RtlName("x_q"), "x_q");
  EXPECT_EQ(RtlName("$auto$5"), "");
}

TEST(Timing, Refuses) {
  const HandNetlist base = HandNetlist().Input("clk_i", {1}).Flop("f1", kLow, 2).Name("a_q", {2});
  EXPECT_EQ(WhyNot(HandNetlist(base).Cell("x", "URAM288", {{"A", {2}}}, {{"B", {3}}})),
            "netlist: cell x = URAM288: the delay table does not know this cell");
  EXPECT_EQ(WhyNot(HandNetlist(base).Cell("x", "LUT1", {{"I7", {2}}}, {{"O", {3}}})),
            "netlist: cell x = LUT1.I7: the delay table has no figure for this pin");
  EXPECT_EQ(WhyNot(HandNetlist(base).Cell("x", "LUT1", {{"I0", {2}}}, {{"O", {2}}})),
            "netlist: net a_q: is driven by f1 and x");
  EXPECT_EQ(WhyNot(HandNetlist(base)
                       .Input("other_i", {9})
                       .Cell("f9", "FDRE", {{"C", {9}}, {"D", {2}}}, {{"Q", {3}}})
                       .Name("clk_i", {1})
                       .Name("other_i", {9})),
            "netlist: clocks = clk_i and other_i: only designs of one clock are analysed");
  EXPECT_EQ(WhyNot(HandNetlist(base)
                       .Cell("l1", "LUT2", {{"I0", {2}}, {"I1", {4}}}, {{"O", {3}}})
                       .Cell("l2", "LUT1", {{"I0", {3}}}, {{"O", {4}}})
                       .Flop("f2", 4, 5)
                       .Name("forth", {3})
                       .Name("back", {4})),
            "netlist: combinational loop = back <- forth: logic without a register in its way");
}

TEST(Timing, RefusesWhatIsNoNetlist) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      ReadNetlist(Json::Parse(text, "n.json"), "n.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why("{}"),
            "n.json: modules: none of them is marked as the top: is this of write_json?");
  EXPECT_EQ(why(R"({"modules": {"m": {"attributes": {"top": "1"}}}})"),
            "n.json: modules.m.ports: must be an object");
  EXPECT_EQ(why(R"({"modules": {"m": {"attributes": {"top": "1"}, "netnames": {}, "cells": {},
                    "ports": {"x": {"direction": "inout", "bits": [1]}}}}})"),
            "n.json: modules.m, port x = inout: must be an input or an output");
}

TEST(Timing, EveryFigureNamesItsSource) {
  for (const char* family : {"xc7", "xcup", "ecp5"}) {
    const DelayTable& table = FindDelays(family);
    for (const CellDelay& row : table.cells) {
      EXPECT_FALSE(row.source.empty()) << family << " " << row.cells;
      EXPECT_FALSE(row.cells.empty()) << family;
    }
    for (const DirectNet& row : table.direct) EXPECT_FALSE(row.source.empty()) << family;
    EXPECT_FALSE(table.net.source.empty()) << family;
  }
}

TEST(Timing, TheErrorIsTheWorstPoint) {
  const CalibrationPoint points[] = {{"a", "0", "", 1, 20, 21}, {"b", "0", "", 1, 20, 16}};
  EXPECT_NEAR(TimingError(points), 0.2, 1e-9);
  EXPECT_GT(TimingError(CalibrationPoints()), 0);
}

TEST(Timing, ReportSaysWhetherTheClockIsMet) {
  const Analysis a = Analyse(HandNetlist()
                                 .Input("clk_i", {1})
                                 .Flop("f1", kLow, 2)
                                 .Flop("f2", 2, 3)
                                 .Name("u_a.from_q", {2})
                                 .Name("u_b.to_q", {3}));
  isa::Config config;
  config.name = "hand";
  config.uarch.clock_mhz = 900;  // the path takes 1.032 ns
  const Part& part = FindPart("xc7z020");
  const auto report = [&](double error) {
    return TimingReport{config, part, a.netlist, a.graph, a.paths, 5, error};
  };
  EXPECT_TRUE(report(0).Meets());
  EXPECT_FALSE(report(0.1).Meets());
  EXPECT_THAT(TimingText(report(0.1)), testing::HasSubstr("config names  900 MHz: does not meet"));
  EXPECT_THAT(TimingText(report(0)), testing::HasSubstr("config names  900 MHz: meets"));
  EXPECT_THAT(TimingText(report(0)),
              testing::HasSubstr("u_b   1.0    0.4      0.6       0  u_a.from_q  u_b.to_q"));
  const Json json = TimingJson(report(0.1));
  EXPECT_EQ(*json.Find("meets")->as_bool(), false);
  const Json& path = (*json.Find("paths")->as_array())[0];
  EXPECT_EQ(*path.Find("from")->as_string(), "u_a.from_q");
  EXPECT_EQ(*path.Find("ns")->as_double(), 1.032);
}

}  // namespace
}  // namespace vta::tools
