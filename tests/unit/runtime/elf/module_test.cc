// Modules in memory: what they do when they run, how they are protected, and what is refused.
#include "runtime/elf/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "runtime/cpu_features.h"
#include "tests/support/files.h"
#include "tests/support/test_elf.h"

namespace vta::runtime {
namespace {

using test::TestElf;

template <typename Function>
std::string ErrorOf(Function function) {
  try {
    function();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

// "r-xp", of the mapping that holds an address.
std::string ProtectionAt(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string protection;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> protection;
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (begin <= at && at < end) return protection;
  }
  return "none";
}

class ElfModuleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kBuildArch.empty()) GTEST_SKIP() << "no modules for this machine";
  }
};

TEST_F(ElfModuleTest, RunsKernelsByTheirIndexInThePackage) {
  const std::vector<isa::PackageKernel> kernels = TestElf::Kernels();
  const ElfModule module(TestElf(kBuildArch).Module(), kernels, "m");
  int64_t range[2] = {}, workspace = 0;
  void* const tensors[] = {range};
  module.Run(0, tensors, nullptr, 3, int64_t{1} << 40);
  EXPECT_EQ(range[0], 3);
  EXPECT_EQ(range[1], int64_t{1} << 40);
  module.Run(1, nullptr, &workspace, -5, 0);
  EXPECT_EQ(workspace, -5);

  const ElfModule swapped(TestElf(kBuildArch).Module(),
                          std::vector<isa::PackageKernel>{kernels[1], kernels[0]}, "m");
  swapped.Run(0, nullptr, &workspace, 7, 0);
  EXPECT_EQ(workspace, 7);
}

TEST_F(ElfModuleTest, SeveralThreadsAreInside) {
  const ElfModule module(TestElf(kBuildArch).Module(), TestElf::Kernels(), "m");
  int64_t ranges[4][2] = {};
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      void* const tensors[] = {ranges[t]};
      for (int64_t i = 0; i <= 1000; ++i) module.Run(0, tensors, nullptr, t, i);
    });
  for (std::thread& thread : threads) thread.join();
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_EQ(ranges[t][0], t);
    EXPECT_EQ(ranges[t][1], 1000);
  }
}

TEST_F(ElfModuleTest, NamesAKernelThatIsMissing) {
  const isa::PackageModule module = TestElf(kBuildArch).Module();
  const std::vector<isa::PackageKernel> kernels = {{"store_range"}, {"conv1"}};
  EXPECT_EQ(ErrorOf([&] { ElfModule(module, kernels, "net.vta: module 0"); }),
            "net.vta: module 0: kernel 'conv1': the module must define a function of this name");
}

TEST_F(ElfModuleTest, IsOnlyForThisMachine) {
  const char* other = kBuildArch == "aarch64" ? "armv7" : "aarch64";
  EXPECT_EQ(ErrorOf([&] { ElfModule(TestElf(other).Module(), TestElf::Kernels(), "m"); }),
            StrCat("m: arch = ", other, ": this machine runs ", kBuildArch));
}

TEST(CheckElfModule, LooksAtAnyMachinesModules) {
  for (const isa::CpuArchRow& arch : isa::kCpuArchs) {
    const isa::PackageModule module = TestElf(arch.name).Module();
    EXPECT_EQ(CheckElfModule(module, TestElf::Kernels(), "m").functions.size(), 2u);
  }
}

TEST(CheckElfModule, RefusesWhatIsNoElfModule) {
  isa::PackageModule module = TestElf().Module();
  module.format = "ptx";
  EXPECT_EQ(ErrorOf([&] { CheckElfModule(module, {}, "m"); }), "m: format = ptx: must be elf");
  module.format = "elf";
  module.arch = "riscv64";
  EXPECT_EQ(ErrorOf([&] { CheckElfModule(module, {}, "m"); }),
            "m: arch = riscv64: is not an architecture that is known");
  module.arch = "aarch64";
  EXPECT_EQ(ErrorOf([&] { CheckElfModule(module, {}, "m"); }),
            "m: machine = 62 (x86_64): must be 183 (aarch64)");
}

// With a third segment, of data: eight bytes of the file, then zeros over a page.
TestElf WithData() {
  TestElf elf;
  const uint64_t offset = TestElf::kCodeAt + elf.code.size();
  const uint64_t address = 3 * TestElf::kAlignment + offset;
  for (uint8_t i = 1; i <= 8; ++i) elf.code.push_back(i);
  elf.segments.push_back(
      {PT_LOAD, PF_R | PF_W, offset, address, address, 8, 80000, TestElf::kAlignment});
  elf.header.e_phnum = 5;
  return elf;
}

