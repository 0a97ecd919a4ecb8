// Every parameter of an accelerator variant: one row each, from which the loader, the writer, the
// manual and the hardware package are made. `arch` is what programs depend on, `uarch` what only
// timing depends on, `memory` the DRAM.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "isa/spec/alu_ops.h"

namespace vta::isa {

// Element widths of the published ISA. They enter the layout formulas as constants.
inline constexpr int kInpBits = 8;
inline constexpr int kWgtBits = 8;
inline constexpr int kAccBits = 32;
inline constexpr int kOutBits = kInpBits;
inline constexpr int kUopBits = 32;
inline constexpr int kInstructionBytes = 16;

struct Arch : AluFlags {
  int64_t batch = 1;
  int64_t block_in = 16;
  int64_t block_out = 16;
  int64_t uop_depth = 8192;
  int64_t inp_depth = 2048;
  int64_t wgt_depth = 1024;
  int64_t acc_depth = 2048;
  int64_t acc8 = 0;
  int64_t pad_value = 0;
  int64_t overwrite = 0;
  int64_t requant_multiplier_bits = 32;
  int64_t token_capacity = 255;
  bool operator==(const Arch&) const = default;
};

struct Uarch {
  int64_t bus_bits = 64;
  int64_t clock_mhz = 100;
  int64_t command_queue_depth = 512;
  int64_t fetch_buffer_instructions = 64;
  int64_t outstanding_reads = 8;
  int64_t max_burst_beats = 16;
  int64_t multiplier = 0;
  int64_t alu_read_ports = 2;
  int64_t acc_banks = 1;
  bool operator==(const Uarch&) const = default;
};

struct Memory {
  int64_t read_latency_cycles = 16;
  int64_t write_latency_cycles = 8;
  int64_t bytes_per_cycle = 8;
  int64_t outstanding = 16;
  int64_t banks = 8;
  int64_t row_bytes = 2048;
  int64_t row_miss_cycles = 0;
  bool operator==(const Memory&) const = default;
};

enum class ParameterKind : uint8_t { kInteger, kPowerOfTwo, kFlag, kChoice };

template <typename Section>
struct Parameter {
  std::string_view key;
  int64_t Section::*member;
  ParameterKind kind;
  int64_t low, high;
  std::string_view unit;
  std::string_view meaning;
  std::array<std::string_view, 3> choices = {};  // for kChoice: the names of low..high
};

using enum ParameterKind;

/// The flag of an ALU operation that has no row here becomes a parameter behind these.
inline constexpr Parameter<Arch> kWrittenArchParameters[] = {
    {"batch", &Arch::batch, kPowerOfTwo, 1, 16, "rows", "input rows of one GEMM"},
    {"block_in", &Arch::block_in, kPowerOfTwo, 4, 64, "lanes", "reduction lanes of one GEMM"},
    {"block_out", &Arch::block_out, kPowerOfTwo, 4, 64, "lanes", "output lanes of one GEMM"},
    {"uop_depth", &Arch::uop_depth, kPowerOfTwo, 16, 8192, "micro-ops", "micro-op memory"},
    {"inp_depth", &Arch::inp_depth, kPowerOfTwo, 4, 65536, "elements", "input scratchpad"},
    {"wgt_depth", &Arch::wgt_depth, kPowerOfTwo, 4, 65536, "elements", "weight scratchpad"},
    {"acc_depth", &Arch::acc_depth, kPowerOfTwo, 4, 2048, "elements",
     "accumulator and output scratchpads"},
    {"mul", &Arch::mul, kFlag, 0, 1, "", "ALU operation mul"},
    {"acc8", &Arch::acc8, kFlag, 0, 1, "", "8-bit loads into the accumulator, sign-extended"},
    {"requant", &Arch::requant, kFlag, 0, 1, "", "ALU operation requant (ISA 1.0)"},
    {"pad_value", &Arch::pad_value, kFlag, 0, 1, "", "padding with a set byte (ISA 1.0)"},
    {"overwrite", &Arch::overwrite, kFlag, 0, 1, "", "GEMM that overwrites (ISA 1.0)"},
    {"requant_multiplier_bits", &Arch::requant_multiplier_bits, kPowerOfTwo, 8, 32, "bits",
     "leading bits of the requant multiplier that the hardware uses"},
    {"token_capacity", &Arch::token_capacity, kInteger, 1, 65535, "tokens",
     "most tokens a dependency queue holds; a push to a full queue waits"},
};

/// Whether the flag of an ALU operation still wants its row.
constexpr bool WantsParameter(const AluOpSpec& op) {
  return op.flag && std::none_of(std::begin(kWrittenArchParameters),
                                 std::end(kWrittenArchParameters), [&](const auto& row) {
                                   return row.member == static_cast<int64_t Arch::*>(op.flag);
                                 });
}

struct ArchParameterTable {
  Parameter<Arch> rows[std::size(kWrittenArchParameters) +
                       std::count_if(std::begin(kAluOps), std::end(kAluOps), WantsParameter)];

