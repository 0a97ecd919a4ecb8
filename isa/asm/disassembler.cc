// Whole programs as text, and programs found in images.
#include "isa/asm/disassembler.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "isa/asm.h"
#include "isa/asm/syntax.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

constexpr size_t kBytesInLine = 16;
constexpr size_t kUopBytes = kUopBits / 8;

void PrintCode(const Syntax& syntax, const Program& program, const Section& section, bool number,
               std::string& out) {
  const Layout layout(program.config);
  const std::vector<Word> words = WordsOf(section.bytes);
  std::multimap<uint64_t, std::string_view> labels;
  for (const auto& [name, address] : program.labels) labels.emplace(address, name);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [first, last] = labels.equal_range(section.address + i * kInstructionBytes);
    for (auto at = first; at != last; ++at) out += StrCat(at->second, ":\n");
    std::string line = syntax.Print(words[i]);
    std::string note = number ? std::to_string(i) : "";
    const Fault fault = DecodeFault(program.config, Decode(layout, words[i]));
    if (fault != Fault::kNone) note += StrCat(number ? ": " : "", Spec(fault).name);
    if (!note.empty()) line += "  # " + note;
    out += line + "\n";
  }
}

void PrintUops(const Syntax& syntax, const Section& section, std::string& out) {
  for (size_t at = 0; at + kUopBytes <= section.bytes.size(); at += kUopBytes) {
    uint32_t word;
    std::memcpy(&word, section.bytes.data() + at, kUopBytes);
    out += syntax.PrintUop(word) + "\n";
  }
}

// Lines of bytes; two lines or more of nothing but 0 become one .space.
void PrintData(std::span<const uint8_t> bytes, std::string& out) {
  while (!bytes.empty()) {
    const auto used = std::find_if(bytes.begin(), bytes.end(), [](uint8_t b) { return b != 0; });
    const size_t zeros = static_cast<size_t>(used - bytes.begin());
    size_t count = zeros == bytes.size() ? zeros : zeros / kBytesInLine * kBytesInLine;
    if (count >= 2 * kBytesInLine) {
      out += StrCat(".space ", count, "\n");
    } else {
      count = std::min(bytes.size(), kBytesInLine);
      out += ".byte";
      for (size_t i = 0; i < count; ++i) out += StrCat(" ", static_cast<int>(bytes[i]));
      out += "\n";
    }
    bytes = bytes.subspan(count);
  }
}

// A line after "| " for each line of text; the rest, and what is no text, as data.
void PrintText(std::span<const uint8_t> bytes, std::string& out) {
  const auto plain = [](uint8_t b) { return b == '\n' || (b >= ' ' && b < 127); };
  if (!std::ranges::all_of(bytes, plain)) return PrintData(bytes, out);
  while (!bytes.empty()) {
    const auto end = std::ranges::find(bytes, '\n');
    if (end == bytes.end()) return PrintData(bytes, out);
    const std::string_view line(reinterpret_cast<const char*>(bytes.data()), end - bytes.begin());
    out += StrCat(line.empty() ? "|" : "| ", line, "\n");
    bytes = bytes.subspan(line.size() + 1);
  }
}

}  // namespace

std::string Disassemble(const Layout& layout, Word word) { return Syntax(layout).Print(word); }

std::string DisassembleUop(const Layout& layout, uint32_t word) {
  return Syntax(layout).PrintUop(word);
}

std::string Disassemble(const Program& program, bool number) {
  constexpr std::string_view kDirectives[] = {".code", ".uop", ".data", ".package", ".modules"};
  const Syntax syntax{Layout(program.config)};
  std::string out;
  for (const Section& section : program.sections) {
    const bool placed = InMemory(section.kind);
    out += StrCat(kDirectives[static_cast<int>(section.kind)], placed ? " " : "",
                  placed ? Hex(section.address) : "", "\n");
    if (section.kind == SectionKind::kCode) PrintCode(syntax, program, section, number, out);
    if (section.kind == SectionKind::kUop) PrintUops(syntax, section, out);
    if (section.kind == SectionKind::kData) PrintData(section.bytes, out);
    if (!placed) PrintText(section.bytes, out);
  }
  return out;
}

std::map<uint64_t, uint64_t> UopTables(const Config& config, std::span<const Word> words) {
  const Layout layout(config);
  std::map<uint64_t, uint64_t> tables;
  for (const Word& word : words) {
    const Instruction insn = Decode(layout, word);
    // Rows that a stride separates are seldom and could be millions.
    if (insn.opcode == static_cast<int64_t>(Opcode::kLoad) &&
        insn.memory_type == static_cast<int64_t>(MemoryType::kUop) &&
        (insn.y_size == 1 || insn.x_stride == insn.x_size)) {
      uint64_t& end = tables[insn.dram_base * kUopBytes];
      end = std::max<uint64_t>(end, (insn.dram_base + insn.y_size * insn.x_size) * kUopBytes);
    }
  }
  return tables;
}

Program ProgramInImage(const Config& config, const std::vector<uint8_t>& image, uint64_t address,
                       int64_t count) {
  if (address > image.size() || count < 0 ||
      static_cast<uint64_t>(count) > (image.size() - address) / kInstructionBytes)
    throw Error("image", "instructions", StrCat(count, " at ", Hex(address)),
                StrCat("must lie inside its ", Counted(image.size(), "byte")));
  const auto part = [&](uint64_t from, uint64_t to) {
    return std::vector<uint8_t>(image.begin() + from, image.begin() + to);
  };
  Program program{config, {}, {}};
  program.sections.push_back(
      {SectionKind::kCode, address, part(address, address + count * kInstructionBytes)});
  const auto tables = UopTables(config, WordsOf(program.sections[0].bytes));
  const uint64_t code_end = address + count * kInstructionBytes;
  uint64_t shown = 0;
  for (const auto& [table_begin, table_end] : tables) {
    const uint64_t begin = std::max(table_begin, shown);
    const uint64_t end = std::min<uint64_t>(table_end, image.size() / kUopBytes * kUopBytes);
    if (begin >= end || (begin < code_end && address < end)) continue;
    if (program.sections.size() == 1 || begin != shown)
      program.sections.push_back({SectionKind::kUop, begin, {}});
    const std::vector<uint8_t> bytes = part(begin, end);
    auto& out = program.sections.back().bytes;
    out.insert(out.end(), bytes.begin(), bytes.end());
    shown = end;
  }
  return program;
}

}  // namespace vta::isa
