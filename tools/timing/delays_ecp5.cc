#include "tools/timing/families.h"

namespace vta::tools {
namespace {

using enum DelayKind;

// YosysHQ/prjtrellis-db ECP5/timing/speed_6/cells.json: the slow corner of Diamond's timings, which
// nextpnr-ecp5 goes by.
constexpr std::string_view kSlice = "prjtrellis-db speed_6, SLOGICB";
constexpr std::string_view kCarry = "prjtrellis-db speed_6, SCCU2C";
constexpr std::string_view kLutRam = "prjtrellis-db speed_6, SDPRAME";
constexpr std::string_view kBram = "prjtrellis-db speed_6, DP16KD:REGMODE_A=NOREG";
constexpr std::string_view kMult = "prjtrellis-db speed_6, MULT18X18D:REGS=NONE";
constexpr std::string_view kRouted = "nextpnr-ecp5 0.11's report of a routed design";
constexpr std::string_view kRule = "by definition";

constexpr CellDelay kCells[] = {
    {kArc, "LUT4", "", "A B C D", "Z", 0.236, kSlice},
    {kArc, "PFUMX", "", "ALUT BLUT", "Z", 0.165, kSlice},
    {kArc, "PFUMX", "", "C0", "Z", 0.256, kSlice},
    {kArc, "L6MUX21", "", "D0 D1", "Z", 0.242, kSlice},
    {kArc, "L6MUX21", "", "SD", "Z", 0.252, kSlice},
    {kArc, "CCU2C", "", "A0 B0 C0 D0 A1 B1 C1 D1", "COUT", 0.447, kCarry},
    {kArc, "CCU2C", "", "A0 B0 C0 D0", "S0", 0.236, kCarry},
    {kArc, "CCU2C", "", "A0 B0 C0 D0", "S1", 0.714, kCarry},
    {kArc, "CCU2C", "", "A1 B1 C1 D1", "S1", 0.236, kCarry},
    {kArc, "CCU2C", "", "CIN", "S0", 0.443, kCarry},
    {kArc, "CCU2C", "", "CIN", "S1", 0.474, kCarry},
    {kArc, "CCU2C", "", "CIN", "COUT", 0.071, kCarry},

    {kClockToOut, "TRELLIS_FF", "", "CLK", "Q", 0.525, kSlice},
    {kSetup, "TRELLIS_FF", "", "DI M CE", "CLK", 0, kSlice},
    {kSetup, "TRELLIS_FF", "SRMODE=LSR_OVER_CE", "LSR", "CLK", 0.424, kSlice},
    {kUntimed, "TRELLIS_FF", "SRMODE=ASYNC", "LSR", "", 0, kRule},
    {kClockToOut, "$input", "", "", "O", 0.525, "as from a flip-flop"},
    {kSetup, "$output", "", "I", "", 0, "as to a flip-flop"},

    {kArc, "TRELLIS_DPR16X4", "", "RAD", "DO", 0.236, kLutRam},
    {kClockToOut, "TRELLIS_DPR16X4", "", "WCK", "DO", 0.929, kLutRam},
    {kSetup, "TRELLIS_DPR16X4", "", "WAD DI", "WCK", 0, kLutRam},
    {kSetup, "TRELLIS_DPR16X4", "", "WRE", "WCK", 0.392, kLutRam},

    {kClockToOut, "DP16KD", "REGMODE_A=NOREG", "CLKA", "DOA#", 5.609, kBram},
    {kClockToOut, "DP16KD", "REGMODE_B=NOREG", "CLKB", "DOB#", 5.830, kBram},
    {kSetup, "DP16KD", "", "ADA#", "CLKA", 0.251, kBram},
    {kSetup, "DP16KD", "", "ADB#", "CLKB", 0.205, kBram},
    {kSetup, "DP16KD", "", "DIA#", "CLKA", 0.218, kBram},
    {kSetup, "DP16KD", "", "DIB#", "CLKB", 0.134, kBram},
    {kSetup, "DP16KD", "", "WEA", "CLKA", 0.139, kBram},
    {kSetup, "DP16KD", "", "CSA#", "CLKA", 0.020, kBram},
    {kSetup, "DP16KD", "", "WEB CSB#", "CLKB", 0, kBram},
    {kSetup, "DP16KD", "", "CEA OCEA", "CLKA", 0.226, kBram},
    {kSetup, "DP16KD", "", "CEB OCEB", "CLKB", 0.340, kBram},
    {kUntimed, "DP16KD", "RESETMODE=ASYNC", "RSTA RSTB", "", 0, kRule},

    {kArc, "MULT18X18D", "", "A# B#", "P#", 3.927, kMult},
};

constexpr DirectNet kDirect[] = {
    {"CCU2C", "COUT", "CCU2C", "CIN", false, 0, kRule},
    {"LUT4", "Z", "PFUMX", "ALUT BLUT", true, 0, kRule},
    {"PFUMX L6MUX21", "Z", "L6MUX21", "D0 D1", true, 0, kRule},
    {"LUT4 PFUMX L6MUX21", "Z", "TRELLIS_FF", "DI", true, 0, kRule},
    {"CCU2C", "S0 S1", "TRELLIS_FF", "DI", true, 0, kRule},
};

constexpr DelayTable kTable = {
    .cells = kCells,
    .direct = kDirect,
    // By sinks: where routed over estimated arrival spreads least (by 16 %) over the 323 latest
    // registers of the first design of calibration.cc. Into and from the columns: least squares
    // over the 95,000 connections of the second, as nextpnr's SDF has them; block RAM's outputs are
    // as any.
    .net = {.first_ns = 1.0,
            .doubling_ns = 0.05,
            .into_ns = 1.05,
            .from_ns = 1.47,
            .into_cells = "DP16KD MULT18X18D",
            .from_cells = "MULT18X18D",
            .source = kRouted},
};

}  // namespace

const DelayTable& Ecp5Delays() { return kTable; }

}  // namespace vta::tools
