#include "compiler/llvm/check_module.h"

#include <elf.h>

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "isa/support/error.h"

namespace vta::compiler::llvm {
namespace {

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
  using Symbol = Elf32_Sym;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
  using Symbol = Elf64_Sym;
};

[[noreturn]] void Fail(const std::string& what, const std::string& value, const std::string& rule) {
  throw Error("module", what, value, rule);
}

/// The first segment is mapped from the file's start, and all that is read here lies in it: an
/// address is an offset.
template <typename Elf>
class Checker {
 public:
  explicit Checker(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  void Run(std::span<const lower::Kernel> kernels) {
    const auto header = Read<typename Elf::Header>(0);
    std::map<int64_t, uint64_t> dynamic;
    for (int i = 0; i < header.e_phnum; ++i) {
      const auto segment =
          Read<typename Elf::Segment>(header.e_phoff + i * sizeof(typename Elf::Segment));
      if (segment.p_type == PT_TLS) Fail("segment", "thread-local", "must not be there");
      const bool writes = (segment.p_flags & PF_W) != 0, runs = (segment.p_flags & PF_X) != 0;
      if (segment.p_type == PT_LOAD && writes) Fail("segment", "writable", "must not be there");
      if (segment.p_type == PT_GNU_STACK && runs) Fail("stack", "executable", "must not be");
      if (segment.p_type != PT_DYNAMIC) continue;
      for (uint64_t at = 0; at + sizeof(typename Elf::Dynamic) <= segment.p_filesz;
           at += sizeof(typename Elf::Dynamic)) {
        const auto entry = Read<typename Elf::Dynamic>(segment.p_offset + at);
        dynamic[entry.d_tag] = entry.d_un.d_val;
      }
    }
    constexpr std::pair<int64_t, const char*> kNever[] = {
        {DT_NEEDED, "a library"},      {DT_REL, "relocations"},   {DT_RELA, "relocations"},
        {DT_RELR, "relocations"},      {DT_JMPREL, "imports"},    {DT_TEXTREL, "relocations"},
        {DT_INIT, "a constructor"},    {DT_FINI, "a destructor"}, {DT_INIT_ARRAY, "constructors"},
        {DT_FINI_ARRAY, "destructors"}};
    for (const auto& [tag, name] : kNever)
      if (dynamic.count(tag)) Fail("needs", name, "must need nothing");
    Symbols(dynamic, kernels);
  }

 private:
  template <typename T>
  T Read(uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value)
      Fail("offset", StrCat(offset), "lies outside the file");
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string Name(uint64_t offset) const {
    std::string name;
    while (const char ch = Read<char>(offset++)) name += ch;
    return name;
  }

  void Symbols(std::map<int64_t, uint64_t>& dynamic, std::span<const lower::Kernel> kernels) const {
    std::set<std::string> defined;
    const uint32_t count = Read<uint32_t>(dynamic[DT_HASH] + 4);
    for (uint32_t i = 1; i < count; ++i) {
      const auto symbol =
          Read<typename Elf::Symbol>(dynamic[DT_SYMTAB] + i * sizeof(typename Elf::Symbol));
      const std::string name = Name(dynamic[DT_STRTAB] + symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF) Fail("symbol", name, "is undefined");
      defined.insert(name);
    }
    for (const lower::Kernel& kernel : kernels)
      if (!defined.erase(kernel.function.name))
        Fail("kernel", kernel.function.name, "is not exported");
    if (!defined.empty()) Fail("symbol", *defined.begin(), "is no kernel, but exported");
  }

  std::span<const uint8_t> bytes_;
};

}  // namespace

void CheckModule(std::span<const uint8_t> module, std::span<const lower::Kernel> kernels) {
  if (module.size() < sizeof(Elf64_Ehdr)) Fail("size", StrCat(module.size()), "is no ELF file's");
  if (module[EI_CLASS] == ELFCLASS32)
    Checker<Elf32>(module).Run(kernels);
  else
    Checker<Elf64>(module).Run(kernels);
}

}  // namespace vta::compiler::llvm
