// What a session takes, and the limit.
#include "runtime/memory_use.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

TEST(MemoryUse, CountsEachPartOnce) {
  isa::Package package = AddThree();
  package.tensors.push_back({"again", isa::ElementType::kUint8, {8}, 64});  // a name for y
  package.outputs = {2, 3};
  package.modules = {{"elf", "x86_64", {}, {1, 2, 3}}, {"elf", "armv7", {}, {1, 2}}};
  const MemoryUse use = MemoryOf(package, 5);
  EXPECT_EQ(use.activations, 72);  // the end of y
  EXPECT_EQ(use.tensors, 16);
  EXPECT_EQ(use.constants, 8);
  EXPECT_EQ(use.workspace, 5 * 64);
  EXPECT_EQ(use.code, 3);
  EXPECT_EQ(use.peak(), 72 + 8 + 5 * 64 + 3);
  package = AddFiveThenNegate();
  EXPECT_EQ(MemoryOf(package, 2).code, 6 * 16);
  EXPECT_EQ(MemoryOf(package, 2).workspace, 2 * 128);
  EXPECT_EQ(MemoryOf(package, 2).tensors, 24);
}

TEST(MemoryUse, OfAGpuWhatLiesThere) {
  isa::Package package = AddThree();
  package.modules = {{"elf", "x86_64", {}, {1, 2, 3}}, {"ptx", "nvptx64", {"sm_70"}, {1, 2}}};
  package.kernels.push_back({"gpu", 1, 1 << 20, {}, 64});
  package.gpu_offset_bytes = package.constants_offset_bytes + 2;
  package.arena_bytes = 1024;
  package.tensors.push_back({"z", isa::ElementType::kUint8, {8}, 512});
  package.tensors.push_back({"zz", isa::ElementType::kUint8, {16}, 640});
  const MemoryUse use = MemoryOf(package, 2);
  EXPECT_EQ(use.gpu, (656 - 512) + (8 - 2));
  EXPECT_EQ(use.activations, 72 + (656 - 512));
  EXPECT_EQ(HostActivations(package), 72);
  EXPECT_EQ(use.constants, 8);
  EXPECT_EQ(use.workspace, 2 * 64);  // of a CPU's kernels
  EXPECT_EQ(use.code, 3 + 2);
}

TEST(MemoryUse, ASessionSaysItsOwn) {
  const Add add;
  const Session session(std::make_shared<Model>(AddThree(), "p", ModelOptions{.kernels = &add}),
                        nullptr, {.threads = 3});
  EXPECT_EQ(session.memory().threads, 3);
  EXPECT_EQ(session.memory().workspace, 3 * 64);
}

TEST(MemoryUse, ALimitNamesTheNeedAndWhatMakesItUp) {
  const isa::Package package = AddThree();
  RequireMemory(package, "p.vta", 2, 208);
  try {
    RequireMemory(package, "p.vta", 2, 207);
    FAIL() << "207 bytes were taken as enough";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "p.vta: memory = 208 bytes: must be at most the limit, 207: 72 of activations (the largest "
        "tensor, x, has 8), 8 of constants, 128 of workspace for 2 threads, 0 of code");
  }
}

}  // namespace
}  // namespace vta::runtime