TEST(ElfImage, HoldsEachSegmentUnderItsProtection) {
  const std::vector<uint8_t> bytes = WithData().Bytes();
  const ElfFile file = ParseElf(bytes, *isa::FindCpuArch("x86_64"), "m");
  const ElfImage image(file, bytes, "m");
  ASSERT_EQ(file.segments.size(), 3u);
  for (const ElfSegment& segment : file.segments)
    EXPECT_TRUE(std::equal(bytes.begin() + segment.file_offset,
                           bytes.begin() + segment.file_offset + segment.file_bytes,
                           image.At(segment.begin_bytes)));
  const ElfSegment& data = file.segments[2];
  for (int64_t i = data.file_bytes; i < data.memory_bytes; ++i)
    ASSERT_EQ(image.At(data.begin_bytes)[i], 0) << i;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(image.At(0)) % TestElf::kAlignment, 0u);
  EXPECT_EQ(ProtectionAt(image.At(0)), "r--p");
  EXPECT_EQ(ProtectionAt(image.At(file.segments[1].begin_bytes)), "r-xp");
  EXPECT_EQ(ProtectionAt(image.At(2 * TestElf::kAlignment)), "---p");
  EXPECT_EQ(ProtectionAt(image.At(data.begin_bytes)), "rw-p");
  EXPECT_EQ(ProtectionAt(image.At(data.begin_bytes + data.memory_bytes - 1)), "rw-p");
}

TEST(ElfImage, LeavesTheMemoryWhenItGoes) {
  const std::vector<uint8_t> bytes = TestElf().Bytes();
  const ElfFile file = ParseElf(bytes, *isa::FindCpuArch("x86_64"), "m");
  const uint8_t* at = nullptr;
  {
    const ElfImage image(file, bytes, "m");
    at = image.At(file.segments[1].begin_bytes);
    EXPECT_EQ(ProtectionAt(at), "r-xp");
  }
  EXPECT_NE(ProtectionAt(at), "r-xp");
}

TEST(ElfImage, NeedsSegmentsInPagesOfThisMachine) {
  const std::vector<uint8_t> bytes = TestElf().Bytes();
  ElfFile file = ParseElf(bytes, *isa::FindCpuArch("x86_64"), "m");
  file.segments[1].alignment = PageBytes() / 2;
  EXPECT_EQ(ErrorOf([&] { ElfImage(file, bytes, "m"); }),
            StrCat("m: alignment of a segment = ", PageBytes() / 2,
                   ": must be at least this machine's page of ", PageBytes(), " bytes"));
}

// The fuzzer begins with these: modules as a linker writes them, and as TestElf does.
TEST(FuzzCorpus, HoldsModulesThatAreAccepted) {
  for (const isa::CpuArchRow& arch : isa::kCpuArchs) {
    const std::string place = StrCat("tests/fuzz/corpus/elf_module/", arch.name);
    EXPECT_EQ(ReadFile(SourcePath(place + ".bin")), TestElf(arch.name).Bytes());
    const std::vector<uint8_t> linked = ReadFile(SourcePath(place + "_linked.bin"));
    const ElfFile file = ParseElf(linked, arch, place);
    EXPECT_EQ(file.functions.size(), 2u);
    EXPECT_TRUE(file.Find("store_range")) << place;
  }
}

TEST_F(ElfModuleTest, RunsWhatALinkerWrote) {
  const std::string place = StrCat("tests/fuzz/corpus/elf_module/", kBuildArch, "_linked.bin");
  const isa::PackageModule module{"elf", std::string(kBuildArch), {}, ReadFile(SourcePath(place))};
  const ElfModule loaded(module, std::vector<isa::PackageKernel>{{"add"}, {"store_range"}}, "m");
  int64_t range[2] = {};
  void* const tensors[] = {range};
  loaded.Run(1, tensors, nullptr, 3, 4);
  EXPECT_EQ(range[0], 3);
  EXPECT_EQ(range[1], 4);
  float x[40], y[40] = {};
  std::fill(std::begin(x), std::end(x), 0.5f);
  void* const operands[] = {x, y};
  loaded.Run(0, operands, nullptr, 1, 39);  // adds a table of 1 to 16, again and again
  EXPECT_EQ(y[0], 0);
  for (int i = 1; i < 39; ++i) EXPECT_EQ(y[i], 0.5f + static_cast<float>(i % 16 + 1)) << i;
  EXPECT_EQ(y[39], 0);
}

}  // namespace
}  // namespace vta::runtime
