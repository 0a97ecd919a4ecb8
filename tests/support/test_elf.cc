#include "tests/support/test_elf.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "isa/support/error.h"

namespace vta::test {
namespace {

std::vector<uint8_t> Words(std::initializer_list<uint32_t> words) {
  std::vector<uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.begin(), bytes.size());
  return bytes;
}

struct Code {
  std::vector<uint8_t> store_range, first_to_workspace;
};

Code CodeFor(std::string_view arch) {
  if (arch == "x86_64")
    return {{0x48, 0x8b, 0x07,        // movq (%rdi), %rax
             0x48, 0x89, 0x10,        // movq %rdx, (%rax)
             0x48, 0x89, 0x48, 0x08,  // movq %rcx, 8(%rax)
             0xc3},                   // retq
            {0x48, 0x89, 0x16,        // movq %rdx, (%rsi)
             0xc3}};
  if (arch == "aarch64")
    return {Words({0xf9400008,    // ldr x8, [x0]
                   0xa9000d02,    // stp x2, x3, [x8]
                   0xd65f03c0}),  // ret
            Words({0xf9000022,    // str x2, [x1]
                   0xd65f03c0})};
  return {Words({0xe5900000,        // ldr r0, [r0]
                 0xe89d1002,        // ldm sp, {r1, r12}
                 0xe880000c,        // stm r0, {r2, r3}
                 0xe5801008,        // str r1, [r0, #8]
                 0xe580c00c,        // str r12, [r0, #12]
                 0xe12fff1e}),      // bx lr
          {0xc1, 0xe9, 0x00, 0x23,  // strd r2, r3, [r1], in Thumb
           0x70, 0x47}};            // bx lr
}

/// A file that is written piece by piece, in words of its class.
class ElfWriter {
 public:
  explicit ElfWriter(bool wide) : wide_(wide) {}

  void At(uint64_t place) {
    VTA_CHECK(place >= bytes_.size(), "what lies before ", place, " is too long");
    bytes_.resize(place);
  }
  template <typename T>
  void Put(T value) {
    const auto* at = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), at, at + sizeof value);
  }
  void PutWord(uint64_t value) { wide_ ? Put(value) : Put(static_cast<uint32_t>(value)); }
  void PutBytes(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  bool wide_;
  std::vector<uint8_t> bytes_;
};

void PutHeader(ElfWriter& to, const Elf64_Ehdr& header) {
  to.PutBytes(header.e_ident);
  to.Put(header.e_type);
  to.Put(header.e_machine);
  to.Put(header.e_version);
  for (const uint64_t word : {header.e_entry, header.e_phoff, header.e_shoff}) to.PutWord(word);
  to.Put(header.e_flags);
  for (const uint16_t half : {header.e_ehsize, header.e_phentsize, header.e_phnum,
                              header.e_shentsize, header.e_shnum, header.e_shstrndx})
    to.Put(half);
}

void PutSegment(ElfWriter& to, const Elf64_Phdr& segment, bool wide) {
  to.Put(segment.p_type);
  if (wide) to.Put(segment.p_flags);
  for (const uint64_t word :
       {segment.p_offset, segment.p_vaddr, segment.p_paddr, segment.p_filesz, segment.p_memsz})
    to.PutWord(word);
  if (!wide) to.Put(segment.p_flags);
  to.PutWord(segment.p_align);
}

void PutSymbol(ElfWriter& to, const TestSymbol& symbol, uint32_t name, bool wide) {
  to.Put(name);
  if (!wide) to.PutWord(symbol.value);
  if (!wide) to.PutWord(symbol.size);
  to.Put(symbol.info);
  to.Put(uint8_t{0});
  to.Put(symbol.section);
  if (wide) to.PutWord(symbol.value);
  if (wide) to.PutWord(symbol.size);
}

