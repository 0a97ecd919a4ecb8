#include "isa/asm/assembler.h"

#include <algorithm>

#include "isa/asm/text.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

// A section without an address starts at the next multiple of this: any element may lie there.
constexpr uint64_t kSectionAlignment = 4096;

struct SectionSpec {
  std::string_view directive;
  SectionKind kind;
  uint64_t alignment;
  bool once;
};
constexpr SectionSpec kSections[] = {
    {".code", SectionKind::kCode, kInstructionBytes, true},
    {".uop", SectionKind::kUop, kUopBits / 8, false},
    {".data", SectionKind::kData, 1, false},
    {".package", SectionKind::kManifest, 1, true},
    {".modules", SectionKind::kModules, 1, true},
};

struct DataSpec {
  std::string_view directive;
  int bytes;
  int64_t low, high;
};
constexpr DataSpec kData[] = {
    {".byte", 1, -128, 255},
    {".int", 4, -(int64_t{1} << 31), (int64_t{1} << 32) - 1},
};

Json OverrideValue(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const std::optional<int64_t> number = ParseInteger(text)) return *number;
  return std::string(text);
}

// Sets "section.key" in the JSON form of a config.
void Override(Json& config, std::string_view key, const Json& value) {
  const size_t dot = key.find('.');
  for (auto& [name, member] : *config.as_object()) {
    if (name == key) return void(member = value);
    if (dot != key.npos && name == key.substr(0, dot) && member.as_object())
      return Override(member, key.substr(dot + 1), value);
  }
  config.Set(std::string(key), value);
}

}  // namespace

Assembler::Assembler(std::string file, const Config& config, const ConfigLoader& load_config)
    : file_(std::move(file)), config_(config), load_config_(load_config) {}

void Assembler::Line(std::string_view line) {
  where_ = StrCat(file_, ":", ++line_);
  if (const size_t bar = line.find_first_not_of(" \t"); bar != line.npos && line[bar] == '|')
    return Verbatim(line.substr(bar + 1));
  Words words = SplitWords(line);
  while (!words.empty() && words[0].ends_with(':')) {
    DefineLabel(words[0].substr(0, words[0].size() - 1));
    words.erase(words.begin());
  }
  if (words.empty()) return;
  if (words[0].starts_with('.') && words[0] != ".word") return Directive(words);
  Encoded(words);
}

void Assembler::DefineLabel(std::string_view name) {
  if (!IsIdentifier(name))
    throw Error(where_, "label", std::string(name), "must be letters, digits and _");
  const size_t offset = Current().bytes.size();
  const auto [at, is_new] =
      marks_.try_emplace(std::string(name), Mark{where_, drafts_.size() - 1, offset});
  if (!is_new)
    throw Error(where_, "label", std::string(name),
                "is defined at " + at->second.where + " already");
}

void Assembler::Directive(const Words& words) {
  if (words[0] == ".config") return ConfigLine(words);
  std::string names = ".config, .word, .space";
  for (const SectionSpec& row : kSections) {
    if (words[0] == row.directive) return OpenSection(row.kind, words);
    names += StrCat(", ", row.directive);
  }
  if (words[0] == ".space") return Data(words);
  for (const DataSpec& row : kData) {
    if (words[0] == row.directive) return Data(words);
    names += StrCat(", ", row.directive);
  }
  throw Error(where_, "directive", std::string(words[0]), "must be one of " + names);
}

void Assembler::ConfigLine(const Words& words) {
  config_line_ = true;
  if (!drafts_.empty())
    throw Error(where_, ".config", "", "must stand before all instructions, data and labels");
  size_t next = 1;
  if (words.size() > 1 && words[1].find('=') == std::string_view::npos) {
    try {
      config_ = load_config_(std::string(words[next++]));
    } catch (const Error& error) {
      throw error.In(where_);
    }
  }
  Json json = Json::Parse(ConfigToJson(config_), where_);
  for (; next < words.size(); ++next) {
    const size_t equals = words[next].find('=');
    if (equals == std::string_view::npos)
      throw Error(where_, ".config", std::string(words[next]), "needs NAME first, then key=value");
    Override(json, words[next].substr(0, equals), OverrideValue(words[next].substr(equals + 1)));
  }
  config_ = ParseConfig(json.Dump(), where_);
}

