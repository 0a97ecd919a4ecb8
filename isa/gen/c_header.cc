#include "isa/gen/c_header.h"

#include "isa/gen/names.h"
#include "isa/gen/state_codes.h"
#include "isa/layout.h"
#include "isa/spec/faults.h"
#include "isa/spec/registers.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

class HeaderWriter {
 public:
  void Title(std::string_view text) { text_ += StrCat("\n/* ", text, " */\n"); }
  void Number(std::string_view name, int64_t value) { Define(name, std::to_string(value)); }
  void Word(std::string_view name, uint32_t value) { Define(name, Hex(value) + "u"); }
  void Long(std::string_view name, uint64_t value) { Define(name, Hex(value, 16) + "ull"); }
  const std::string& text() const { return text_; }

 private:
  void Define(std::string_view name, const std::string& value) {
    text_ += StrCat("#define VTA_", CapsName(name), " ", value, "\n");
  }

  std::string text_;
};

template <typename Section, size_t kRows>
void Parameters(HeaderWriter& out, const Parameter<Section> (&rows)[kRows],
                const Section& section) {
  for (const Parameter<Section>& row : rows) out.Number(row.key, section.*row.member);
}

template <size_t kRows, typename Spec>
void Codes(HeaderWriter& out, std::string_view prefix, const Spec (&rows)[kRows]) {
  for (const Spec& row : rows)
    out.Number(StrCat(prefix, "_", row.name), static_cast<int64_t>(row.code));
}

template <typename Record>
void Fields(HeaderWriter& out, std::string_view prefix,
            const std::vector<PlacedField<Record>>& fields) {
  for (const auto& field : fields) {
    if (!field.spec->member) continue;
    out.Number(StrCat(prefix, "_", field.spec->name, "_lsb"), field.low_bit);
    out.Number(StrCat(prefix, "_", field.spec->name, "_bits"), field.width);
  }
}

}  // namespace

std::string CHeader(const Config& config) {
  const Layout layout(config);
  HeaderWriter out;
  out.Title("What the ID and hash registers of this hardware read.");
  out.Word("hardware_id", kHardwareId);
  out.Long("arch_hash", ArchHash(config));
  out.Long("timing_hash", TimingHash(config));
  out.Title("Parameters of the config.");
  Parameters(out, kArchParameters, config.arch);
  Parameters(out, kUarchParameters, config.uarch);
  out.Title("Sizes in bytes: an instruction, an element of each memory type in DRAM.");
  out.Number("instruction_bytes", kInstructionBytes);
  for (const MemorySpec& row : kMemories)
    out.Number(StrCat(row.name, "_bytes"), row.dram_element_bytes(config));
  out.Title("Codes.");
  Codes(out, "op", kInstructions);
  Codes(out, "mem", kMemories);
  Codes(out, "alu", kAluOps);
  Codes(out, "mode", kModeTable);
  Codes(out, "fault", kFaults);
  out.Title("Fields: lowest bit in the 128-bit word (micro-op: 32-bit word), and width.");
  for (const InstructionSpec& row : kInstructions)
    Fields(out, row.name, Place(row.fields, config.arch));
  Fields(out, "uop", layout.UopFields());
  out.Title("Registers: byte offsets, and bits.");
  for (const RegisterSpec& row : kRegisters)
    out.Word(StrCat("reg_", row.name), static_cast<uint32_t>(row.offset));
  out.Word("control_start", kControlStart);
  out.Word("control_reset", kControlReset);
  out.Word("status_busy", kStatusBusy);
  out.Word("status_done", kStatusDone);
  out.Word("status_watchdog", kStatusWatchdog);
  out.Number("status_outcome_lsb", kStatusOutcomeLsb);
  out.Number("state_kind_lsb", kStateKindLsb);
  out.Number("state_wait_lsb", kStateWaitLsb);
  out.Number("state_queue_lsb", kStateQueueLsb);
  out.Number("state_fault_lsb", kStateFaultLsb);
  Codes(out, "outcome", kOutcomeCodes);
  Codes(out, "kind", kKindCodes);
  Codes(out, "wait", kWaitCodes);
  for (const QueueSpec& row : kQueueTable)
    out.Number(StrCat("queue_", QueueName(row)), static_cast<int64_t>(row.code));
  out.Title("Performance counters: how many, and the first of each kind.");
  out.Number("counters", kHardwareCounters);
  Codes(out, "counter", kCounterCodes);
  return StrCat("#ifndef VTA_CONFIG_H_\n#define VTA_CONFIG_H_\n", out.text(),
                "\n#endif /* VTA_CONFIG_H_ */\n");
}

}  // namespace vta::isa
