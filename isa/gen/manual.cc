#include "isa/gen/manual.h"

#include <vector>

#include "isa/gen/column_rule.h"
#include "isa/gen/markdown.h"
#include "isa/gen/names.h"
#include "isa/layout.h"
#include "isa/spec/faults.h"
#include "isa/spec/registers.h"
#include "isa/spec/requant.h"
#include "isa/spec/timing_table.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

std::string Extension(int64_t Arch::*flag) { return flag ? Code(FlagName(flag)) : ""; }

std::string Bits(int low, int width) {
  if (width == 0) return "none";
  return width == 1 ? StrCat(low) : StrCat(low, "-", low + width - 1);
}

/// A format: for each field its bits here, its first bit and width in general, its meaning.
template <typename Record>
std::string Fields(std::span<const FieldSpec<Record>> rows, const Arch& arch, int word_bits) {
  std::string out = Head({"bits", "field", "first bit", "width", "meaning"});
  ColumnRule position;
  std::string unused;
  int last = 0;
  const auto skip_to = [&](int bit) {
    if (last < bit) unused += StrCat(unused.empty() ? "" : ", ", Bits(last, bit - last));
  };
  for (const PlacedField<Record>& field : Place(rows, arch)) {
    const ColumnRule width = ColumnRule::Of(field.spec->width);
    if (field.spec->word == 1) position = ColumnRule(64);
    skip_to(field.low_bit);
    VTA_CHECK(position.Value(DepthsOf(arch)) == field.low_bit, field.spec->name);
    out += Row({Bits(field.low_bit, field.width), Code(field.spec->name), position.Text(),
                StrCat(width.Text(), field.spec->is_signed ? ", signed" : "",
                       field.spec->flag ? StrCat(", with ", Extension(field.spec->flag)) : ""),
                std::string(field.spec->meaning)});
    position += width;
    last = field.low_bit + field.width;
  }
  skip_to(word_bits);
  if (!unused.empty()) out += StrCat("\nReserved here, and ignored: ", unused, ".\n");
  return out + "\n";
}

std::string Columns(const Config& config) {
  const LogDepths d = DepthsOf(config.arch);
  return StrCat("U ", d.uop, ", I ", d.inp, ", W ", d.wgt, ", A ", d.acc);
}

std::string Instructions(const Config& config) {
  std::string out = "## Instructions\n\n" + Head({"opcode", "instruction", "does"});
  for (const InstructionSpec& row : kInstructions)
    out += Row({StrCat(static_cast<int>(row.code)), Code(row.name), std::string(row.meaning)});
  out +=
      "\nOther opcodes, and `set` on a config with none of its extensions, are faults. Words are "
      "16 bytes, "
      "little endian.\n\n";
  for (const InstructionSpec& row : kInstructions)
    out += StrCat("### ", row.name, "\n\n") + Fields(row.fields, config.arch, 128);
  return out + "### Micro-op\n\n4 bytes, little endian.\n\n" +
         Fields(std::span<const UopField>(kUopFields), config.arch, kUopBits);
}

std::string Modules() {
  std::string out = "## Modules and token queues\n\n" + Head({"module", "previous", "next"});
  for (const ModuleSpec& row : kModuleTable) {
    const int code = static_cast<int>(row.code);
    out += Row({Code(row.name), row.has_prev ? Code(kModuleTable[code - 1].name) : "",
                row.has_next ? Code(kModuleTable[code + 1].name) : ""});
  }
  out += "\n" + Head({"queue", "pushed by", "popped by"});
  for (const QueueSpec& row : kQueueTable) {
    const auto side = [](Module module, Module other) {
      return StrCat(Spec(module).name, ", ", other > module ? "next" : "prev");
    };
    out += Row({Code(row.name), side(row.from, row.to), side(row.to, row.from)});
  }
  return out + "\n";
}

std::string Memories(const Config& config) {
  std::string out =
      "## Memory types\n\n" + Head({"code", "type", "element bytes", "buffer", "loaded by",
                                    "stored", "pads", "extension", "holds"});
  for (const MemorySpec& row : kMemories) {
    std::string_view depth;
    for (const Parameter<Arch>& parameter : kArchParameters)
      if (parameter.member == row.depth) depth = parameter.key;
    out += Row({StrCat(static_cast<int>(row.code)), Code(row.name),
                StrCat(row.dram_element_bytes(config)),
                row.depth ? StrCat(Code(depth), " = ", config.arch.*row.depth) : "1",
                row.loadable ? Code(Spec(row.load_module).name) : "", row.storable ? "yes" : "",
                row.may_pad ? "yes" : "", Extension(row.flag), std::string(row.meaning)});
  }
  return out + "\n";
}

std::string AluOperations() {
  std::string out = "## ALU operations\n\n" + Head({"code", "operation", "extension", "does"});
  for (const AluOpSpec& row : kAluOps)
    out += Row({StrCat(static_cast<int>(row.code)), Code(row.name), Extension(row.flag),
                std::string(row.meaning)});
  out += StrCat("\nA parameter block of `requant` and `lut` is ", kRequantRows,
                " rows, lane by lane:\n\n") +
         Head({"row", "bits", "field", "is"});
  for (const RequantField& row : kRequantFields)
    out += Row({StrCat("src+", row.row), Bits(row.low_bit, row.width), Code(row.name),
                std::string(row.meaning)});
  return out + "\n";
}

