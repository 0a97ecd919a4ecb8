// Everything that a kernel module may not be, each with its error; on every architecture's files,
// of which none runs.
#include "runtime/elf/file.h"

#include <gtest/gtest.h>

#include <functional>

#include "isa/support/error.h"
#include "tests/support/test_elf.h"

namespace vta::runtime {
namespace {

using test::TestElf;

ElfFile Parse(const TestElf& elf) { return ParseElf(elf.Bytes(), *elf.arch, "m"); }

std::string ErrorOf(const TestElf& elf) {
  try {
    Parse(elf);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

class ElfFileOf : public testing::TestWithParam<const char*> {};

TEST_P(ElfFileOf, SaysWhatToLoadAndWhereKernelsAre) {
  for (const bool gnu_hash : {true, false}) {
    TestElf elf(GetParam());
    elf.gnu_hash = gnu_hash;
    const ElfFile file = Parse(elf);
    ASSERT_EQ(file.segments.size(), 2u);
    const ElfSegment& code = file.segments[1];
    EXPECT_EQ(code.begin_bytes, 0x10500);
    EXPECT_EQ(code.file_offset, 0x500);
    EXPECT_EQ(code.file_bytes, static_cast<int64_t>(elf.code.size()));
    EXPECT_TRUE(code.readable && code.executable && !code.writable);
    EXPECT_FALSE(file.segments[0].executable || file.segments[0].writable);
    EXPECT_EQ(file.memory_bytes, 0x10500 + code.file_bytes);
    EXPECT_EQ(file.alignment, 0x10000);
    ASSERT_EQ(file.functions.size(), 2u);
    EXPECT_EQ(file.functions[0].name, "first_to_workspace");
    ASSERT_TRUE(file.Find("store_range"));
    EXPECT_EQ(file.Find("store_range")->begin_bytes, 0x10500);
    EXPECT_FALSE(file.Find("store_range")->thumb);
    EXPECT_EQ(file.Find("first_to_workspace")->thumb, std::string(GetParam()) == "armv7");
    EXPECT_EQ(file.Find("store"), nullptr);
    EXPECT_EQ(file.Find("z"), nullptr);
  }
}

TEST_P(ElfFileOf, IsRefusedWhereverItIsCut) {
  const TestElf elf(GetParam());
  const std::vector<uint8_t> bytes = elf.Bytes();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(ParseElf({bytes.data(), size}, *elf.arch, "m"), Error) << size;
}

TEST_P(ElfFileOf, TakesSegmentsAwayFromAddressZero) {
  TestElf elf(GetParam());
  for (Elf64_Phdr& segment : elf.segments) segment.p_vaddr += 0x70000;
  for (Elf64_Dyn& tag : elf.dynamic)
    if (tag.d_tag == DT_SYMTAB || tag.d_tag == DT_STRTAB) tag.d_un.d_ptr += 0x70000;
  for (test::TestSymbol& symbol : elf.symbols) symbol.value += 0x70000;
  elf.dynamic.push_back({DT_HASH, {0x70000 + TestElf::kHashAt}});
  elf.hash = {1, 3, 0, 0, 0, 0};
  EXPECT_EQ(Parse(elf).Find("store_range")->begin_bytes, 0x10500);
}

INSTANTIATE_TEST_SUITE_P(Archs, ElfFileOf, testing::Values("x86_64", "aarch64", "armv7"),
                         [](const auto& info) { return std::string(info.param); });

struct Refusal {
  const char* name;
  std::function<void(TestElf&)> change;
  const char* error;
  const char* arch = "x86_64";
};

const Refusal kRefusals[] = {
    {"Magic", [](TestElf& e) { e.header.e_ident[3] = 'G'; }, "m: module: must be an ELF file"},
    {"Class", [](TestElf& e) { e.header.e_ident[EI_CLASS] = 1; },
     "m: class = 1: must be 2, that of x86_64"},
    {"WideClass", [](TestElf& e) { e.header.e_ident[EI_CLASS] = 2; },
     "m: class = 2: must be 1, that of armv7", "armv7"},
    {"BigEndian", [](TestElf& e) { e.header.e_ident[EI_DATA] = 2; },
     "m: data encoding = 2: must be 1, little endian"},
    {"IdentVersion", [](TestElf& e) { e.header.e_ident[EI_VERSION] = 0; },
     "m: ELF version = 0: must be 1"},
    {"OsAbi", [](TestElf& e) { e.header.e_ident[EI_OSABI] = ELFOSABI_FREEBSD; },
     "m: OS ABI = 9: must be 0 or 3, System V or GNU"},
    {"Machine", [](TestElf& e) { e.header.e_machine = EM_AARCH64; },
     "m: machine = 183 (aarch64): must be 62 (x86_64)"},
    {"OtherMachine", [](TestElf& e) { e.header.e_machine = EM_RISCV; },
     "m: machine = 243: must be 62 (x86_64)"},
    {"Type", [](TestElf& e) { e.header.e_type = ET_REL; },
     "m: type = 1: must be 3, a shared object"},
    {"Version", [](TestElf& e) { e.header.e_version = 2; }, "m: version = 2: must be 1"},
    {"OldArmAbi", [](TestElf& e) { e.header.e_flags = EF_ARM_EABI_VER4; },
     "m: flags = 0x04000000: must be those of EABI version 5, little endian", "armv7"},
    {"Be8", [](TestElf& e) { e.header.e_flags |= EF_ARM_BE8; },
     "m: flags = 0x05800400: must be those of EABI version 5, little endian", "armv7"},

    {"HeaderSize", [](TestElf& e) { e.header.e_phentsize = 32; },
     "m: size of a program header = 32: must be 56"},
    {"HeaderCount", [](TestElf& e) { e.header.e_phnum = 65; },
     "m: program headers = 65: must be at most 64"},
    {"HeadersBehindTheFile", [](TestElf& e) { e.header.e_phoff = 1300; },
     "m: program headers = 4 at 1300: must lie in the file's 1295 bytes"},
    {"HeadersAtTheEnd", [](TestElf& e) { e.header.e_phoff = 1280; },
     "m: program headers = 4 at 1280: must lie in the file's 1295 bytes"},
    {"HeadersAround", [](TestElf& e) { e.header.e_phoff = ~uint64_t{0} - 100; },
     "m: program headers = 4 at 18446744073709551515: must lie in the file's 1295 bytes"},
    {"NothingToLoad", [](TestElf& e) { e.segments[0].p_type = e.segments[1].p_type = PT_NOTE; },
     "m: program headers: none says what to load"},
    {"NoDynamic", [](TestElf& e) { e.segments[2].p_type = PT_NOTE; },
     "m: program headers: must hold a PT_DYNAMIC"},
    {"TwoDynamic", [](TestElf& e) { e.segments[3].p_type = PT_DYNAMIC; },
     "m: program header 3, PT_DYNAMIC: must be the only one"},
    {"Interpreter", [](TestElf& e) { e.segments[3].p_type = PT_INTERP; },
     "m: program header 3, PT_INTERP: a module has no interpreter"},
    {"ThreadLocal", [](TestElf& e) { e.segments[3].p_type = PT_TLS; },
     "m: program header 3, PT_TLS: a module has no thread-local storage"},
    {"ExecutableStack", [](TestElf& e) { e.segments[3].p_flags |= PF_X; },
     "m: program header 3, PT_GNU_STACK: the stack must not be executable"},
    {"WritableCode", [](TestElf& e) { e.segments[1].p_flags |= PF_W; },
     "m: program header 1, PT_LOAD: must not be writable and executable at once"},
    {"OffsetOutside", [](TestElf& e) { e.segments[1].p_offset = 1 << 20; },
     "m: program header 1 = 15 bytes at 1048576: must lie in the file's 1295 bytes"},
    {"BytesOutside", [](TestElf& e) { e.segments[1].p_filesz = e.segments[1].p_memsz = 16; },
     "m: program header 1 = 16 bytes at 1280: must lie in the file's 1295 bytes"},
    {"BytesAround", [](TestElf& e) { e.segments[1].p_filesz = ~uint64_t{0} - 0x500 + 1; },
     "m: program header 1 = 18446744073709550336 bytes at 1280: must lie in the file's 1295 bytes"},
    {"LessInMemory", [](TestElf& e) { e.segments[1].p_memsz = 14; },
     "m: program header 1, bytes in memory = 14: must be at least the file's 15"},
    {"Alignment", [](TestElf& e) { e.segments[1].p_align = 0x18000; },
     "m: program header 1, alignment = 98304: must be a power of two of at least 4096"},
    {"SmallAlignment", [](TestElf& e) { e.segments[1].p_align = 2048; },
     "m: program header 1, alignment = 2048: must be a power of two of at least 4096"},
    {"NoAlignment", [](TestElf& e) { e.segments[1].p_align = 0; },
     "m: program header 1, alignment = 0: must be a power of two of at least 4096"},
    {"Unaligned", [](TestElf& e) { e.segments[1].p_vaddr += 4; },
     "m: program header 1, address = 0x10504: must be as far from a multiple of 65536 as its "
     "offset 0x500"},
    {"Overlap", [](TestElf& e) { e.segments[0].p_memsz = TestElf::kCode + 1; },
     "m: program header 1, address = 0x10500: must begin a page behind what is loaded before it, "
     "which ends at 0x10501"},
    {"SharedPage", [](TestElf& e) { e.segments[0].p_memsz = TestElf::kAlignment + 1; },
     "m: program header 1, address = 0x10500: must begin a page behind what is loaded before it, "
     "which ends at 0x10001"},
    {"OutOfOrder", [](TestElf& e) { std::swap(e.segments[0], e.segments[1]); },
     "m: program header 1, address = 0x0: must begin a page behind what is loaded before it, "
     "which ends at 0x1050f"},
    {"TooLarge", [](TestElf& e) { e.segments[1].p_memsz = (256 << 20) - 0x20500 + 1; },
     "m: program header 1, room in memory = 268303105 bytes at 0x10500, aligned to 65536: a module "
     "must not take more than 268435456 bytes"},
    {"FarAway", [](TestElf& e) { e.segments[1].p_vaddr = (uint64_t{1} << 63) + TestElf::kCode; },
     "m: program header 1, room in memory = 15 bytes at 0x8000000000010500, aligned to 65536: a "
     "module must not take more than 268435456 bytes"},
    {"HugeAlignment",
     [](TestElf& e) {
       e.segments[1].p_align = uint64_t{1} << 63;
       e.segments[1].p_vaddr = (uint64_t{1} << 63) + TestElf::kCodeAt;
     },
     "m: program header 0, room in memory = 1280 bytes at 0x0, aligned to 9223372036854775808: a "
     "module must not take more than 268435456 bytes"},
    {"AroundTheEnd",
     [](TestElf& e) {
       e.segments.erase(e.segments.begin());
       e.header.e_phnum = 3;
       e.segments[0].p_vaddr = ~uint64_t{0xffff} + TestElf::kCodeAt;
       e.segments[0].p_memsz = 0x10000;
     },
     "m: program header 0, address = 0xffffffffffff0500: must not lie around the end of the "
     "address space"},

    {"DynamicOutside", [](TestElf& e) { e.segments[2].p_vaddr = 0x5000; },
     "m: dynamic section = 256 bytes at 0x5000: must lie in the file's part of a segment"},
    {"DynamicTooLong", [](TestElf& e) { e.segments[2].p_filesz = 257; },
     "m: dynamic section = 257 bytes at 0x400: must lie in the file's part of a segment"},
    {"DynamicWithoutEnd", [](TestElf& e) { e.segments[2].p_filesz = 5 * 16 + 15; },
     "m: dynamic section: must end with DT_NULL"},
    {"UnknownTag", [](TestElf& e) { e.Tag(0x6000000f) = 1; },
     "m: dynamic tag = 0x6000000f: is not one that a module may have"},
    {"Needed", [](TestElf& e) { e.Tag(DT_NEEDED) = 1; },
     "m: DT_NEEDED = 0x1: a module needs no library"},
    {"Filter", [](TestElf& e) { e.Tag(DT_FILTER) = 1; },
     "m: DT_FILTER = 0x1: a module needs no library"},
    {"Auxiliary", [](TestElf& e) { e.Tag(DT_AUXILIARY) = 1; },
     "m: DT_AUXILIARY = 0x1: a module needs no library"},
    {"Versions", [](TestElf& e) { e.Tag(DT_VERNEED) = 0x400; },
     "m: DT_VERNEED = 0x400: a module needs no library"},
    {"Init", [](TestElf& e) { e.Tag(DT_INIT) = TestElf::kCode; },
     "m: DT_INIT = 0x10500: a module has no constructors or destructors"},
    {"InitArray", [](TestElf& e) { e.Tag(DT_INIT_ARRAY) = 8; },
     "m: DT_INIT_ARRAY = 0x8: a module has no constructors or destructors"},
    {"PreinitArray", [](TestElf& e) { e.Tag(DT_PREINIT_ARRAY) = 8; },
     "m: DT_PREINIT_ARRAY = 0x8: a module has no constructors or destructors"},
    {"Fini", [](TestElf& e) { e.Tag(DT_FINI) = TestElf::kCode; },
     "m: DT_FINI = 0x10500: a module has no constructors or destructors"},
    {"FiniArray", [](TestElf& e) { e.Tag(DT_FINI_ARRAY) = 8; },
     "m: DT_FINI_ARRAY = 0x8: a module has no constructors or destructors"},
    {"Rela", [](TestElf& e) { e.Tag(DT_RELA) = 0, e.Tag(DT_RELASZ) = 24; },
     "m: DT_RELASZ = 24 bytes: a module has no relocations"},
    {"Rel", [](TestElf& e) { e.Tag(DT_REL) = 0, e.Tag(DT_RELSZ) = 8; },
     "m: DT_RELSZ = 8 bytes: a module has no relocations", "armv7"},
    {"Plt", [](TestElf& e) { e.Tag(DT_JMPREL) = 0, e.Tag(DT_PLTRELSZ) = 24; },
     "m: DT_PLTRELSZ = 24 bytes: a module has no relocations"},
    {"Relr", [](TestElf& e) { e.Tag(36) = 0, e.Tag(35) = 8; },
     "m: DT_RELRSZ = 8 bytes: a module has no relocations"},

    {"NoSymbols", [](TestElf& e) { e.Tag(DT_SYMTAB), e.dynamic.erase(e.dynamic.begin()); },
     "m: dynamic section: must hold DT_SYMTAB, DT_STRTAB and DT_STRSZ"},
    {"SymbolSize", [](TestElf& e) { e.Tag(DT_SYMENT) = 16; }, "m: DT_SYMENT = 16: must be 24"},
    {"SymbolsOutside", [](TestElf& e) { e.Tag(DT_SYMTAB) = 0x4f0; },
     "m: DT_SYMTAB = 3 symbols at 0x4f0: must lie in the file's part of a segment"},
    {"StringsOutside", [](TestElf& e) { e.Tag(DT_STRSZ) = 449; },
     "m: DT_STRTAB = 449 bytes at 0x340: must lie in the file's part of a segment"},
    {"NameOutside", [](TestElf& e) { e.Tag(DT_STRSZ) = 5; },
     "m: symbol 1, name = 1: must lie in the 5 bytes of DT_STRTAB, and end there"},
    {"ChainTooLong",  // it goes on to the first odd word of what follows
     [](TestElf& e) {
       e.hash = {1, 1, 1, 0, ~0u, ~0u, 1};
       e.symbols = {{"ab", TestElf::kCode, 1}};
     },
     "m: DT_SYMTAB = 63 symbols at 0x200: must lie in the file's part of a segment"},
    {"ChainOutside", [](TestElf& e) { e.hash = {1, 1, 1, 0, ~0u, ~0u, 0xffffffff}; },
     "m: DT_GNU_HASH = 0x300: the table must lie in the file's part of a segment"},
    {"BucketsOutside",
     [](TestElf& e) {
       e.hash = {0xffffffff, 1, 1, 0};
     },
     "m: DT_GNU_HASH = 0x300: the table must lie in the file's part of a segment"},
    {"FilterOutside",
     [](TestElf& e) {
       e.hash = {1, 1, 0xffffffff, 0};
     },
     "m: DT_GNU_HASH = 0x300: the table must lie in the file's part of a segment"},
    {"ManySymbols",
     [](TestElf& e) {
       e.gnu_hash = false, e.hash = {1, 0xffffffff};
     },
     "m: DT_HASH = 0x300: the table must lie in the file's part of a segment"},
    {"HashOutside", [](TestElf& e) { e.Tag(DT_HASH) = 0x4fd; },
     "m: DT_HASH = 0x4fd: the table must lie in the file's part of a segment"},
    {"SymbolsBehindTheTable",
     [](TestElf& e) {
       e.gnu_hash = false, e.hash = {1, 60};
     },
     "m: DT_SYMTAB = 60 symbols at 0x200: must lie in the file's part of a segment"},

    {"Undefined",
     [](TestElf& e) {
       e.symbols.push_back({"expf", 0, 0, 0x12, SHN_UNDEF});
     },
     "m: symbol 'expf' = undefined: a module imports nothing"},
    {"UndefinedBeforeTheChains",
     [](TestElf& e) {
       e.symbols = {{"expf", 0, 0, 0x22, SHN_UNDEF}, {"k", TestElf::kCode, 1}};
       e.hash = {1, 2, 1, 0, ~0u, ~0u, 2, 1};
     },
     "m: symbol 'expf' = undefined: a module imports nothing"},
    {"UndefinedWithoutChains",
     [](TestElf& e) {
       e.symbols = {{"expf", 0, 0, 0x12, SHN_UNDEF}};
       e.hash = {1, 2, 1, 0, ~0u, ~0u, 0};
     },
     "m: symbol 'expf' = undefined: a module imports nothing"},
    {"FunctionInData", [](TestElf& e) { e.symbols[0].value = 0x100; },
     "m: function 'store_range' = 11 bytes at 0x100: must lie in the file's part of an executable "
     "segment"},
    {"FunctionTooLong", [](TestElf& e) { e.symbols[0].size = 16; },
     "m: function 'store_range' = 16 bytes at 0x10500: must lie in the file's part of an "
     "executable segment"},
    {"FunctionAround", [](TestElf& e) { e.symbols[0].size = ~uint64_t{0}; },
     "m: function 'store_range' = 18446744073709551615 bytes at 0x10500: must lie in the file's "
     "part of an executable segment"},
    {"FunctionInZeros",
     [](TestElf& e) {
       e.segments[1].p_memsz += 8, e.symbols[0] = {"z", TestElf::kCode + 15, 0};
     },
     "m: function 'z' = 0 bytes at 0x1050f: must lie in the file's part of an executable segment"},
    {"UnalignedArm64", [](TestElf& e) { e.symbols[0].value += 2; },
     "m: function 'store_range' = 0x10502: must begin at a multiple of 4", "aarch64"},
    {"UnalignedArm", [](TestElf& e) { e.symbols[0].value += 2; },
     "m: function 'store_range' = 0x10502: must begin at a multiple of 4", "armv7"},
    {"Twice", [](TestElf& e) { e.symbols[1].name = "store_range"; },
     "m: function 'store_range': must be defined once"},
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, ByName) {
  TestElf elf(GetParam().arch);
  GetParam().change(elf);
  EXPECT_EQ(ErrorOf(elf), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(ElfFile, Refused, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ElfFile, TakesWhatLinkersWriteWithoutNeed) {
  TestElf elf;
  for (const int64_t tag : {DT_RELA, DT_RELASZ, DT_SONAME, DT_FLAGS, DT_FLAGS_1, DT_DEBUG})
    elf.Tag(tag) = 0;
  elf.segments.push_back({PT_LOAD, PF_R | PF_W, 0, 0, 0, 0, 0, 0});  // empty: nothing to load
  elf.segments.push_back({PT_GNU_RELRO, PF_R, 0, 0, 0, 8, 8, 1});
  elf.header.e_phnum = 6;
  elf.symbols.push_back({"local", 1, 0, ELF64_ST_INFO(STB_LOCAL, STT_FUNC)});
  elf.symbols.push_back({"table", 1, 8, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)});
  const ElfFile file = Parse(elf);
  EXPECT_EQ(file.segments.size(), 2u);
  EXPECT_EQ(file.functions.size(), 2u);
}

TEST(ElfFile, WithoutSymbolsDefinesNothing) {
  TestElf elf;
  elf.symbols.clear();
  EXPECT_TRUE(Parse(elf).functions.empty());
  elf.gnu_hash = false;
  EXPECT_TRUE(Parse(elf).functions.empty());
}

TEST(ElfFile, JustFitsIntoTheLimit) {
  TestElf elf;
  elf.segments[1].p_memsz = (256 << 20) - 0x20500;
  EXPECT_EQ(Parse(elf).memory_bytes, (256 << 20) - 0x10000);
}

}  // namespace
}  // namespace vta::runtime
