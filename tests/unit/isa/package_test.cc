#include "isa/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::isa {
namespace {

Package Sample() {
  Package p;
  p.model = "sample";
  p.config = Config();
  p.arena_bytes = 4096;
  p.code.assign(3 * kInstructionBytes, 3);
  p.constants = {1, 2, 3, 4};
  p.constants_offset_bytes = 8;
  p.kernels = {{"softmax_0", 4, 64, {16, 16}}};
  p.modules = {{"elf", "x86_64", {"avx2", "fma"}, {'x', 'y'}}, {"elf", "armv7", {}, {'z'}}};
  p.tensors = {{"in", ElementType::kFloat32, {1, 4}, 64}, {"out", ElementType::kInt8, {16}, 128}};
  p.programs = {{0, 2}, {2, 1}};
  p.steps = {{"conv", PackageStep::Kind::kProgram, 1, 0, {0}, {1}, {"conv2d", "1x1", 99}},
             {"soft", PackageStep::Kind::kKernel, 0, 0, {1}, {0}, {"softmax", "", 0, "is real"}}};
  p.inputs = {0};
  p.outputs = {1};
  return p;
}

// Makes the kernel one for the tensors that it is given.
void Fit(Package& p) {
  p.kernels[0].argument_bytes.clear();
  for (const std::vector<int64_t>* list : {&p.steps[1].inputs, &p.steps[1].outputs})
    for (int64_t tensor : *list) p.kernels[0].argument_bytes.push_back(p.tensors[tensor].bytes());
}

TEST(PackageTest, RoundTrips) {
  const std::vector<uint8_t> bytes = SerializePackage(Sample());
  const Package read = ParsePackage(bytes, "f");
  EXPECT_EQ(SerializePackage(read), bytes);
  EXPECT_EQ(read.kernels[0].name, "softmax_0");
  EXPECT_EQ(read.kernels[0].tasks, 4);
  EXPECT_EQ(read.kernels[0].workspace_bytes, 64);
  EXPECT_EQ(read.kernels[0].argument_bytes, (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(read.modules[0].features, (std::vector<std::string>{"avx2", "fma"}));
  EXPECT_EQ(read.modules[0].code, (std::vector<uint8_t>{'x', 'y'}));
  EXPECT_EQ(read.modules[1].code, std::vector<uint8_t>{'z'});
  EXPECT_EQ(read.steps[0].facts.macs, 99);
  EXPECT_EQ(read.steps[0].facts.why, "");
  EXPECT_EQ(read.steps[1].facts.why, "is real");
  EXPECT_EQ(read.tensors[0].shape, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(read.ProgramCode(read.programs[1]).size(), kInstructionBytes);
}

TEST(PackageTest, RefusesPartsThatDoNotHoldTogether) {
  const auto with = [](const std::function<void(Package&)>& change) {
    return ErrorOf([&] {
      Package p = Sample();
      change(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with([](Package& p) { p.tensors[1].offset_bytes = 4090; }),
            "f: tensors[1] out = bytes 4090 to 4106: must end inside the arena of 4096");
  EXPECT_EQ(with([](Package& p) { p.programs[1].count = 2; }),
            "f: programs[1] = 2 + 2: must end inside the code of 3 instructions");
  EXPECT_EQ(with([](Package& p) { p.steps[0].program = 2; }),
            "f: steps[0].program = 2: the package has 2 programs");
  EXPECT_EQ(with([](Package& p) { p.outputs = {7}; }), "f: outputs = 7: the package has 2 tensors");
  EXPECT_EQ(with([](Package& p) { p.code.pop_back(); }),
            "f: code = 47 bytes: must be whole instructions");
  EXPECT_EQ(with([](Package& p) { p.constants.resize(5000); }),
            "f: constants = 8 + 5000 bytes: must fit the arena of 4096");
}

// Three programs, the first two of which are one, too; then the kernel.
Package Joined() {
  Package p = Sample();
  p.code.assign(9 * kInstructionBytes, 3);
  p.programs = {{0, 2}, {2, 1}, {3, 1}, {4, 5}};
  p.tensors.push_back({"mid", ElementType::kInt8, {16}, 256});
  p.tensors.push_back({"last", ElementType::kInt8, {16}, 512});
  p.steps = {{"a", PackageStep::Kind::kProgram, 0, 0, {0}, {1}, {}},
             {"b", PackageStep::Kind::kProgram, 1, 0, {1}, {2}, {}},
             {"c", PackageStep::Kind::kProgram, 2, 0, {2}, {3}, {}},
             {"soft", PackageStep::Kind::kKernel, 0, 0, {3}, {1}, {"softmax", "", 0, "is real"}}};
  p.launches = {{0, 3, {0, 2}}};
  return p;
}

TEST(PackageTest, ALaunchOfSeveralStepsRoundTrips) {
  const Package read = ParsePackage(SerializePackage(Joined()), "f");
  ASSERT_EQ(read.launches.size(), 1u);
  EXPECT_EQ(read.LaunchAt(0), read.launches.data());
  EXPECT_EQ(read.LaunchAt(1), nullptr);
  EXPECT_EQ(read.launches[0].program, 3);
  EXPECT_EQ(read.launches[0].starts, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(NameOf(read.StepsOf(read.launches[0])),
            StrCat(read.steps[0].name, " to ", read.steps[1].name));
  EXPECT_EQ(NameOf(std::span(read.steps).first(1)), read.steps[0].name);
}

TEST(PackageTest, ALaunchTakesStepsThatFollowEachOther) {
  const auto with = [](const std::function<void(Package&)>& change) {
    return ErrorOf([&] {
      Package p = Joined();
      change(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with([](Package&) {}), "no error");
  EXPECT_EQ(with([](Package& p) { p.launches[0].program = 4; }),
            "f: launches[0].program = 4: the package has 4 programs");
  EXPECT_EQ(with([](Package& p) { p.launches[0].starts = {0}; }),
            "f: launches[0].starts = 1 step: must be two at least");
  EXPECT_EQ(with([](Package& p) { p.launches[0].first = 3; }),
            "f: launches[0] = steps 3 to 4: must be in [0, 4), behind those of the launch before");
  EXPECT_EQ(with([](Package& p) { p.launches[0].first = 2; }),
            "f: launches[0] = step 3 soft: must be a program");
  EXPECT_EQ(with([](Package& p) {
              p.launches.push_back({1, 3, {0, 2}});
            }),
            "f: launches[1] = steps 1 to 2: must be in [2, 4), behind those of the launch before");
  EXPECT_EQ(with([](Package& p) {
              p.launches[0].starts = {1, 2};
            }),
            "f: launches[0].starts[0] = 1: must be 0");
  EXPECT_EQ(
      with([](Package& p) {
        p.launches[0].starts = {0, 5};
      }),
      "f: launches[0].starts[1] = 5: must be in [0, 5), where its program's instructions are");
}

// in -> conv -> out -> soft -> in2, constants at 8 to 12.
TEST(PackageTest, WhatAProofReadsIsWrittenByNobody) {
  const auto with = [](const std::function<void(Package&)>& change) {
    return ErrorOf([&] {
      Package p = Sample();
      p.tensors.push_back({"in2", ElementType::kFloat32, {4}, 256});
      p.steps[1].outputs = {2};
      p.outputs = {1, 2};
      change(p);
      if (p.steps.size() > 1) Fit(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with([](Package&) {}), "no error");
  EXPECT_EQ(with([](Package& p) { p.tensors[0].offset_bytes = 11; }),
            "f: tensors[0] in = bytes 11 to 27: lie over the constants at bytes 8 to 12, which the "
            "caller would overwrite");
  EXPECT_EQ(with([](Package& p) { p.tensors[0].offset_bytes = 12; }), "no error");
  EXPECT_EQ(
      with([](Package& p) {
        p.tensors[2] = {"in2", ElementType::kInt8, {9}, 0};
      }),
      "f: tensors[2] in2 = bytes 0 to 9: lie over the constants at bytes 8 to 12, which step 1 "
      "soft would overwrite");
  EXPECT_EQ(with([](Package& p) {
              p.tensors[2] = {"in2", ElementType::kInt8, {8}, 0};
            }),
            "no error");
  EXPECT_EQ(
      with([](Package& p) { p.tensors[1].offset_bytes = 0; }),
      "f: tensors[1] out = bytes 0 to 16: lie over the constants at bytes 8 to 12, which step "
      "0 conv would overwrite");
}

// Constants may lie apart from what an inference writes.
TEST(PackageTest, WhatIsReadLiesInTheConstantsOrOutsideThem) {
  const auto with = [](int64_t offset_bytes, int64_t bytes) {
    return ErrorOf([&] {
      Package p = Sample();
      p.tensors.push_back({"view", ElementType::kInt8, {bytes}, offset_bytes});
      p.steps[1].inputs.push_back(2);
      Fit(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with(8, 4), "no error");
  EXPECT_EQ(with(9, 2), "no error");
  EXPECT_EQ(with(8, 5),
            "f: tensors[2] view = bytes 8 to 13: lie over a part of the constants at bytes 8 to "
            "12, and step 1 soft reads more");
  EXPECT_EQ(with(7, 4),
            "f: tensors[2] view = bytes 7 to 11: lie over a part of the constants at bytes 8 to "
            "12, and step 1 soft reads more");
}

TEST(PackageTest, WhatAStepTakesWasMadeForIt) {
  const auto with = [](const std::function<void(Package&)>& change) {
    return ErrorOf([&] {
      Package p = Sample();
      p.tensors.push_back({"in2", ElementType::kFloat32, {4}, 256});
      p.steps[1].outputs = {2};
      change(p);
      if (p.steps.size() > 1) Fit(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with([](Package& p) { p.inputs = {}; }),
            "f: tensors[0] in = bytes 64 to 80: are not written before step 0 conv reads byte 64");
  EXPECT_EQ(
      with([](Package& p) { p.outputs = {2}, p.steps.pop_back(); }),
      "f: tensors[2] in2 = bytes 256 to 272: are not written before the caller reads byte 256");
  // A plan that gives two tensors that live together the same bytes.
  EXPECT_EQ(with([](Package& p) { p.tensors[2].offset_bytes = 140, p.steps[1].inputs = {0}; }),
            "f: tensors[1] out = bytes 128 to 144: are overwritten by in2 at bytes 140 to 156 "
            "before the caller reads them");
  EXPECT_EQ(with([](Package& p) { p.tensors[2].offset_bytes = 140; }),
            "f: tensors[2] in2 = bytes 140 to 156: lie over out at bytes 128 to 144, which step 1 "
            "soft takes");
  EXPECT_EQ(with([](Package& p) {
              p.steps[1].outputs = {2, 2};
            }),
            "f: tensors[2] in2 = bytes 256 to 272: lie over in2 at bytes 256 to 272, which step 1 "
            "soft makes too");
  EXPECT_EQ(with([](Package& p) {
              p.tensors[2].offset_bytes = 70, p.inputs = {0, 2};
            }),
            "f: tensors[2] in2 = bytes 70 to 86: lie over in at bytes 64 to 80, both inputs of the "
            "model");
  // A tensor that no step writes as such is a view of others, if all of it is written.
  EXPECT_EQ(with([](Package& p) {
              p.tensors.push_back({"view", ElementType::kInt8, {2}, 79});
              p.tensors[2].offset_bytes = 80;
              p.outputs = {3};
            }),
            "no error");
  EXPECT_EQ(with([](Package& p) {
              p.tensors.push_back({"view", ElementType::kInt8, {2}, 79});
              p.outputs = {3};
            }),
            "f: tensors[3] view = bytes 79 to 81: are not written before the caller reads byte 80");
}

TEST(PackageTest, TimeIsNearLinearInTheTensorsOfAStep) {
  Package p = Sample();
  constexpr int kMany = 100'000;
  p.arena_bytes = int64_t{1} << 20;
  for (int i = 0; i < kMany; ++i) {
    p.tensors.push_back({"t", ElementType::kInt8, {1}, 4096 + 2 * i});
    p.tensors.push_back({"u", ElementType::kInt8, {1}, 4097 + 2 * i});
    p.inputs.push_back(2 + 2 * i);
    p.steps[1].inputs.push_back(2 + 2 * i);
    p.steps[1].outputs.push_back(3 + 2 * i);
  }
  Fit(p);
  const auto start = std::chrono::steady_clock::now();
  ValidatePackage(p, "f");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(PackageTest, ACallerHoldsNoMoreThanAGibibyte) {
  Package p = Sample();
  p.arena_bytes = int64_t{1} << 32;
  p.tensors[1].shape = {int64_t{1} << 29};
  Fit(p);
  p.outputs = {1};
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }), "no error");
  p.outputs = {1, 1};
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }),
            "f: inputs and outputs = more than 1073741824 bytes: must be at most 1073741824 bytes "
            "together");
}

TEST(PackageTest, TheMacsOfAllStepsAreANumber) {
  Package p = Sample();
  p.steps[0].facts.macs = p.steps[1].facts.macs = int64_t{1} << 47;
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }), "no error");
  p.steps[1].facts.macs += 1;
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }),
            "f: steps[1].macs = 140737488355329: those of all steps must be at most "
            "281474976710656 together");
}

TEST(PackageTest, ABoundMayBeMissing) {
  Package p = Sample();
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").steps[0].facts.bounds, std::nullopt);
  p.steps[0].facts.bounds = LayerBounds{3, 7, "few channels"};
  const LayerBounds read = ParsePackage(SerializePackage(p), "f").steps[0].facts.bounds.value();
  EXPECT_EQ(read, (LayerBounds{3, 7, "few channels"}));
  const std::string manifest = ManifestText(p);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    return ErrorOf([&] { ParseManifest(text, ModuleBytes(p), "f"); });
  };
  EXPECT_EQ(with("\"bound_ideal\": 3,", ""), "f: steps[0].bound_ideal: is missing");
  EXPECT_EQ(with("\"bound_machine\": 7", "\"bound_machine\": 0"),
            "f: steps[0].bound_machine = 0: must be an integer in [1, 9223372036854775807]");
  p.steps[0].facts.bounds->machine = (int64_t{1} << 48) + 1;
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }),
            "f: steps[0].bound_machine = 281474976710657: those of all steps must be at most "
            "281474976710656 together");
}

TEST(PackageTest, WorkMayBeMissing) {
  Package p = Sample();
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").steps[1].facts.work, std::nullopt);
  p.steps[1].facts.work = WorkCounts{0, 3, 0, 5, 0};
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").steps[1].facts.work, p.steps[1].facts.work);
  const std::string manifest = ManifestText(p), counts = "\"code_products\": 3";
  const auto with = [&](const std::string& to) {
    std::string text = manifest;
    text.replace(text.find(counts), counts.size(), to);
    return ErrorOf([&] { ParseManifest(text, ModuleBytes(p), "f"); });
  };
  EXPECT_EQ(with("\"code_products\": -1"),
            "f: steps[1].work.code_products = -1: must be an integer in [0, 9223372036854775807]");
  EXPECT_THAT(with("\"products\": 3"), testing::StartsWith("f: steps[1].work.products: "));
  p.steps[1].facts.work = WorkCounts{};  // counted, and none
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").steps[1].facts.work, WorkCounts{});
  p.steps[0].facts.work = p.steps[1].facts.work = WorkCounts{0, 0, 0, (int64_t{1} << 47) + 1, 0};
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }),
            "f: steps[1].work.elements = 140737488355329: those of all steps must be at most "
            "281474976710656 together");
}

TEST(PackageTest, WhatWasAssumedIsSaid) {
  Package p = Sample();
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").assumed, std::nullopt);
  p.assumed = {7, 1};
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").assumed, p.assumed);
  EXPECT_EQ(TextOf(*p.assumed),
            "int8 codes and scales are assumed, from random inputs by seed 7, and 1 tensor of "
            "weights");
  p.assumed = {-1, 0};
  EXPECT_EQ(ErrorOf([&] { ParsePackage(SerializePackage(p), "f"); }),
            "f: manifest: assumed.seed = -1: must be an integer in [0, 4294967295]");
}

TEST(PackageTest, AKernelHasAReasonAndAProgramNone) {
  const std::vector<uint8_t> bytes = SerializePackage(Sample());
  std::string manifest(bytes.begin() + 168, bytes.end());
  manifest.resize(manifest.find("\n}\n") + 3);
  const auto without = [&](const std::string& from, const std::string& to) {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    return ErrorOf([&] { ParseManifest(text, ModuleBytes(Sample()), "f"); });
  };
  EXPECT_EQ(without("\"why\": \"is real\",", ""), "f: steps[1].why: is missing");
  EXPECT_EQ(
      without("\"program\": 1,", "\"program\": 1, \"why\": \"idle\","),
      "f: steps[0].why: unknown key; known here: name, copy, kernel, program, inputs, outputs, op, "
      "shape, macs, bound_machine, off_by");
}

TEST(PackageTest, KnowsHowFarItsResultsMayBeOff) {
  Package p = Sample();
  EXPECT_EQ(p.inexactness(), std::nullopt);
  p.steps[0].facts.off_by = 3;
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").steps[0].facts.off_by, 3);
  int64_t programs = 0;
  for (const PackageStep& step : p.steps) programs += step.kind == PackageStep::Kind::kProgram;
  EXPECT_EQ(p.inexactness(), (Inexactness{1, programs, 3}));
  EXPECT_EQ(
      TextOf(Inexactness{2, 5, 1}),
      "requantisation is not exact: results of 2 of 5 steps on the accelerator may be off, by "
      "1 code at most for the same inputs");
}

TEST(PackageTest, KernelsAndModulesHoldTogether) {
  const auto with = [](const std::function<void(Package&)>& change) {
    return ErrorOf([&] {
      Package p = Sample();
      change(p);
      ValidatePackage(p, "f");
    });
  };
  EXPECT_EQ(with([](Package& p) { p.steps[1].kernel = 1; }),
            "f: steps[1].kernel = 1: the package has 1 kernel");
  EXPECT_EQ(with([](Package& p) { p.kernels[0].argument_bytes = {16}; }),
            "f: steps[1]: tensors = 2: kernel softmax_0 takes 1");
  EXPECT_EQ(with([](Package& p) {
              p.kernels[0].argument_bytes = {15, 16};
            }),
            "f: steps[1]: input out = 16 bytes: kernel softmax_0 takes 15");
  EXPECT_EQ(with([](Package& p) {
              p.kernels[0].argument_bytes = {16, 17};
            }),
            "f: steps[1]: output in = 16 bytes: kernel softmax_0 takes 17");
  EXPECT_EQ(with([](Package& p) { p.kernels[0].name = "soft.max"; }),
            "f: kernels[0].name = soft.max: must be 1 to 200 letters, digits and '_'");
  EXPECT_EQ(with([](Package& p) { p.kernels.push_back(p.kernels[0]); }),
            "f: kernels[1].name = softmax_0: another kernel has the same");
  EXPECT_EQ(with([](Package& p) { p.modules[1].format = "ptx"; }),
            "f: modules[1].arch = armv7: must be nvptx64");
  EXPECT_EQ(with([](Package& p) { p.modules[1].format = "coff"; }),
            "f: modules[1].format = coff: must be elf, ptx or opencl");
  EXPECT_EQ(with([](Package& p) { p.modules[1].arch = "vax"; }),
            "f: modules[1].arch = vax: is not known");
  EXPECT_EQ(with([](Package& p) { p.modules[1].features = {"avx2"}; }),
            "f: modules[1].features = avx2: armv7 has no such");
  EXPECT_EQ(with([](Package& p) {
              p.modules[0].features = {"avx2", "avx2"};
            }),
            "f: modules[0].features = avx2: stands twice");
  EXPECT_EQ(with([](Package& p) { p.config.reset(); }),
            "f: config: must be there: there are programs for an accelerator");
  const std::string manifest = ManifestText(Sample());
  EXPECT_EQ(ErrorOf([&] {
              ParseManifest(manifest, std::vector<uint8_t>{'x', 'y'}, "f");
            }),
            "f: modules[1].bytes = 1: must be an integer in [0, 0]");
  EXPECT_EQ(ErrorOf([&] { ParseManifest(manifest, std::vector<uint8_t>(4), "f"); }),
            "f: modules = "
            "[{\"format\":\"elf\",\"arch\":\"x86_64\",\"features\":[\"avx2\",\"fma\"...: leave 1 "
            "byte of their section over");
}

TEST(PackageTest, EveryDamagedByteIsRefused) {
  const std::vector<uint8_t> bytes = SerializePackage(Sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> damaged = bytes;
    damaged[i] ^= 0x10;
    ASSERT_NE(ErrorOf([&] { ParsePackage(damaged, "f"); }), "no error") << "byte " << i;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(ErrorOf([&] { ParsePackage(std::span(bytes).first(size), "f"); }), "no error")
        << size;
}

TEST(PackageTest, AnotherFormatIsRefusedByItsNumber) {
  std::vector<uint8_t> bytes = SerializePackage(Sample());
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "VTAPKG04");
  bytes[7] = '5';
  EXPECT_THAT(ErrorOf([&] { ParsePackage(bytes, "f"); }),
              testing::StartsWith("f: format = 05: this "));
  bytes[7] = '1';
  EXPECT_TRUE(IsPackage(bytes));
  for (const size_t size : {bytes.size(), size_t{8}})
    EXPECT_EQ(ErrorOf([&] { ParsePackage(std::span(bytes).first(size), "f"); }),
              "f: format = 01: this version reads formats 02 to 04: compile the model again, or "
              "take the version that made the package");
  EXPECT_EQ(ErrorOf([&] { ParsePackage(std::span(bytes).first(7), "f"); }),
            "f: 7 bytes: is cut off: the head alone has 168");
}

// What a fuzzer starts from is not refused at the door.
TEST(PackageTest, TheFirstInputsOfFuzzersAreRead) {
  const std::string folder = SourcePath("tests/fuzz/corpus/package/");
  EXPECT_EQ(ReadPackage(folder + "sample.vta").model, "sample");
  const std::string manifest = ReadTextFile(folder + "manifest.json", 1 << 20);
  EXPECT_EQ(ParseManifest(manifest, {}, "f").model, "sample");
}

TEST(PackageTest, NamesADamagedSection) {
  std::vector<uint8_t> bytes = SerializePackage(Sample());
  bytes.back() ^= 1;
  EXPECT_EQ(ErrorOf([&] { ParsePackage(bytes, "f"); }),
            "f: section modules: its bytes do not match their hash: the file is damaged");
}

}  // namespace
}  // namespace vta::isa
