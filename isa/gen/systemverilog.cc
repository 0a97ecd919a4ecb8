#include "isa/gen/systemverilog.h"

#include <algorithm>
#include <bit>

#include "isa/gen/names.h"
#include "isa/gen/state_codes.h"
#include "isa/layout.h"
#include "isa/register_launch.h"
#include "isa/spec/registers.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

class PackageWriter {
 public:
  void Line(const std::string& text) { text_ += text + "\n"; }
  void Int(const std::string& name, int64_t value) {
    Line(StrCat("  localparam int ", name, " = ", value, ";"));
  }
  void Bits(const std::string& name, int width, uint64_t value) {
    Line(StrCat("  localparam logic [", width - 1, ":0] ", name, " = ", width, "'h",
                Hex(value).substr(2), ";"));
  }
  void Title(const std::string& text) { Line("\n  // " + text); }
  std::string text_;
};

template <typename Section, size_t kRows>
void WriteParameters(PackageWriter& out, const Parameter<Section> (&rows)[kRows],
                     const Section& section) {
  for (const Parameter<Section>& row : rows) {
    out.Int(CamelName(row.key), section.*row.member);
    if (row.kind == kChoice)
      for (int64_t choice = row.low; choice <= row.high; ++choice)
        out.Int(CamelName(row.key) + CamelName(row.choices[static_cast<size_t>(choice)]), choice);
  }
}

template <typename Record>
void WriteFields(PackageWriter& out, const std::string& prefix,
                 const std::vector<PlacedField<Record>>& fields) {
  for (const PlacedField<Record>& field : fields) {
    if (!field.spec->member) continue;
    out.Int(StrCat(prefix, CamelName(field.spec->name), "Lsb"), field.low_bit);
    out.Int(StrCat(prefix, CamelName(field.spec->name), "Bits"), field.width);
  }
}

void WriteCodes(PackageWriter& out, const Config& config) {
  out.Title("Codes.");
  for (const InstructionSpec& row : kInstructions)
    out.Bits("OP_" + CapsName(row.name), 3, static_cast<uint64_t>(row.code));
  for (const MemorySpec& row : kMemories)
    out.Bits("MEM_" + CapsName(row.name), 3, static_cast<uint64_t>(row.code));
  for (const AluOpSpec& row : kAluOps)
    out.Bits("ALU_" + CapsName(row.name), 3, static_cast<uint64_t>(row.code));
  for (const ModeSpec& row : kModeTable)
    out.Bits("MODE_" + CapsName(row.name), 3, static_cast<uint64_t>(row.code));
  for (const FaultSpec& row : kFaults)
    out.Bits("FAULT_" + CapsName(row.name), 4, static_cast<uint64_t>(row.code));
  for (const QueueSpec& row : kQueueTable)
    out.Bits("QUEUE_" + CapsName(QueueName(row)), 2, static_cast<uint64_t>(row.code));
  const auto codes = [&](const std::string& prefix, int width, const auto& rows) {
    for (const NamedCode& row : rows)
      out.Bits(prefix + CapsName(row.name), width, static_cast<uint64_t>(row.code));
  };
  codes("KIND_", 2, kKindCodes);
  codes("WAIT_", 2, kWaitCodes);
  codes("OUTCOME_", 3, kOutcomeCodes);
  // Highest legal value of each mode.
  for (const ModeSpec& row : kModeTable) out.Int("ModeHigh" + CamelName(row.name), row.high);
  out.Title("Tables by code: bit n says it of code n.");
  const auto table = [&](const std::string& name, auto says) {
    uint64_t bits = 0;
    for (int code = 0; code < 8; ++code) bits |= uint64_t{says(code)} << code;
    out.Bits(name, 8, bits);
  };
  const Arch& arch = config.arch;
  table("OpcodeExists", [&](int code) { return FindInstruction(config, code) != nullptr; });
  const auto memory = [&](auto says) {
    return [&arch, says](int code) {
      const MemorySpec* row = FindMemory(arch, code);
      return row && says(*row);
    };
  };
  table("MemoryLoadable", memory([](const MemorySpec& row) { return row.loadable; }));
  table("MemoryStorable", memory([](const MemorySpec& row) { return row.storable; }));
  table("MemoryMayPad", memory([](const MemorySpec& row) { return row.may_pad; }));
  table("MemoryOfLoad", memory([](const MemorySpec& row) {
          return row.loadable && row.load_module == Module::kLoad;
        }));
  table("AluOpExists", [&](int code) { return FindAluOp(arch, code) != nullptr; });
  table("AluOpLong", [&](int code) {
    return code == static_cast<int>(AluOp::kMul) || code == static_cast<int>(AluOp::kRequant) ||
           (arch.lut && code == static_cast<int>(AluOp::kLut));
  });
  table("AluOpBlock", [&](int code) {
    const AluOpSpec* row = FindAluOp(arch, code);
    return row && !row->apply;
  });
  table("ModeExists", [&](int code) { return FindMode(arch, code) != nullptr; });
  table("ModeOfLoad", [&](int code) {
    const ModeSpec* row = FindMode(arch, code);
    return row && row->module == Module::kLoad;
  });
}

