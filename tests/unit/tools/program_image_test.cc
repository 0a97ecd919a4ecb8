// Programs out of packages: where their code and what they know before they run lie in the image.
#include "tools/vta/program/program_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "isa/asm.h"
#include "isa/package.h"
#include "tools/vta/common/flat_launch.h"

namespace vta::tools {
namespace {

// Arena: a micro-op at 16, an accumulator row at 64, the result at 4096.
isa::Package SmallPackage() {
  const isa::Program text = isa::Assemble(R"(
load.uop dram=4 x=1
load.acc dram=1 x=1
alu.add uop=0:1 imm=1 push_next
store.out dram=0x100 x=1 pop_prev push_prev
finish pop_next
.data 0x1040
.int 41*16
)",
                                          "p.s", isa::Config{});
  isa::Package package;
  package.model = "small";
  package.config = isa::Config();
  package.arena_bytes = 4117;
  package.code = text.code()->bytes;
  package.constants_offset_bytes = 16;
  const std::vector<uint8_t> image = text.Image();
  package.constants.assign(image.begin() + 0x1010, image.end());
  package.programs = {{0, 5}};
  package.tensors = {{"y", isa::ElementType::kInt8, {16}, 4096}};
  package.steps.resize(1);
  package.steps[0].name = "layer";
  package.steps[0].outputs = {0};
  return package;
}

TEST(ProgramImageTest, APackagesProgramsLieAfterItsArena) {
  // Its name says nothing: the first bytes do.
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "program_image_test.bin").string();
  isa::WritePackage(SmallPackage(), path);
  ProgramOptions options;
  options.path = path;
  ProgramImage found = LoadProgramImage(options);
  std::filesystem::remove(path);
  ASSERT_EQ(found.programs.size(), 1u);
  EXPECT_EQ(found.programs[0].name, "layer");
  EXPECT_EQ(found.programs[0].address, 4128u);  // the first multiple of 16 after 4117
  EXPECT_EQ(found.programs[0].count, 5);
  EXPECT_EQ(found.Words(found.programs[0]).size(), 5u);
  EXPECT_EQ(found.Words(found.programs[0])[4].low, 3 | 1 << 4);
  EXPECT_TRUE(found.Prove(found.programs[0]).ok());
  const FlatLaunch launch{found.programs[0].address, 5};
  const isa::Config config = found.config;
  std::vector<uint8_t> image = std::move(found).TakeImage(path);
  const auto results = RunFlat(EngineOptions(), config, {&launch, 1}, image);
  EXPECT_EQ(isa::Describe(results.at(0)), "finished");
  EXPECT_EQ(image[4096], 42);
  EXPECT_EQ(image[4095], 0);
}

TEST(ProgramImageTest, APackageIsTextThatGivesItAgain) {
  isa::Package package = SmallPackage();
  for (const std::string code : {"", "text\n  # {}\n", "no line end", "a\tb\n", "\n\n|\n"}) {
    package.modules = {{"elf", "x86_64", {}, {code.begin(), code.end()}}};
    const std::vector<uint8_t> bytes = isa::SerializePackage(package);
    const std::string text = isa::Disassemble(isa::ProgramOfPackage(package));
    EXPECT_THAT(text, testing::HasSubstr("\nstep_0_layer:\nload.uop "));
    const isa::Program program = isa::Assemble(text, "p.s", isa::Config());
    EXPECT_EQ(isa::SerializePackage(isa::PackageOfProgram(program, "p.s")), bytes) << text;
  }
}

TEST(FlatLaunchTest, MemoryEndsWithTheImage) {
  for (int64_t element : {255, 256}) {  // the last of 4096 bytes, and one after it
    const isa::Program program = isa::Assemble(
        "load.inp x=1 dram=" + std::to_string(element) + "\nfinish\n.data 4095\n.byte 0", "p.s",
        isa::Config{});
    std::vector<uint8_t> image = program.Image();
    const FlatLaunch launch{0, 2};
    const isa::LaunchResult result =
        RunFlat(EngineOptions(), program.config, {&launch, 1}, image).at(0);
    EXPECT_EQ(result.modules[0].fault, element == 255 ? isa::Fault::kNone : isa::Fault::kBusError);
    EXPECT_EQ(result.modules[0].address, 0u);
  }
}

}  // namespace
}  // namespace vta::tools