std::string Modes() {
  std::string out = "## Modes\n\nA launch starts with each mode 0.\n\n" +
                    Head({"code", "mode", "values", "module", "extension", "is"});
  for (const ModeSpec& row : kModeTable)
    out += Row({StrCat(static_cast<int>(row.code)), Code(row.name), StrCat("0-", row.high),
                Code(Spec(row.module).name), Extension(row.flag), std::string(row.meaning)});
  return out + "\n";
}

std::string Faults() {
  std::string out = "## Faults\n\n" + Head({"code", "fault", "found", "when"});
  for (const FaultSpec& row : kFaults)
    if (row.code != Fault::kNone)
      out += Row({StrCat(static_cast<int>(row.code)), std::string(row.name),
                  row.at_decode ? "before tokens are popped" : "while it runs",
                  std::string(row.meaning)});
  return out + "\n";
}

std::string Timing() {
  std::string out =
      "## Timing\n\nThe numbers of `isa/spec/timing.h`, which RTL, cycle model and tests share; "
      "the "
      "rules around them stand there.\n\n" +
      Head({"number", "is", "unit", "what"});
  for (const timing::Number& row : timing::kNumbers)
    out +=
        Row({Code(row.name), StrCat(row.value), std::string(row.unit), std::string(row.meaning)});
  return out + "\n";
}

std::string Registers() {
  constexpr std::string_view kAccess[] = {"read", "write", "read, write", "write 1 to clear"};
  std::string out =
      StrCat("## Registers\n\n32 bits each, on AXI4-Lite. ", kRegisterAnswers, "\n\n") +
      Head({"offset", "register", "words", "access", "is"});
  for (const RegisterSpec& row : kRegisters)
    out += Row({Hex(static_cast<uint64_t>(row.offset), 3), Code(row.name), StrCat(row.count),
                std::string(kAccess[static_cast<int>(row.access)]), std::string(row.meaning)});
  return out + "\n";
}

template <typename Section, size_t kRows>
std::string Parameters(std::string_view name, const Parameter<Section> (&rows)[kRows],
                       const Section& section) {
  std::string out =
      StrCat("### ", name, "\n\n") + Head({"key", "here", "legal", "when absent", "unit", "is"});
  const Section absent;
  for (const Parameter<Section>& row : rows) {
    const auto value = [&](const Section& s) {
      const int64_t number = s.*row.member;
      if (row.kind == kFlag) return std::string(number ? "true" : "false");
      return row.kind == kChoice ? std::string(row.choices[number]) : StrCat(number);
    };
    std::string legal = StrCat(row.low, "-", row.high);
    if (row.kind == kPowerOfTwo) legal += ", a power of two";
    if (row.kind == kFlag) legal = "true, false";
    if (row.kind == kChoice) {
      legal.clear();
      for (int64_t i = row.low; i <= row.high; ++i)
        legal += StrCat(i == row.low ? "" : ", ", row.choices[i]);
    }
    out += Row({Code(row.key), value(section), legal, value(absent), std::string(row.unit),
                std::string(row.meaning)});
  }
  return out + "\n";
}

std::string Presets() {
  std::string out =
      "`preset` names a board. Its memory is what the keys of this section are when absent: times "
      "in "
      "clocks of `clock_mhz`, rounded up, and bytes a clock, rounded down. A bus wider than its "
      "port "
      "is refused.\n\n" +
      Head({"preset", "read, ns", "write, ns", "row miss, ns", "GB/s", "port, bits",
            Code("outstanding"), Code("banks"), Code("row_bytes"), "is"});
  const auto thousandth = [](int64_t value) { return StrCat(static_cast<double>(value) / 1000); };
  for (const MemoryPreset& preset : kMemoryPresets)
    out += Row({Code(preset.name), thousandth(preset.read_latency_ps),
                thousandth(preset.write_latency_ps), thousandth(preset.row_miss_ps),
                thousandth(preset.mb_per_s), StrCat(preset.port_bits), StrCat(preset.outstanding),
                StrCat(preset.banks), StrCat(preset.row_bytes), std::string(preset.meaning)});
  return out + "\n";
}

}  // namespace

std::string Manual(const Config& config) {
  std::string out = "# ISA manual\n\n";
  out += StrCat(
      "Every instruction, field, operation, fault, register and parameter of VTA, with the bit "
      "positions of the config ",
      Code(config.name),
      ". What a machine does with them, bit pattern by bit pattern, is in "
      "[the contract](../isa/README.md); how they are written as text in "
      "[assembly.md](assembly.md).\n\n");
  out += StrCat(
      "Positions depend on the config by four columns: U, I, W and A are the base-2 logarithms of "
      "the depths of the "
      "micro-op, input, weight and accumulator buffers. Here ",
      Columns(config), ". The columns *first bit* and *width* give the general rule.\n\n");
  out += Instructions(config) + Modules() + Memories(config) + AluOperations() + Modes() +
         Faults() + Registers() + Timing() +
         "## Parameters\n\nThe keys of a config file, by section.\n\n" +
         Parameters("arch", kArchParameters, config.arch) +
         Parameters("uarch", kUarchParameters, config.uarch) +
         Parameters("memory", kMemoryParameters, config.memory) + Presets();
  out.pop_back();
  return out;
}

}  // namespace vta::isa