// By 32-bit word of the port's addresses, from 0 to a power of two: bit n says it of word n.
void WriteRegisterTables(PackageWriter& out) {
  uint64_t words = 0;
  for (const RegisterSpec& row : kRegisters)
    words =
        std::max(words, static_cast<uint64_t>(row.offset) / 4 + static_cast<uint64_t>(row.count));
  words = std::bit_ceil(words);
  out.Int("RegisterWords", static_cast<int64_t>(words));
  const auto table = [&](const std::string& name, auto says) {
    std::vector<bool> bits(words);
    for (const RegisterSpec& row : kRegisters)
      if (says(row.access))
        std::fill_n(bits.begin() + static_cast<int64_t>(row.offset) / 4, row.count, true);
    std::string digits;
    for (size_t at = words; at > 0; at -= 4)
      digits +=
          "0123456789abcdef"[8 * bits[at - 1] + 4 * bits[at - 2] + 2 * bits[at - 3] + bits[at - 4]];
    out.Line(
        StrCat("  localparam logic [", words - 1, ":0] ", name, " = ", words, "'h", digits, ";"));
  };
  table("RegisterReads", [](Access access) { return access != Access::kWrite; });
  table("RegisterWrites", [](Access access) { return access != Access::kRead; });
}

void WriteRegisters(PackageWriter& out) {
  out.Title("Registers.");
  for (const RegisterSpec& row : kRegisters)
    out.Bits("Reg" + CamelName(row.name), kRegisterAddressBits, static_cast<uint64_t>(row.offset));
  out.Int("RegisterAddressBits", kRegisterAddressBits);
  WriteRegisterTables(out);
  out.Bits("HardwareId", 32, kHardwareId);
  out.Int("ModuleRegisters", kModuleRegisters);
  out.Int("Counters", kHardwareCounters);
  for (const NamedCode& row : kCounterCodes) out.Int("Counter" + CamelName(row.name), row.code);
}