  constexpr ArchParameterTable() {
    auto* end = std::copy(std::begin(kWrittenArchParameters), std::end(kWrittenArchParameters),
                          std::begin(rows));
    for (const AluOpSpec& op : kAluOps)
      if (WantsParameter(op)) *end++ = {op.name, op.flag, kFlag, 0, 1, "", op.meaning};
  }
};
inline constexpr ArchParameterTable kArchParameterTable;
inline constexpr const auto& kArchParameters = kArchParameterTable.rows;

inline constexpr Parameter<Uarch> kUarchParameters[] = {
    {"bus_bits", &Uarch::bus_bits, kPowerOfTwo, 64, 512, "bits", "width of the AXI4 data bus"},
    {"clock_mhz", &Uarch::clock_mhz, kInteger, 1, 2000, "MHz", "clock of the accelerator"},
    {"command_queue_depth", &Uarch::command_queue_depth, kPowerOfTwo, 2, 4096, "instructions",
     "most that a module holds before they start; fetch waits for space"},
    {"fetch_buffer_instructions", &Uarch::fetch_buffer_instructions, kPowerOfTwo, 8, 4096,
     "instructions", "how far fetch runs ahead"},
    {"outstanding_reads", &Uarch::outstanding_reads, kPowerOfTwo, 1, 64, "bursts",
     "read bursts in flight of each client"},
    {"max_burst_beats", &Uarch::max_burst_beats, kPowerOfTwo, 1, 256, "beats", "longest AXI burst"},
    {"multiplier",
     &Uarch::multiplier,
     kChoice,
     0,
     2,
     "",
     "how a MAC's multiplier is mapped",
     {"dsp", "packed", "lut"}},
    {"alu_read_ports", &Uarch::alu_read_ports, kInteger, 1, 2, "ports",
     "accumulator read ports; with 1 a tensor-tensor ALU micro-op takes two cycles"},
    {"acc_banks", &Uarch::acc_banks, kPowerOfTwo, 1, 2, "banks",
     "of accumulator and output scratchpads, by the top bit of the row; with 2 what follows an ALU "
     "instruction works in one while that works in the other"},
};

inline constexpr Parameter<Memory> kMemoryParameters[] = {
    {"read_latency_cycles", &Memory::read_latency_cycles, kInteger, 0, 4096, "cycles",
     "from an accepted read burst to its first beat"},
    {"write_latency_cycles", &Memory::write_latency_cycles, kInteger, 0, 4096, "cycles",
     "from the last beat of a write burst to its response"},
    {"bytes_per_cycle", &Memory::bytes_per_cycle, kInteger, 1, 64, "bytes",
     "sustained bandwidth, reads and writes together"},
    {"outstanding", &Memory::outstanding, kPowerOfTwo, 1, 256, "bursts",
     "bursts that the memory holds at once"},
    {"banks", &Memory::banks, kPowerOfTwo, 1, 256, "banks",
     "each keeps one row open; rows that follow each other lie in different banks"},
    {"row_bytes", &Memory::row_bytes, kPowerOfTwo, 256, 65536, "bytes", "one row of a bank"},
    {"row_miss_cycles", &Memory::row_miss_cycles, kInteger, 0, 4096, "cycles",
     "that a burst waits for each row that is not open; 0: rows do not matter"},
};

/// The DRAM of a board as the accelerator's port sees it: "preset" in a config's memory section,
/// converted at the config's clock. Latencies and what is sustained are estimates, not measured on
/// a board; a row miss is the data sheets' tRP + tRCD, to close the open row and to open another:
/// PYNQ-Z1, DDR3-1600K chips at 1050 MT/s: 2 * 13.75 ns. Ultra96, LPDDR4: 2 * 18 ns.
/// ZCU104, DDR4-2133P: 2 * 14.06 ns. KV260, DDR4-2400R: 2 * 13.32 ns.
/// A row is 1024 columns: 2 KiB on 16 bits, 4 KiB on the two channels of 16 bits side by side, 8
/// KiB on 64 bits. DDR4 of 16-bit chips has 8 banks.
struct MemoryPreset {
  std::string_view name;
  int64_t read_latency_ps, write_latency_ps, row_miss_ps;
  int64_t mb_per_s;   // sustained, reads and writes together
  int64_t port_bits;  // of the widest bus that it takes
  int64_t outstanding, banks, row_bytes;
  std::string_view meaning;

  /// Times in clocks, rounded up; the bandwidth in whole bytes a clock, rounded down, and no more
  /// than the port is wide.
  constexpr Memory At(int64_t clock_mhz) const {
    const auto cycles = [&](int64_t ps) { return (ps * clock_mhz + 999'999) / 1'000'000; };
    return {.read_latency_cycles = cycles(read_latency_ps),
            .write_latency_cycles = cycles(write_latency_ps),
            .bytes_per_cycle = std::min(mb_per_s / clock_mhz, port_bits / 8),
            .outstanding = outstanding,
            .banks = banks,
            .row_bytes = row_bytes,
            .row_miss_cycles = cycles(row_miss_ps)};
  }
};

inline constexpr MemoryPreset kMemoryPresets[] = {
    {"pynq", 300'000, 150'000, 27'500, 800, 64, 8, 8, 2048,
     "PYNQ-Z1: 16-bit DDR3-1050 (2.1 GB/s) behind a 64-bit HP port, the bound at its 100 MHz"},
    {"ultra96", 200'000, 100'000, 36'000, 3200, 128, 16, 8, 4096,
     "Ultra96: 32-bit LPDDR4-1066 (4.3 GB/s, about 3 of them sustained) behind a 128-bit HP port"},
    {"zcu104", 215'000, 107'000, 28'100, 2960, 128, 16, 8, 8192,
     "ZCU104: 64-bit DDR4-2133 (17 GB/s) behind a 128-bit HP port, the bound at its 185 MHz"},
    {"kv260", 200'000, 100'000, 26'600, 3200, 128, 16, 8, 8192,
     "KV260: 64-bit DDR4-2400 (19 GB/s) behind a 128-bit HP port, the bound at its 200 MHz"},
};

}  // namespace vta::isa
