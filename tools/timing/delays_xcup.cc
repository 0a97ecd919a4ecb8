#include "tools/timing/families.h"

namespace vta::tools {
namespace {

using enum DelayKind;

// Public reports of Vivado 2021.2: designs of the Calyx compiler routed on xczu3eg-sbva484, speed
// file -1 1.29.
constexpr std::string_view kVivado = "public Vivado 2021.2 reports, xczu3eg -1";
constexpr std::string_view kLut =
    "mean of the 24 lookup tables in public Vivado 2021.2 reports, xczu3eg -1";
// Yosys makes CARRY4, of which a CARRY8 is two.
constexpr std::string_view kCarry = "CARRY8 in public Vivado 2021.2 reports, xczu3eg -1";
constexpr std::string_view kHalfCarry =
    "half of CARRY8 and its net in public Vivado 2021.2 reports, xczu3eg -1";
// DS925 allows 456 MHz, 2.19 ns, from A's or B's register over the multiplier to P's, -1 at 0.85 V.
constexpr std::string_view kDsp =
    "DSP48E2's stages in public Vivado 2021.2 reports, xczu3eg -1, added";
// From memory: that table of DS925 was not at hand. A public path of Vivado on an Alveo U250, where
// flip-flops take 0.079 for 0.097 here, has 0.830 without the output register: 1.02 at that ratio.
constexpr std::string_view kBram =
    "from memory, DS925's block RAM clock-to-out, -1 at 0.85 V: not held against its text";
// No public figure was found: by what clock-to-out of block RAM, lookup tables and nets have done.
constexpr std::string_view kHalf = "half of the 7 series'";
constexpr std::string_view kMerged = "part of the lookup table or register behind it";
constexpr std::string_view kRule = "by definition";

constexpr std::string_view kLuts = "LUT1 LUT2 LUT3 LUT4 LUT5 LUT6";
constexpr std::string_view kFfs = "FDRE FDSE FDCE FDPE";
constexpr std::string_view kBlockRams = "RAMB36E2 RAMB18E2";
constexpr std::string_view kBlockRamClocks = "CLKARDCLK CLKBWRCLK";
constexpr std::string_view kLutRams = "RAM32M RAM64M RAM32M16 RAM64M8",
                           kDualRams = "RAM32X1D RAM64X1D";

constexpr CellDelay kCells[] = {
    {kArc, kLuts, "", "I0 I1 I2 I3 I4 I5", "O", 0.125, kLut},
    {kArc, "INV", "", "I", "O", 0, kMerged},
    {kArc, "MUXF7", "", "I0 I1", "O", 0.082, kVivado},
    {kArc, "MUXF7", "", "S", "O", 0.148, kHalf},
    {kArc, "MUXF8 MUXF9", "", "I0 I1", "O", 0.052, kHalf},
    {kArc, "MUXF8 MUXF9", "", "S", "O", 0.137, kHalf},
    {kArc, "CARRY4", "", "S", "O CO", 0.250, kCarry},
    {kArc, "CARRY4", "", "DI", "O CO", 0.177, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "O CO", 0.250, kCarry},
    {kArc, "CARRY4", "", "CI", "O", 0.146, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[0] CO[1] CO[2]", 0.146, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[3]", 0.026, kHalfCarry},

    {kClockToOut, kFfs, "", "C", "Q", 0.097, kVivado},
    {kSetup, kFfs, "", "D", "C", -0.027, kVivado},
    {kSetup, kFfs, "", "CE", "C", 0.042, kVivado},
    {kSetup, "FDRE FDSE", "", "R S", "C", 0.072, kVivado},
    {kUntimed, "FDCE FDPE", "", "CLR PRE", "", 0, kRule},
    {kClockToOut, "$input", "", "", "O", 0.097, "as from a flip-flop"},
    {kSetup, "$output", "", "I", "", -0.027, "as to a flip-flop"},
    {kArc, "SRL16E SRLC32E", "", "A# A", "Q", 0.125, kLut},
    {kClockToOut, "SRL16E SRLC32E", "", "CLK", "Q", 0.736, kHalf},
    {kClockToOut, "SRLC32E", "", "CLK", "Q31", 0.557, kHalf},
    {kSetup, "SRL16E SRLC32E", "", "D", "CLK", 0.087, kHalf},
    {kSetup, "SRL16E SRLC32E", "", "CE", "CLK", 0.055, kHalf},

    {kClockToOut, kBlockRams, "DOA_REG=0", "CLKARDCLK", "DOUTADOUT DOUTPADOUTP", 1.110, kBram},
    {kClockToOut, kBlockRams, "DOB_REG=0", "CLKBWRCLK", "DOUTBDOUT DOUTPBDOUTP", 1.110, kBram},
    {kClockToOut, kBlockRams, "DOA_REG=1", "CLKARDCLK", "DOUTADOUT DOUTPADOUTP", 0.300, kBram},
    {kClockToOut, kBlockRams, "DOB_REG=1", "CLKBWRCLK", "DOUTBDOUT DOUTPBDOUTP", 0.300, kBram},
    {kSetup, kBlockRams, "", "ADDRARDADDR ADDRBWRADDR", kBlockRamClocks, 0.283, kHalf},
    {kSetup, kBlockRams, "", "DINADIN DINBDIN DINPADINP DINPBDINP", kBlockRamClocks, 0.369, kHalf},
    {kSetup, kBlockRams, "", "WEA WEBWE", kBlockRamClocks, 0.266, kHalf},
    {kSetup, kBlockRams, "", "ENARDEN ENBWREN", kBlockRamClocks, 0.222, kHalf},
    {kSetup, kBlockRams, "", "REGCEAREGCE REGCEB", kBlockRamClocks, 0.180, kHalf},
    {kSetup, kBlockRams, "", "RSTREGARSTREG RSTREGB RSTRAMARSTRAM RSTRAMB", kBlockRamClocks, 0.171,
     kHalf},

    {kArc, kLutRams, "", "ADDRA", "DOA", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRB", "DOB", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRC", "DOC", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRD", "DOD", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRE", "DOE", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRF", "DOF", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRG", "DOG", 0.125, kLut},
    {kArc, kLutRams, "", "ADDRH", "DOH", 0.125, kLut},
    {kClockToOut, kLutRams, "", "WCLK", "DOA DOB DOC DOD DOE DOF DOG DOH", 0.595, kHalf},
    {kSetup, kLutRams, "", "ADDRD ADDRH", "WCLK", 0.181, kHalf},
    {kSetup, kLutRams, "", "DIA DIB DIC DID DIE DIF DIG DIH", "WCLK", 0.231, kHalf},
    {kSetup, kLutRams, "", "WE", "WCLK", 0.327, kHalf},
    {kArc, kDualRams, "", "A# A", "SPO", 0.125, kLut},
    {kArc, kDualRams, "", "DPRA# DPRA", "DPO", 0.125, kLut},
    {kClockToOut, kDualRams, "", "WCLK", "SPO DPO", 0.577, kHalf},
    {kSetup, kDualRams, "", "A# A", "WCLK", 0.181, kHalf},
    {kSetup, kDualRams, "", "D", "WCLK", 0.227, kHalf},
    {kSetup, kDualRams, "", "WE", "WCLK", 0.327, kHalf},

    {kArc, "DSP48E2", "AREG=0 MREG=0 PREG=0", "A", "P", 1.923, kDsp},
    {kArc, "DSP48E2", "AREG=0 MREG=0 PREG=0", "A", "PCOUT", 1.941, kDsp},
    {kArc, "DSP48E2", "BREG=0 MREG=0 PREG=0", "B", "P", 1.923, kDsp},
    {kArc, "DSP48E2", "BREG=0 MREG=0 PREG=0", "B", "PCOUT", 1.941, kDsp},
    {kArc, "DSP48E2", "PREG=0", "PCIN", "P", 0.839, kDsp},
    {kArc, "DSP48E2", "PREG=0", "PCIN", "PCOUT", 0.857, kDsp},
};

constexpr DirectNet kDirect[] = {
    {"", "", "INV", "I", false, 0, kMerged},
    {"CARRY4", "CO[3]", "CARRY4", "CI", false, 0, kRule},
    {kLuts, "O", "CARRY4", "S", false, 0.018, kVivado},
    {kLuts, "O", "CARRY4", "DI", true, 0.018, kVivado},
    {kLuts, "O", "MUXF7", "I0 I1", true, 0.009, kVivado},
    {"MUXF7", "O", "MUXF8", "I0 I1", true, 0.009, kVivado},
    {"MUXF8", "O", "MUXF9", "I0 I1", true, 0.009, kVivado},
    {kLuts, "O", kFfs, "D", true, 0.058, kVivado},
    {"MUXF7 MUXF8 MUXF9", "O", kFfs, "D", true, 0.058, kVivado},
    {"CARRY4", "O CO", kFfs, "D", true, 0.031, kVivado},
    {"DSP48E2", "PCOUT", "DSP48E2", "PCIN", false, 0.046, kVivado},
};

constexpr DelayTable kTable = {
    .cells = kCells,
    .direct = kDirect,
    // Least squares over the 39 nets on the critical paths of those reports (1 to 127 sinks, 0.10
    // to 0.54 ns, root mean square 0.10 ns off), two of which go to DSP blocks. To block RAM: half
    // of the 7 series'. Two whole paths of 5.07 and 4.51 ns come out at 1.00 and 1.02 of that. The
    // designs are small: nets of a full part take longer.
    .net = {.first_ns = 0.225,
            .doubling_ns = 0.009,
            .into_ns = 0.275,
            .from_ns = 0.08,
            .into_cells = "RAMB36E2 RAMB18E2",
            .from_cells = "DSP48E2",
            .source = kVivado},
};

}  // namespace

const DelayTable& XcupDelays() { return kTable; }

}  // namespace vta::tools
