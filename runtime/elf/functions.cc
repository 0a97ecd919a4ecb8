// The dynamic section and the symbols of an ELF file.
#include <algorithm>
#include <optional>

#include "isa/support/plural.h"
#include "runtime/elf/segments.h"

namespace vta::runtime {
namespace {

// Tags that not every elf.h has.
constexpr int64_t kRelr = 36, kRelrBytes = 35, kRelrEntry = 37;
constexpr int64_t kAarch64BtiPlt = 0x70000001, kAarch64PacPlt = 0x70000003,
                  kAarch64VariantPcs = 0x70000005;

// What a tag means for a module. One that is not in the table might change what the code does, so
// it is refused.
enum class Meaning { kUsed, kNothing, kNeeded, kRelocations, kConstructor };

struct TagRow {
  int64_t tag;
  const char* name;
  Meaning meaning;
};

constexpr TagRow kTags[] = {
    {DT_HASH, "DT_HASH", Meaning::kUsed},
    {DT_GNU_HASH, "DT_GNU_HASH", Meaning::kUsed},
    {DT_SYMTAB, "DT_SYMTAB", Meaning::kUsed},
    {DT_SYMENT, "DT_SYMENT", Meaning::kUsed},
    {DT_STRTAB, "DT_STRTAB", Meaning::kUsed},
    {DT_STRSZ, "DT_STRSZ", Meaning::kUsed},
    {DT_NEEDED, "DT_NEEDED", Meaning::kNeeded},
    {DT_AUXILIARY, "DT_AUXILIARY", Meaning::kNeeded},
    {DT_FILTER, "DT_FILTER", Meaning::kNeeded},
    {DT_VERNEED, "DT_VERNEED", Meaning::kNeeded},
    {DT_RELASZ, "DT_RELASZ", Meaning::kRelocations},
    {DT_RELSZ, "DT_RELSZ", Meaning::kRelocations},
    {DT_PLTRELSZ, "DT_PLTRELSZ", Meaning::kRelocations},
    {kRelrBytes, "DT_RELRSZ", Meaning::kRelocations},
    {DT_INIT, "DT_INIT", Meaning::kConstructor},
    {DT_INIT_ARRAY, "DT_INIT_ARRAY", Meaning::kConstructor},
    {DT_PREINIT_ARRAY, "DT_PREINIT_ARRAY", Meaning::kConstructor},
    {DT_FINI, "DT_FINI", Meaning::kConstructor},
    {DT_FINI_ARRAY, "DT_FINI_ARRAY", Meaning::kConstructor},
    {DT_RELA, "DT_RELA", Meaning::kNothing},  // its size says whether there are any
    {DT_RELAENT, "DT_RELAENT", Meaning::kNothing},
    {DT_RELACOUNT, "DT_RELACOUNT", Meaning::kNothing},
    {DT_REL, "DT_REL", Meaning::kNothing},
    {DT_RELENT, "DT_RELENT", Meaning::kNothing},
    {DT_RELCOUNT, "DT_RELCOUNT", Meaning::kNothing},
    {DT_JMPREL, "DT_JMPREL", Meaning::kNothing},
    {DT_PLTREL, "DT_PLTREL", Meaning::kNothing},
    {kRelr, "DT_RELR", Meaning::kNothing},
    {kRelrEntry, "DT_RELRENT", Meaning::kNothing},
    {DT_PLTGOT, "DT_PLTGOT", Meaning::kNothing},
    {DT_SONAME, "DT_SONAME", Meaning::kNothing},
    {DT_SYMBOLIC, "DT_SYMBOLIC", Meaning::kNothing},
    {DT_BIND_NOW, "DT_BIND_NOW", Meaning::kNothing},
    {DT_FLAGS, "DT_FLAGS", Meaning::kNothing},
    {DT_FLAGS_1, "DT_FLAGS_1", Meaning::kNothing},
    {DT_DEBUG, "DT_DEBUG", Meaning::kNothing},
    {kAarch64BtiPlt, "DT_AARCH64_BTI_PLT", Meaning::kNothing},
    {kAarch64PacPlt, "DT_AARCH64_PAC_PLT", Meaning::kNothing},
    {kAarch64VariantPcs, "DT_AARCH64_VARIANT_PCS", Meaning::kNothing},
};

struct Tables {
  std::optional<uint64_t> hash, gnu_hash, symbols, strings, string_bytes;
};

[[noreturn]] void Fail(const ElfView& view, const std::string& what, const std::string& value,
                       const std::string& rule) {
  throw Error(view.where, what, value, rule);
}

void CheckTag(const ElfView& view, const Elf64_Dyn& entry) {
  const auto row = std::ranges::find(kTags, entry.d_tag, &TagRow::tag);
  if (row == std::end(kTags))
    Fail(view, "dynamic tag", Hex(static_cast<uint64_t>(entry.d_tag)),
         "is not one that a module may have");
  const std::string value = Hex(entry.d_un.d_val);
  switch (row->meaning) {
    case Meaning::kUsed:
    case Meaning::kNothing:
      return;
    case Meaning::kNeeded:
      Fail(view, row->name, value, "a module needs no library");
    case Meaning::kConstructor:
      Fail(view, row->name, value, "a module has no constructors or destructors");
    case Meaning::kRelocations:
      if (entry.d_un.d_val > 0)
        Fail(view, row->name, Counted(entry.d_un.d_val, "byte"), "a module has no relocations");
  }
}

Tables ReadTags(const ElfView& view) {
  std::span<const uint8_t> bytes = view.From(view.dynamic.p_vaddr);
  if (bytes.size() < view.dynamic.p_filesz)
    Fail(view, "dynamic section",
         StrCat(Counted(view.dynamic.p_filesz, "byte"), " at ", Hex(view.dynamic.p_vaddr)),
         "must lie in the file's part of a segment");
  bytes = bytes.first(view.dynamic.p_filesz);
  Tables tables;
  for (int64_t i = 0; i < RecordCount<Elf64_Dyn>(bytes, view.wide); ++i) {
    const Elf64_Dyn entry = ReadRecord<Elf64_Dyn>(bytes, i, view.wide);
    if (entry.d_tag == DT_NULL) return tables;
    CheckTag(view, entry);
    if (entry.d_tag == DT_HASH) tables.hash = entry.d_un.d_ptr;
    if (entry.d_tag == DT_GNU_HASH) tables.gnu_hash = entry.d_un.d_ptr;
    if (entry.d_tag == DT_SYMTAB) tables.symbols = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRTAB) tables.strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) tables.string_bytes = entry.d_un.d_val;
    if (const uint64_t size = RecordBytes<Elf64_Sym>(view.wide);
        entry.d_tag == DT_SYMENT && entry.d_un.d_val != size)
      Fail(view, "DT_SYMENT", StrCat(entry.d_un.d_val), StrCat("must be ", size));
  }
  Fail(view, "dynamic section", "", "must end with DT_NULL");
}