// One chain of all symbols but the null one; hashes and filter are for who looks names up by them.
std::vector<uint32_t> HashOf(const TestElf& elf) {
  const auto symbols = static_cast<uint32_t>(elf.symbols.size());
  std::vector<uint32_t> words;
  if (!elf.gnu_hash) {
    words = {1, symbols + 1, symbols, 0};
    for (uint32_t i = 1; i <= symbols; ++i) words.push_back(i - 1);
    return words;
  }
  words = {1, 1, 1, 0};
  words.resize(words.size() + (elf.arch->elf_class == ELFCLASS64 ? 2 : 1), ~uint32_t{0});
  words.push_back(symbols == 0 ? 0 : 1);
  for (uint32_t i = 1; i <= symbols; ++i) words.push_back(2 * i + (i == symbols));
  return words;
}

}  // namespace

TestElf::TestElf(std::string_view arch_name) : arch(isa::FindCpuArch(arch_name)) {
  VTA_CHECK(arch, arch_name);
  const bool wide = arch->elf_class == ELFCLASS64;
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = arch->elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = arch->elf_machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = kSegmentsAt;
  header.e_flags = arch->elf_machine == EM_ARM ? EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD : 0;
  header.e_ehsize = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  header.e_phentsize = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

  const Code kernels = CodeFor(arch_name);
  code = kernels.store_range;
  const uint64_t second = kCode + code.size(), thumb = arch->elf_machine == EM_ARM;
  code.insert(code.end(), kernels.first_to_workspace.begin(), kernels.first_to_workspace.end());
  symbols = {{"store_range", kCode, kernels.store_range.size()},
             {"first_to_workspace", second + thumb, kernels.first_to_workspace.size()}};

  const uint64_t dynamic_bytes = kCodeAt - kDynamicAt;
  segments = {{PT_LOAD, PF_R, 0, 0, 0, kCodeAt, kCodeAt, kAlignment},
              {PT_LOAD, PF_R | PF_X, kCodeAt, kCode, kCode, code.size(), code.size(), kAlignment},
              {PT_DYNAMIC, PF_R, kDynamicAt, kDynamicAt, 0, dynamic_bytes, dynamic_bytes, 8},
              {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16}};
  header.e_phnum = static_cast<uint16_t>(segments.size());

  Tag(DT_SYMTAB) = kSymbolsAt;
  Tag(DT_SYMENT) = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  Tag(DT_STRTAB) = kStringsAt;
  Tag(DT_STRSZ) = kDynamicAt - kStringsAt;
}

std::vector<isa::PackageKernel> TestElf::Kernels() {
  return {{"store_range", 1, 0}, {"first_to_workspace", 1, 8}};
}

uint64_t& TestElf::Tag(int64_t tag) {
  auto found = std::ranges::find(dynamic, tag, &Elf64_Dyn::d_tag);
  if (found == dynamic.end()) found = dynamic.insert(found, {tag, {0}});
  return found->d_un.d_val;
}

std::vector<uint8_t> TestElf::Bytes() const {
  const bool wide = arch->elf_class == ELFCLASS64;
  ElfWriter to(wide);
  PutHeader(to, header);
  to.At(kSegmentsAt);
  for (const Elf64_Phdr& segment : segments) PutSegment(to, segment, wide);
  to.At(kSymbolsAt);
  PutSymbol(to, {"", 0, 0, 0, SHN_UNDEF}, 0, wide);
  std::string names(1, '\0');
  for (const TestSymbol& symbol : symbols) {
    PutSymbol(to, symbol, static_cast<uint32_t>(names.size()), wide);
    names += symbol.name + '\0';
  }
  to.At(kHashAt);
  for (const uint32_t word : hash.empty() ? HashOf(*this) : hash) to.Put(word);
  to.At(kStringsAt);
  to.PutBytes({reinterpret_cast<const uint8_t*>(names.data()), names.size()});
  to.At(kDynamicAt);
  std::vector<Elf64_Dyn> tags = dynamic;
  tags.push_back({gnu_hash ? DT_GNU_HASH : DT_HASH, {kHashAt}});
  tags.push_back({DT_NULL, {0}});
  for (const Elf64_Dyn& tag : tags) {
    to.PutWord(static_cast<uint64_t>(tag.d_tag));
    to.PutWord(tag.d_un.d_val);
  }
  to.At(kCodeAt);
  to.PutBytes(code);
  return to.Take();
}

isa::PackageModule TestElf::Module() const { return {"elf", std::string(arch->name), {}, Bytes()}; }

}  // namespace vta::test