void Assembler::OpenSection(SectionKind kind, const Words& words) {
  const SectionSpec& spec = kSections[static_cast<int>(kind)];
  if (spec.once)
    for (const Draft& draft : drafts_)
      if (draft.section.kind == kind)
        throw Error(where_, std::string(spec.directive), "",
                    "stands at " + draft.where + " already");
  if (kind == SectionKind::kManifest && config_line_)
    throw Error(where_, ".package", "", "names its own config: .config must not stand before it");
  Draft draft{where_, words.size() > 1, {kind, 0, {}}};
  const size_t most = InMemory(kind) ? 2 : 1;
  if (words.size() > most)
    throw Error(where_, std::string(words[0]), std::string(words[most]),
                most == 2 ? "takes one address" : "lies in no memory: it takes no address");
  if (draft.placed)
    draft.section.address =
        static_cast<uint64_t>(IntegerIn(words[1], 0, AddressEnd() - 1, where_, words[0]));
  if (draft.section.address % spec.alignment != 0)
    throw Error(where_, std::string(words[0]), std::string(words[1]),
                StrCat("must be a multiple of ", spec.alignment));
  drafts_.push_back(std::move(draft));
  has_package_ |= kind == SectionKind::kManifest;
}

/// The image's end; or what no arena and the code after it reach, as a package is no image.
uint64_t Assembler::AddressEnd() const {
  constexpr uint64_t kPackageEnd = uint64_t{1} << 33;
  return has_package_ ? kPackageEnd : kMaximumImageBytes;
}

// Instructions may come without a .code line.
Section& Assembler::Current() {
  if (drafts_.empty()) OpenSection(SectionKind::kCode, {});
  return drafts_.back().section;
}

void Assembler::Count(int64_t bytes) {
  total_bytes_ += static_cast<uint64_t>(bytes);
  if (total_bytes_ > kMaximumImageBytes)
    throw Error(where_, "program", Counted(total_bytes_, "byte"),
                StrCat("must be at most ", kMaximumImageBytes));
}

// A line of a text that the package holds, after "| ".
void Assembler::Verbatim(std::string_view text) {
  if (drafts_.empty() || InMemory(Current().kind))
    throw Error(where_, "|", "", "belongs after .package or .modules");
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);  // of a line that ends in CR LF
  Count(static_cast<int64_t>(text.size()) + 1);
  std::vector<uint8_t>& out = Current().bytes;
  out.insert(out.end(), text.begin(), text.end());
  out.push_back('\n');
}

void Assembler::Append(int64_t value, int64_t count, int bytes) {
  Count(count * bytes);
  std::vector<uint8_t>& out = Current().bytes;
  if (bytes == 1) return void(out.insert(out.end(), count, static_cast<uint8_t>(value)));
  for (int64_t n = 0; n < count; ++n)
    for (int b = 0; b < bytes; ++b) out.push_back(static_cast<uint8_t>(value >> (8 * b)));
}

void Assembler::Data(const Words& words) {
  if (drafts_.empty() || Current().kind == SectionKind::kCode ||
      Current().kind == SectionKind::kUop)
    throw Error(where_, std::string(words[0]), "", "belongs into a .data section");
  constexpr int64_t kMost = kMaximumImageBytes;
  if (words[0] == ".space") {
    if (words.size() != 2) throw Error(where_, ".space", "", "takes one number of bytes");
    return Append(0, IntegerIn(words[1], 0, kMost, where_, ".space"), 1);
  }
  for (const DataSpec& row : kData) {
    if (row.directive != words[0]) continue;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t star = words[i].find('*');
      const int64_t count = star == std::string_view::npos
                                ? 1
                                : IntegerIn(words[i].substr(star + 1), 0, kMost, where_, "count");
      Append(IntegerIn(words[i].substr(0, star), row.low, row.high, where_, row.directive), count,
             row.bytes);
    }
  }
}