// Words of a hash table, which lies in one segment.
class HashTable {
 public:
  HashTable(const ElfView& view, const char* name, uint64_t address)
      : view_(view), name_(name), address_(address), bytes_(view.From(address)) {}

  /// Errors: throws Error where the table leaves its segment.
  uint32_t Word(int64_t index) const {
    if (index >= RecordCount<uint32_t>(bytes_, view_.wide))
      Fail(view_, name_, Hex(address_), "the table must lie in the file's part of a segment");
    return ReadRecord<uint32_t>(bytes_, index, view_.wide);
  }

 private:
  const ElfView& view_;
  const char* name_;
  uint64_t address_;
  std::span<const uint8_t> bytes_;
};

// Buckets and chains follow two words: the numbers of both, the latter that of all symbols.
int64_t CountByHash(const HashTable& table) {
  const int64_t buckets = table.Word(0), symbols = table.Word(1);
  if (symbols > 0) table.Word(2 + buckets + symbols - 1);
  return symbols;
}

// The table knows no count: the last symbol is the end of the last chain. A chain's last word has
// bit 0 set.
int64_t CountByGnuHash(const HashTable& table, bool wide) {
  const int64_t buckets = table.Word(0), first = table.Word(1), filter_words = table.Word(2);
  const int64_t bucket_at = 4 + filter_words * (wide ? 2 : 1);
  const int64_t chain_at = bucket_at + buckets;
  int64_t last = 0;
  for (int64_t i = 0; i < buckets; ++i) last = std::max<int64_t>(last, table.Word(bucket_at + i));
  if (last < first) return first;  // no chain: only symbols that nobody looks up
  while ((table.Word(chain_at + last - first) & 1) == 0) ++last;
  return last + 1;
}

