#include "tools/timing/families.h"

namespace vta::tools {
namespace {

using enum DelayKind;

// f4pga/prjxray-db: the slow corner of the timings that its fuzzers read out of Vivado.
constexpr std::string_view kDsp = "prjxray-db zynq7/timings/DSP_L.sdf";
constexpr std::string_view kSlice = "prjxray-db zynq7/timings/slicel.sdf";
// Yosys' share/yosys/xilinx/cells_sim.v, whose figures name their lines of prjxray-db.
constexpr std::string_view kCarry = "yosys 0.23 cells_sim.v, CARRY4";
constexpr std::string_view kMux = "yosys 0.23 cells_sim.v, MUXF7 and MUXF8";
constexpr std::string_view kFf = "yosys 0.23 cells_sim.v, FDRE";
// DS189 (Spartan-7, -1) has the same, rounded up: 2.46, 0.89; address 0.57, data 0.74 to set up.
constexpr std::string_view kBram = "yosys 0.23 cells_sim.v, RAMB36E1";
constexpr std::string_view kLutRam = "yosys 0.23 cells_sim.v, RAM32M and RAM64M";
constexpr std::string_view kDualRam = "yosys 0.23 cells_sim.v, RAM64X1D";
constexpr std::string_view kSrl = "yosys 0.23 cells_sim.v, SRLC32E";
// Timing reports of routed designs that are public: VexiiRiscv in LiteX (Artix-7 200T -1), a
// SHA-256 core (Zynq-7010 -1) and a stream compressor (Zynq-7020 -1, synthesised).
constexpr std::string_view kVivado = "public Vivado reports, 7 series -1";
constexpr std::string_view kMerged = "part of the lookup table or register behind it";
constexpr std::string_view kRule = "by definition";

constexpr std::string_view kLuts = "LUT1 LUT2 LUT3 LUT4 LUT5 LUT6";
constexpr std::string_view kFfs = "FDRE FDSE FDCE FDPE";
constexpr std::string_view kBlockRams = "RAMB36E1 RAMB18E1";
constexpr std::string_view kBlockRamClocks = "CLKARDCLK CLKBWRCLK";
constexpr std::string_view kLutRams = "RAM32M RAM64M", kDualRams = "RAM32X1D RAM64X1D";

constexpr CellDelay kCells[] = {
    {kArc, kLuts, "", "I0 I1 I2 I3 I4 I5", "O", 0.124, kSlice},
    {kArc, "INV", "", "I", "O", 0, kMerged},
    {kArc, "MUXF7", "", "I0 I1", "O", 0.223, kMux},
    {kArc, "MUXF7", "", "S", "O", 0.296, kMux},
    {kArc, "MUXF8", "", "I0 I1", "O", 0.104, kMux},
    {kArc, "MUXF8", "", "S", "O", 0.273, kMux},

    {kClockToOut, kFfs, "", "C", "Q", 0.456, kVivado},
    {kSetup, kFfs, "", "D", "C", -0.031, kVivado},
    {kSetup, kFfs, "", "CE", "C", 0.202, kVivado},
    {kSetup, "FDRE FDSE", "", "R S", "C", 0.404, kFf},
    {kUntimed, "FDCE FDPE", "", "CLR PRE", "", 0, kRule},
    {kClockToOut, "$input", "", "", "O", 0.456, "as from a flip-flop"},
    {kSetup, "$output", "", "I", "", -0.031, "as to a flip-flop"},

    {kClockToOut, kBlockRams, "DOA_REG=0", "CLKARDCLK", "DOADO DOPADOP", 2.454, kBram},
    {kClockToOut, kBlockRams, "DOB_REG=0", "CLKBWRCLK", "DOBDO DOPBDOP", 2.454, kBram},
    {kClockToOut, kBlockRams, "DOA_REG=1", "CLKARDCLK", "DOADO DOPADOP", 0.882, kBram},
    {kClockToOut, kBlockRams, "DOB_REG=1", "CLKBWRCLK", "DOBDO DOPBDOP", 0.882, kBram},
    {kSetup, kBlockRams, "", "ADDRARDADDR ADDRBWRADDR", kBlockRamClocks, 0.566, kBram},
    {kSetup, kBlockRams, "", "DIADI DIBDI DIPADIP DIPBDIP", kBlockRamClocks, 0.737, kBram},
    {kSetup, kBlockRams, "", "WEA WEBWE", kBlockRamClocks, 0.532, kBram},
    {kSetup, kBlockRams, "", "ENARDEN ENBWREN", kBlockRamClocks, 0.443, kVivado},
    {kSetup, kBlockRams, "", "REGCEAREGCE REGCEB", kBlockRamClocks, 0.360, kBram},
    {kSetup, kBlockRams, "", "RSTREGARSTREG RSTREGB RSTRAMARSTRAM RSTRAMB", kBlockRamClocks, 0.342,
     kBram},

    {kArc, kLutRams, "", "ADDRA", "DOA", 0.124, kSlice},
    {kArc, kLutRams, "", "ADDRB", "DOB", 0.124, kSlice},
    {kArc, kLutRams, "", "ADDRC", "DOC", 0.124, kSlice},
    {kArc, kLutRams, "", "ADDRD", "DOD", 0.124, kSlice},
    {kClockToOut, kLutRams, "", "WCLK", "DOA DOB DOC DOD", 1.190, kLutRam},
    {kSetup, kLutRams, "", "ADDRD", "WCLK", 0.362, kLutRam},
    {kSetup, kLutRams, "", "DIA DIB DIC DID", "WCLK", 0.461, kLutRam},
    {kSetup, kLutRams, "", "WE", "WCLK", 0.654, kLutRam},
    {kArc, kDualRams, "", "A# A", "SPO", 0.124, kSlice},
    {kArc, kDualRams, "", "DPRA# DPRA", "DPO", 0.124, kSlice},
    {kClockToOut, kDualRams, "", "WCLK", "SPO DPO", 1.153, kDualRam},
    {kSetup, kDualRams, "", "A# A", "WCLK", 0.362, kDualRam},
    {kSetup, kDualRams, "", "D", "WCLK", 0.453, kDualRam},
    {kSetup, kDualRams, "", "WE", "WCLK", 0.654, kDualRam},

    {kArc, "SRL16E SRLC32E", "", "A# A", "Q", 0.124, kSlice},
    {kClockToOut, "SRL16E SRLC32E", "", "CLK", "Q", 1.472, kSrl},
    {kClockToOut, "SRLC32E", "", "CLK", "Q31", 1.114, kSrl},
    {kSetup, "SRL16E SRLC32E", "", "D", "CLK", 0.173, kSrl},
    {kSetup, "SRL16E SRLC32E", "", "CE", "CLK", 0.109, kSrl},

    {kArc, "DSP48E1", "AREG=0 MREG=0 PREG=0 USE_DPORT=FALSE", "A", "P", 3.841, kDsp},
    {kArc, "DSP48E1", "AREG=0 MREG=0 PREG=0 USE_DPORT=FALSE", "A", "PCOUT", 4.036, kDsp},
    {kArc, "DSP48E1", "BREG=0 MREG=0 PREG=0", "B", "P", 3.656, kDsp},
    {kArc, "DSP48E1", "BREG=0 MREG=0 PREG=0", "B", "PCOUT", 3.851, kDsp},
    {kArc, "DSP48E1", "CREG=0 PREG=0", "C", "P", 1.820, kDsp},
    {kArc, "DSP48E1", "CREG=0 PREG=0", "C", "PCOUT", 2.016, kDsp},
    {kArc, "DSP48E1", "PREG=0", "PCIN", "P", 1.518, kDsp},
    {kArc, "DSP48E1", "PREG=0", "PCIN", "PCOUT", 1.713, kDsp},
    {kArc, "DSP48E1", "OPMODEREG=0 PREG=0", "OPMODE", "P", 2.326, kDsp},
    {kArc, "DSP48E1", "OPMODEREG=0 PREG=0", "OPMODE", "PCOUT", 2.522, kDsp},
    {kClockToOut, "DSP48E1", "AREG=1 MREG=0 PREG=0", "CLK", "P", 4.009, kDsp},
    {kClockToOut, "DSP48E1", "AREG=1 MREG=0 PREG=0", "CLK", "PCOUT", 4.206, kDsp},
    {kClockToOut, "DSP48E1", "AREG=2 MREG=0 PREG=0", "CLK", "P", 4.009, kDsp},
    {kClockToOut, "DSP48E1", "AREG=2 MREG=0 PREG=0", "CLK", "PCOUT", 4.206, kDsp},
    {kClockToOut, "DSP48E1", "BREG=1 MREG=0 PREG=0", "CLK", "P", 3.813, kDsp},
    {kClockToOut, "DSP48E1", "BREG=1 MREG=0 PREG=0", "CLK", "PCOUT", 4.008, kDsp},
    {kClockToOut, "DSP48E1", "BREG=2 MREG=0 PREG=0", "CLK", "P", 3.813, kDsp},
    {kClockToOut, "DSP48E1", "BREG=2 MREG=0 PREG=0", "CLK", "PCOUT", 4.008, kDsp},
    {kClockToOut, "DSP48E1", "CREG=1 PREG=0", "CLK", "P", 2.291, kDsp},
    {kClockToOut, "DSP48E1", "CREG=1 PREG=0", "CLK", "PCOUT", 2.488, kDsp},
    {kClockToOut, "DSP48E1", "MREG=1 PREG=0", "CLK", "P", 2.305, kDsp},
    {kClockToOut, "DSP48E1", "MREG=1 PREG=0", "CLK", "PCOUT", 2.500, kDsp},
    {kClockToOut, "DSP48E1", "PREG=1", "CLK", "P", 0.434, kDsp},
    {kClockToOut, "DSP48E1", "PREG=1", "CLK", "PCOUT", 0.478, kDsp},
    {kSetup, "DSP48E1", "AREG=1", "A", "CLK", 0.362, kDsp},
    {kSetup, "DSP48E1", "AREG=2", "A", "CLK", 0.362, kDsp},
    {kSetup, "DSP48E1", "BREG=1", "B", "CLK", 0.450, kDsp},
    {kSetup, "DSP48E1", "BREG=2", "B", "CLK", 0.450, kDsp},
    {kSetup, "DSP48E1", "CREG=1", "C", "CLK", 0.233, kDsp},
    {kSetup, "DSP48E1", "AREG=0 MREG=1 USE_DPORT=FALSE", "A", "CLK", 1.928, kDsp},
    {kSetup, "DSP48E1", "BREG=0 MREG=1", "B", "CLK", 1.743, kDsp},
    {kSetup, "DSP48E1", "AREG=0 MREG=0 PREG=1 USE_DPORT=FALSE", "A", "CLK", 3.722, kDsp},
    {kSetup, "DSP48E1", "BREG=0 MREG=0 PREG=1", "B", "CLK", 3.536, kDsp},
    {kSetup, "DSP48E1", "CREG=0 PREG=1", "C", "CLK", 1.701, kDsp},
    {kSetup, "DSP48E1", "PREG=1", "PCIN", "CLK", 1.400, kDsp},
    {kSetup, "DSP48E1", "OPMODEREG=0 PREG=1", "OPMODE", "CLK", 2.209, kDsp},
    {kSetup, "DSP48E1", "", "CEA1 CEA2", "CLK", 0.497, kDsp},
    {kSetup, "DSP48E1", "", "CEB1 CEB2", "CLK", 0.514, kDsp},
    {kSetup, "DSP48E1", "", "CEC", "CLK", 0.414, kDsp},
    {kSetup, "DSP48E1", "", "CEM", "CLK", 0.266, kDsp},
    {kSetup, "DSP48E1", "", "CEP", "CLK", 0.524, kDsp},
    {kSetup, "DSP48E1", "", "RSTA", "CLK", 0.507, kDsp},
    {kSetup, "DSP48E1", "", "RSTB", "CLK", 0.543, kDsp},
    {kSetup, "DSP48E1", "", "RSTC", "CLK", 0.084, kDsp},
    {kSetup, "DSP48E1", "", "RSTM", "CLK", 0.270, kDsp},
    {kSetup, "DSP48E1", "", "RSTP", "CLK", 0.347, kDsp},

    {kArc, "CARRY4", "", "CYINIT", "O[0]", 0.482, kCarry},
    {kArc, "CARRY4", "", "S[0]", "O[0]", 0.223, kCarry},
    {kArc, "CARRY4", "", "CI", "O[0]", 0.222, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "O[1]", 0.598, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "O[1]", 0.407, kCarry},
    {kArc, "CARRY4", "", "S[0]", "O[1]", 0.400, kCarry},
    {kArc, "CARRY4", "", "S[1]", "O[1]", 0.205, kCarry},
    {kArc, "CARRY4", "", "CI", "O[1]", 0.334, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "O[2]", 0.584, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "O[2]", 0.556, kCarry},
    {kArc, "CARRY4", "", "DI[1]", "O[2]", 0.537, kCarry},
    {kArc, "CARRY4", "", "S[0]", "O[2]", 0.523, kCarry},
    {kArc, "CARRY4", "", "S[1]", "O[2]", 0.558, kCarry},
    {kArc, "CARRY4", "", "S[2]", "O[2]", 0.226, kCarry},
    {kArc, "CARRY4", "", "CI", "O[2]", 0.239, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "O[3]", 0.642, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "O[3]", 0.615, kCarry},
    {kArc, "CARRY4", "", "DI[1]", "O[3]", 0.596, kCarry},
    {kArc, "CARRY4", "", "DI[2]", "O[3]", 0.438, kCarry},
    {kArc, "CARRY4", "", "S[0]", "O[3]", 0.582, kCarry},
    {kArc, "CARRY4", "", "S[1]", "O[3]", 0.618, kCarry},
    {kArc, "CARRY4", "", "S[2]", "O[3]", 0.330, kCarry},
    {kArc, "CARRY4", "", "S[3]", "O[3]", 0.227, kCarry},
    {kArc, "CARRY4", "", "CI", "O[3]", 0.313, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "CO[0]", 0.536, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "CO[0]", 0.379, kCarry},
    {kArc, "CARRY4", "", "S[0]", "CO[0]", 0.340, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[0]", 0.271, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "CO[1]", 0.494, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "CO[1]", 0.465, kCarry},
    {kArc, "CARRY4", "", "DI[1]", "CO[1]", 0.445, kCarry},
    {kArc, "CARRY4", "", "S[0]", "CO[1]", 0.433, kCarry},
    {kArc, "CARRY4", "", "S[1]", "CO[1]", 0.469, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[1]", 0.157, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "CO[2]", 0.592, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "CO[2]", 0.540, kCarry},
    {kArc, "CARRY4", "", "DI[1]", "CO[2]", 0.520, kCarry},
    {kArc, "CARRY4", "", "DI[2]", "CO[2]", 0.356, kCarry},
    {kArc, "CARRY4", "", "S[0]", "CO[2]", 0.512, kCarry},
    {kArc, "CARRY4", "", "S[1]", "CO[2]", 0.548, kCarry},
    {kArc, "CARRY4", "", "S[2]", "CO[2]", 0.292, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[2]", 0.228, kCarry},
    {kArc, "CARRY4", "", "CYINIT", "CO[3]", 0.580, kCarry},
    {kArc, "CARRY4", "", "DI[0]", "CO[3]", 0.526, kCarry},
    {kArc, "CARRY4", "", "DI[1]", "CO[3]", 0.507, kCarry},
    {kArc, "CARRY4", "", "DI[2]", "CO[3]", 0.398, kCarry},
    {kArc, "CARRY4", "", "DI[3]", "CO[3]", 0.385, kCarry},
    {kArc, "CARRY4", "", "S[0]", "CO[3]", 0.508, kCarry},
    {kArc, "CARRY4", "", "S[1]", "CO[3]", 0.528, kCarry},
    {kArc, "CARRY4", "", "S[2]", "CO[3]", 0.378, kCarry},
    {kArc, "CARRY4", "", "S[3]", "CO[3]", 0.380, kCarry},
    {kArc, "CARRY4", "", "CI", "CO[3]", 0.114, kCarry},
};

// Wires of their own in a slice and down a column.
constexpr DirectNet kDirect[] = {
    {"", "", "INV", "I", false, 0, kMerged},
    {"CARRY4", "CO[3]", "CARRY4", "CI", false, 0, kRule},
    {kLuts, "O", "CARRY4", "S", false, 0, kRule},
    {kLuts, "O", "CARRY4", "DI", true, 0, kRule},
    {kLuts, "O", "MUXF7", "I0 I1", true, 0, kRule},
    {"MUXF7", "O", "MUXF8", "I0 I1", true, 0, kRule},
    {kLuts, "O", kFfs, "D", true, 0, kRule},
    {"MUXF7 MUXF8", "O", kFfs, "D", true, 0, kRule},
    {"CARRY4", "O CO", kFfs, "D", true, 0, kRule},
    {"DSP48E1", "PCOUT", "DSP48E1", "PCIN", false, 0.055, kVivado},
};

constexpr DelayTable kTable = {
    .cells = kCells,
    .direct = kDirect,
    // Least squares over the 46 nets between slices on the critical paths of those reports (1 to
    // 176 sinks, 0.19 to 2.7 ns, root mean square 0.45 ns off); three more go to block RAM. Three
    // whole paths of 9.4, 10.8 and 11.9 ns come out at 1.28, 0.73 and 0.87 of that.
    .net = {.first_ns = 0.607,
            .doubling_ns = 0.050,
            .into_ns = 0.55,
            .from_ns = 0,
            .into_cells = "RAMB36E1 RAMB18E1 DSP48E1",
            .from_cells = "",
            .source = kVivado},
};

}  // namespace

const DelayTable& Xc7Delays() { return kTable; }

}  // namespace vta::tools