void Assembler::Encoded(const Words& words) {
  const SectionKind kind = Current().kind;
  if (kind == SectionKind::kData)
    throw Error(where_, std::string(words[0]), "", "a .data section holds .byte, .int and .space");
  if (!InMemory(kind))
    throw Error(where_, std::string(words[0]), "",
                StrCat("a ", kSections[static_cast<int>(kind)].directive,
                       " section holds lines that begin with |, and data"));
  statements_.push_back({where_, drafts_.size() - 1, Current().bytes.size(), words});
  Append(0, kind == SectionKind::kCode ? kInstructionBytes : kUopBits / 8, 1);
}

void Assembler::Place() {
  uint64_t next = 0;
  for (Draft& draft : drafts_) {
    Section& section = draft.section;
    if (!InMemory(section.kind)) continue;
    if (!draft.placed) section.address = next;
    const uint64_t end = section.address + section.bytes.size();
    if (end > AddressEnd())
      throw Error(draft.where, "section", StrCat("end ", Hex(end)),
                  StrCat("must end below ", Hex(AddressEnd())));
    next = (end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
  }
}

void Assembler::CheckOverlap() const {
  std::vector<const Draft*> order;
  for (const Draft& draft : drafts_)
    if (InMemory(draft.section.kind) && !draft.section.bytes.empty()) order.push_back(&draft);
  std::stable_sort(order.begin(), order.end(), [](const Draft* a, const Draft* b) {
    return a->section.address < b->section.address;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const Section& before = order[i - 1]->section;
    const uint64_t end = before.address + before.bytes.size();
    if (end > order[i]->section.address)
      throw Error(
          order[i]->where, "section", Hex(order[i]->section.address),
          StrCat("lies inside that of ", order[i - 1]->where, ", which ends at ", Hex(end)));
  }
}

void Assembler::Encode(Program& program) const {
  const Syntax syntax{Layout(config_)};
  const auto lookup = [&](std::string_view name) -> std::optional<uint64_t> {
    const uint64_t* address = program.FindLabel(name);
    return address ? std::optional(*address) : std::nullopt;
  };
  for (const Statement& statement : statements_) {
    Section& section = program.sections[statement.section];
    uint8_t* bytes = section.bytes.data() + statement.offset;
    if (section.kind == SectionKind::kCode) {
      StoreWord(syntax.Parse(statement.words, statement.where, lookup), bytes);
    } else {
      const uint32_t uop = syntax.ParseUop(statement.words, statement.where);
      for (int b = 0; b < kUopBits / 8; ++b) bytes[b] = static_cast<uint8_t>(uop >> (8 * b));
    }
  }
}

void Assembler::TakeConfigOfPackage() {
  std::span<const uint8_t> modules;
  for (const Draft& draft : drafts_)
    if (draft.section.kind == SectionKind::kModules) modules = draft.section.bytes;
  for (const Draft& draft : drafts_) {
    if (draft.section.kind == SectionKind::kModules && !has_package_)
      throw Error(draft.where, ".modules", "", "belongs to a package: there is no .package");
    if (draft.section.kind == SectionKind::kManifest)
      config_ = ParseManifest({reinterpret_cast<const char*>(draft.section.bytes.data()),
                               draft.section.bytes.size()},
                              modules, StrCat(draft.where, ": manifest"))
                    .config.value_or(config_);
  }
}

Program Assembler::Finish() {
  TakeConfigOfPackage();
  Place();
  CheckOverlap();
  Program program{config_, {}, {}};
  for (const Draft& draft : drafts_) program.sections.push_back(draft.section);
  for (const auto& [name, mark] : marks_)
    program.labels[name] = drafts_[mark.section].section.address + mark.offset;
  Encode(program);
  return program;
}

}  // namespace vta::isa
