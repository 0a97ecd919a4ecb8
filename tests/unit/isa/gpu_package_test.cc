// Packages with kernels of a GPU, alone and beside other steps.
#include <gmock/gmock.h>

#include <functional>

#include "isa/package.h"
#include "isa/package_set.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace vta::isa {
namespace {

using Kind = PackageStep::Kind;
using testing::ElementsAre;

/// All of it is for a GPU: tensors anywhere in the arena, no programs.
Package ForGpu() {
  Package p;
  p.model = "gpu";
  p.arena_bytes = 4096;
  p.constants = {1, 2, 3, 4};
  p.constants_offset_bytes = 8;
  p.kernels = {{"softmax_0", 4, 64, {16, 16}, 256}};
  p.modules = {{"ptx", "nvptx64", {"sm_70"}, {1, 2, 3}}};
  p.tensors = {{"in", ElementType::kFloat32, {1, 4}, 64}, {"out", ElementType::kInt8, {16}, 128}};
  p.steps = {{"soft", Kind::kKernel, 0, 0, {0}, {1}, {"softmax", "", 0, "is real"}}};
  p.inputs = {0};
  p.outputs = {1};
  return p;
}

/// A program, a kernel of a GPU between copies, and one of the CPU.
Package Mixed() {
  Package p;
  p.model = "mixed";
  p.config = Config();
  p.arena_bytes = 8192;
  p.code.assign(kInstructionBytes, 3);
  p.constants = {1, 2, 3, 4, 5, 6};
  p.constants_offset_bytes = 4092;
  p.gpu_offset_bytes = 4096;
  p.kernels = {{"on_gpu", 4, 64, {16, 16}, 256}, {"on_cpu", 2, 0, {16, 16}}};
  p.modules = {{"elf", "x86_64", {}, {'x'}}, {"ptx", "nvptx64", {"sm_70"}, {'p'}}};
  p.tensors = {{"x", ElementType::kInt8, {16}, 0},        {"a", ElementType::kInt8, {16}, 64},
               {"a.gpu", ElementType::kInt8, {16}, 4112}, {"b.gpu", ElementType::kInt8, {16}, 4128},
               {"b", ElementType::kInt8, {16}, 0},        {"y", ElementType::kInt8, {16}, 128}};
  p.programs = {{0, 1}};
  p.steps = {{"conv", Kind::kProgram, 0, 0, {0}, {1}, {}},
             {"there", Kind::kCopy, 0, 0, {1}, {2}, {"copy", "16 -> 16"}},
             {"gpu", Kind::kKernel, 0, 0, {2}, {3}, {}},
             {"back", Kind::kCopy, 0, 0, {3}, {4}, {"copy", "16 -> 16"}},
             {"cpu", Kind::kKernel, 0, 1, {4}, {5}, {}}};
  p.inputs = {0};
  p.outputs = {5};
  return p;
}

std::string With(Package p, const std::function<void(Package&)>& change) {
  change(p);
  return ErrorOf([&] { ValidatePackage(p, "f"); });
}

TEST(GpuPackage, ForAGpuAlone) {
  const auto with = [](const auto& change) { return With(ForGpu(), change); };
  const Package read = ParsePackage(SerializePackage(ForGpu()), "f");
  ValidatePackage(read, "f");
  EXPECT_EQ(read.Gpu(), &kCudaGpu);
  EXPECT_EQ(read.kernels[0].threads, 256);
  EXPECT_EQ(read.host_bytes(), 0);
  EXPECT_EQ(read.HostConstants().size(), 0);
  EXPECT_EQ(read.GpuConstants().size(), 4);
  EXPECT_TRUE(read.IsOnGpu(read.tensors[0]));
  EXPECT_EQ(read.WhereOf(read.steps[0]), "cuda");
  EXPECT_EQ(with([](Package& p) { p.kernels[0].threads = 0; }),
            "f: kernels[0] = softmax_0: has 0 threads, as none of a GPU's, and no module is for a "
            "CPU");
  EXPECT_EQ(with([](Package& p) {
              p.modules = {{"elf", "x86_64", {}, {'x'}}};
            }),
            "f: kernels[0] = softmax_0: has 256 threads, and no module is for a GPU");
  EXPECT_EQ(with([](Package& p) { p.modules[0].features = {"avx2"}; }),
            "f: modules[0].features = avx2: must be one that PTX is made for, such as sm_80");
  EXPECT_EQ(with([](Package& p) { p.modules[0].features.clear(); }),
            "f: modules[0].features = none: must be one that PTX is made for, such as sm_80");
  EXPECT_EQ(with([](Package& p) { p.tensors[0].offset_bytes = 72; }),
            "f: tensors[0] in = byte 72: must begin at a multiple of 16 behind byte 0, as kernels "
            "of a GPU take it to");
  // The same in OpenCL C.
  const auto in_opencl = [](Package& p) { p.modules[0] = {"opencl", "opencl", {"1.2"}, {'k'}}; };
  EXPECT_EQ(with(in_opencl), "no error");
  Package opencl = ForGpu();
  in_opencl(opencl);
  EXPECT_EQ(opencl.Gpu(), &kOpenClGpu);
  EXPECT_EQ(with([&](Package& p) {
              in_opencl(p);
              p.modules[0].arch = "nvptx64";
            }),
            "f: modules[0].arch = nvptx64: must be opencl");
  EXPECT_EQ(with([&](Package& p) {
              in_opencl(p);
              p.modules[0].features = {"sm_70"};
            }),
            "f: modules[0].features = sm_70: must be a version of OpenCL C: 1.2");
  EXPECT_EQ(with([&](Package& p) {
              in_opencl(p);
              p.modules.push_back(ForGpu().modules[0]);
            }),
            "f: modules[1].format = ptx: must be opencl, as that of the first for a GPU");
  Package p = ForGpu();
  p.kernels[0].threads = 1025;
  EXPECT_EQ(ErrorOf([&] { ParsePackage(SerializePackage(p), "f"); }),
            "f: manifest: kernels[0].threads = 1025: must be an integer in [1, 1024]");
  p = ForGpu();
  p.kernels[0].shared_bytes = 98304;
  EXPECT_EQ(ParsePackage(SerializePackage(p), "f").kernels[0].shared_bytes, 98304);
  p.kernels[0].shared_bytes = 98305;
  EXPECT_EQ(ErrorOf([&] { ParsePackage(SerializePackage(p), "f"); }),
            "f: manifest: kernels[0].shared = 98305: must be an integer in [1, 98304]");
}

TEST(GpuPackage, BesideOtherSteps) {
  const std::vector<uint8_t> bytes = SerializePackage(Mixed());
  const Package read = ParsePackage(bytes, "f");
  EXPECT_EQ(SerializePackage(read), bytes);
  EXPECT_EQ(read.gpu_offset_bytes, 4096);
  EXPECT_EQ(read.host_bytes(), 4096);
  EXPECT_THAT(read.HostConstants(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read.GpuConstants(), ElementsAre(5, 6));
  std::vector<std::string> where;
  for (const PackageStep& step : read.steps) where.push_back(read.WhereOf(step));
  EXPECT_THAT(where, ElementsAre("vta", "to cuda", "cuda", "from cuda", "cpu"));
}

TEST(GpuPackage, WhatDoesNotHoldTogether) {
  const auto with = [](const auto& change) { return With(Mixed(), change); };
  EXPECT_EQ(with([](Package& p) { p.gpu_offset_bytes = 8193; }),
            "f: gpu_offset = 8193: must be inside the arena of 8192");
  EXPECT_EQ(with([](Package& p) { p.tensors[1].offset_bytes = 4090; }),
            "f: tensors[1] a = bytes 4090 to 4106: must end before the GPU's memory, which begins "
            "at byte 4096 of the arena");
  EXPECT_EQ(with([](Package& p) { p.tensors[3].offset_bytes = 4120; }),
            "f: tensors[3] b.gpu = byte 4120: must begin at a multiple of 16 behind byte 4096, as "
            "kernels of a GPU take it to");
  EXPECT_EQ(with([](Package& p) { p.steps[2].inputs = {1}; }),
            "f: steps[2]: tensor a = byte 64: must lie in the GPU's memory, which begins at byte "
            "4096 of the arena");
  EXPECT_EQ(with([](Package& p) { p.steps[4].inputs = {3}; }),
            "f: steps[4]: tensor b.gpu = byte 4128: must lie outside the GPU's memory, which "
            "begins at byte 4096 of the arena");
  EXPECT_EQ(with([](Package& p) { p.steps[0].outputs = {2}; }),
            "f: steps[0]: tensor a.gpu = byte 4112: must lie outside the GPU's memory, which "
            "begins at byte 4096 of the arena");
  EXPECT_EQ(with([](Package& p) { p.steps[1].outputs = {4}; }),
            "f: steps[1]: tensor b = byte 0: must lie in the GPU's memory, which begins at byte "
            "4096 of the arena");
  EXPECT_EQ(with([](Package& p) {
              p.steps[1].inputs = {0, 1};
            }),
            "f: steps[1]: tensors = 3: a copy has an input and an output");
  EXPECT_EQ(with([](Package& p) { p.tensors[2].shape = {8}; }),
            "f: steps[1]: output a.gpu = 8 bytes: must be as many as its input's, 16");
  for (const bool all : {false, true}) {
    const auto drop = [&](Package& p) {
      p.modules.pop_back();
      if (all) p.modules.clear();
    };
    EXPECT_EQ(with(drop), "f: gpu_offset = 4096: must be absent: no module is for a GPU");
    EXPECT_EQ(with([&](Package& p) {
                drop(p);
                p.gpu_offset_bytes.reset();
              }),
              "f: kernels[0] = on_gpu: has 256 threads, and no module is for a GPU");
  }
  EXPECT_EQ(with([](Package& p) { p.modules.erase(p.modules.begin()); }),
            "f: kernels[1] = on_cpu: has 0 threads, as none of a GPU's, and no module is for a "
            "CPU");
  std::string manifest = ManifestText(Mixed());
  manifest.replace(manifest.find("\"copy\": true"), 12, "\"copy\": false");
  EXPECT_EQ(ErrorOf([&] { ParseManifest(manifest, ModuleBytes(Mixed()), "f"); }),
            "f: steps[1].copy = false: must be true");
}

TEST(GpuPackage, TensorsWithoutBytesMayLieWhereTheArenaEnds) {
  Package p = ForGpu();
  p.kernels[0].threads = 0;
  p.modules = {{"elf", "x86_64", {}, {'x'}}};
  p.tensors[0] = {"in", ElementType::kFloat32, {0}, p.arena_bytes};
  p.kernels[0].argument_bytes[0] = 0;
  EXPECT_EQ(ErrorOf([&] { ValidatePackage(p, "f"); }), "no error");
  EXPECT_FALSE(p.IsOnGpu(p.tensors[0]));
}

TEST(GpuPackage, SeveralInAFile) {
  std::vector<uint8_t> bytes = SerializePackage(Mixed());
  const size_t first = bytes.size();
  const std::vector<uint8_t> other = SerializePackage(ForGpu());
  EXPECT_EQ(ParsePackages(bytes, "f").size(), 1);
  bytes.insert(bytes.end(), other.begin(), other.end());
  const std::vector<Package> both = ParsePackages(bytes, "f");
  ASSERT_EQ(both.size(), 2);
  EXPECT_EQ(SerializePackage(both[1]), other);
  EXPECT_THAT(TargetsOf(both[0]), ElementsAre("vta", "cuda", "cpu"));
  EXPECT_THAT(TargetsOf(both[1]), ElementsAre("cuda"));
  EXPECT_EQ(ErrorOf([&] { ParsePackage(bytes, "f"); }),
            StrCat("f: ", bytes.size(), " bytes: another package begins at ", first,
                   ", and one is wanted"));
  for (const size_t at : {first + 20, bytes.size() - 1, size_t{5}, first - 1}) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= 1;
    EXPECT_NE(ErrorOf([&] { ParsePackages(damaged, "f"); }), "no error") << at;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    if (size != first)
      ASSERT_NE(ErrorOf([&] { ParsePackages(std::span(bytes).first(size), "f"); }), "no error")
          << size;
  bytes.back() ^= 1;
  EXPECT_THAT(ErrorOf([&] { ParsePackages(bytes, "f"); }),
              testing::StartsWith("f: package 1: section modules: "));
}

// What was written as 02, when kernels of a GPU were alone in a package, says the same.
TEST(GpuPackage, OfTheFormatBefore) {
  std::vector<uint8_t> bytes = SerializePackage(ForGpu());
  bytes[7] = '2';
  const Package read = ParsePackage(bytes, "f");
  EXPECT_FALSE(read.gpu_offset_bytes.has_value());
  EXPECT_EQ(read.host_bytes(), 0);
  EXPECT_EQ(ManifestText(read), ManifestText(ForGpu()));
}

}  // namespace
}  // namespace vta::isa