void WriteDerived(PackageWriter& out, const Config& config, uint64_t timing_hash) {
  const int64_t beat = config.uarch.bus_bits / 8;
  const LogDepths depths = DepthsOf(config.arch);
  out.Title("Derived sizes.");
  out.Int("UopIndexBits", depths.uop);
  out.Int("InpIndexBits", depths.inp);
  out.Int("WgtIndexBits", depths.wgt);
  out.Int("AccIndexBits", depths.acc);
  out.Int("SrcIndexBits", std::max(depths.inp, depths.acc));
  out.Int("InpBits", static_cast<int64_t>(config.inp_bytes() * 8));
  out.Int("WgtBits", static_cast<int64_t>(config.wgt_bytes() * 8));
  out.Int("AccBits", static_cast<int64_t>(config.acc_bytes() * 8));
  out.Int("OutBits", static_cast<int64_t>(config.out_bytes() * 8));
  out.Int("Lanes", config.arch.batch * config.arch.block_out);
  for (const MemorySpec& row : kMemories)
    out.Int("LogBytes" + CamelName(row.name), Log2(row.dram_element_bytes(config)));
  out.Int("LogBeatBytes", Log2(beat));
  out.Int("BurstBeats", BurstBeats(config));
  out.Int("FetchBeats", FetchBeats(config));
  out.Int("FetchBurst", FetchBurstBeats(config));
  out.Int("AddressBits", kAddressBits);
  out.Int("HasSet", config.has_set());
  out.Int("HasLong", config.arch.mul || config.arch.requant);
  out.Bits("ArchHash", 64, ArchHash(config));
  out.Bits("TimingHash", 64, timing_hash);
  out.Title("Timing (isa/spec/timing.h).");
  out.Int("LongStages", timing::kLongStages);
  out.Int("LongOverlapCycles", timing::kLongOverlapCycles);
  out.Int("PendingInstructions", timing::kPendingInstructions);
  out.Int("OlderInstructions", timing::kOlderInstructions);
  out.Int("KernelUops", timing::kKernelUops);
  out.Int("OutstandingWrites", timing::kOutstandingWrites);
  out.Int("QuietCycles", timing::kQuietCycles);
}

}  // namespace

int64_t BurstBeats(const Config& config) {
  return std::min(config.uarch.max_burst_beats,
                  timing::kBurstBoundaryBytes / (config.uarch.bus_bits / 8));
}

int64_t FetchBeats(const Config& config) {
  return std::max<int64_t>(
      config.uarch.fetch_buffer_instructions * kInstructionBytes * 8 / config.uarch.bus_bits, 4);
}

int64_t FetchBurstBeats(const Config& config) {
  return std::min(BurstBeats(config), FetchBeats(config) / 2);
}

void CheckHardware(const Config& config, const std::string& file) {
  const int64_t beat = config.uarch.bus_bits / 8;
  if (beat > config.wgt_bytes())
    throw Error(file, "uarch.bus_bits", std::to_string(config.uarch.bus_bits),
                StrCat("a beat of ", Counted(beat, "byte"), " is wider than a weight element of ",
                       config.wgt_bytes()));
  const int64_t uops = config.uarch.bus_bits / kUopBits;
  if (config.arch.uop_depth < 2 * uops)
    throw Error(file, "arch.uop_depth", std::to_string(config.arch.uop_depth),
                StrCat("must be at least ", 2 * uops, ": two rows of the micro-ops of a beat"));
}

std::string SystemVerilogPackage(const Config& config) {
  return SystemVerilogPackage(config, TimingHash(config));
}

std::string SystemVerilogPackage(const Config& config, uint64_t timing_hash) {
  PackageWriter out;
  const Layout layout(config);
  out.Line("// A design of one config uses a part of what the contract names.");
  out.Line("/* verilator lint_off UNUSEDPARAM */");
  out.Line("package vta_pkg;");
  out.Title("Parameters of the config.");
  WriteParameters(out, kArchParameters, config.arch);
  WriteParameters(out, kUarchParameters, config.uarch);
  WriteDerived(out, config, timing_hash);
  WriteCodes(out, config);
  out.Title("Instruction and micro-op fields.");
  for (const InstructionSpec& row : kInstructions)
    WriteFields(out, CamelName(row.name),
                Place(std::span<const InstructionField>(row.fields), config.arch));
  WriteFields(out, "Uop", layout.UopFields());
  WriteRegisters(out);
  out.Line("endpackage");
  out.Line("/* verilator lint_on UNUSEDPARAM */");
  return out.text_;
}

}  // namespace vta::isa