int64_t CountSymbols(const ElfView& view, const Tables& tables) {
  if (tables.hash) return CountByHash(HashTable(view, "DT_HASH", *tables.hash));
  if (tables.gnu_hash)
    return CountByGnuHash(HashTable(view, "DT_GNU_HASH", *tables.gnu_hash), view.wide);
  Fail(view, "dynamic section", "", "must hold a DT_HASH or DT_GNU_HASH");
}

std::span<const uint8_t> Strings(const ElfView& view, const Tables& tables) {
  const std::span<const uint8_t> bytes = view.From(*tables.strings);
  if (bytes.size() < *tables.string_bytes)
    Fail(view, "DT_STRTAB",
         StrCat(Counted(*tables.string_bytes, "byte"), " at ", Hex(*tables.strings)),
         "must lie in the file's part of a segment");
  return bytes.first(*tables.string_bytes);
}

std::string NameOf(const ElfView& view, std::span<const uint8_t> strings, int64_t index,
                   uint32_t at) {
  const auto begin = strings.begin() + std::min<size_t>(at, strings.size());
  const auto end = std::find(begin, strings.end(), 0);
  if (end == strings.end())
    Fail(view, StrCat("symbol ", index, ", name"), StrCat(at),
         StrCat("must lie in the ", Counted(strings.size(), "byte"),
                " of DT_STRTAB, and end there"));
  return {begin, end};
}

// A kernel is called at its symbol: it must be code of the file, begun where the CPU begins.
ElfFunction FunctionOf(const ElfView& view, const Elf64_Sym& symbol, std::string name) {
  const bool thumb = view.arch.elf_machine == EM_ARM && (symbol.st_value & 1) != 0;
  const uint64_t address = symbol.st_value - thumb;
  const uint64_t alignment = view.arch.elf_machine == EM_X86_64 ? 1 : thumb ? 2 : 4;
  if (address % alignment != 0)
    Fail(view, StrCat("function '", name, "'"), Hex(symbol.st_value),
         StrCat("must begin at a multiple of ", alignment));
  const auto holds = [&](const Elf64_Phdr& segment) {
    const uint64_t at = address - segment.p_vaddr;
    return (segment.p_flags & PF_X) && address >= segment.p_vaddr && at < segment.p_filesz &&
           symbol.st_size <= segment.p_filesz - at;
  };
  if (std::ranges::none_of(view.segments, holds))
    Fail(view, StrCat("function '", name, "'"),
         StrCat(Counted(symbol.st_size, "byte"), " at ", Hex(symbol.st_value)),
         "must lie in the file's part of an executable segment");
  return {std::move(name), static_cast<int64_t>(address - view.first_address), thumb};
}

}  // namespace

std::vector<ElfFunction> ReadFunctions(const ElfView& view) {
  const Tables tables = ReadTags(view);
  if (!tables.symbols || !tables.strings || !tables.string_bytes)
    Fail(view, "dynamic section", "", "must hold DT_SYMTAB, DT_STRTAB and DT_STRSZ");
  const int64_t count = CountSymbols(view, tables);
  const std::span<const uint8_t> symbols = view.From(*tables.symbols);
  if (count > RecordCount<Elf64_Sym>(symbols, view.wide))
    Fail(view, "DT_SYMTAB", StrCat(count, " symbols at ", Hex(*tables.symbols)),
         "must lie in the file's part of a segment");
  const std::span<const uint8_t> strings = Strings(view, tables);
  std::vector<ElfFunction> functions;
  for (int64_t i = 1; i < count; ++i) {  // 0 is the null symbol
    const Elf64_Sym symbol = ReadRecord<Elf64_Sym>(symbols, i, view.wide);
    std::string name = NameOf(view, strings, i, symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF)
      Fail(view, StrCat("symbol '", name, "'"), "undefined", "a module imports nothing");
    const bool is_function =
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
    if (is_function) functions.push_back(FunctionOf(view, symbol, std::move(name)));
  }
  std::ranges::sort(functions, {}, &ElfFunction::name);
  const auto twice = std::ranges::adjacent_find(functions, {}, &ElfFunction::name);
  if (twice != functions.end())
    Fail(view, StrCat("function '", twice->name, "'"), "", "must be defined once");
  return functions;
}

}  // namespace vta::runtime
