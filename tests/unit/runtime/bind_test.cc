// Memory of the caller's in place of copies: who finds it, and when there is a copy after all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "runtime/tensor_uses.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/allocations.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using testing::ElementsAre;
using testing::Optional;

/// y = x + 3, and its memory.
struct Bound {
  explicit Bound(const isa::Package& package = AddThree(), const KernelOptions& kernels = {})
      : session(std::make_shared<Model>(package, "p", ModelOptions{.kernels = &add}), nullptr,
                {.threads = 2, .kernels = kernels}) {}
  Add add;
  Session session;
  alignas(kCacheLineBytes) uint8_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(kCacheLineBytes) uint8_t y[16] = {};
};

TEST(Bind, KernelsWorkInMemoryOfTheCallers) {
  Bound b;
  EXPECT_TRUE(b.session.BindInput(0, b.x));
  EXPECT_TRUE(b.session.BindOutput(0, std::span(b.y).first(8)));
  const int64_t before = test::Allocations();
  for (uint8_t first = 1; first < 9; ++first) {
    b.x[0] = first;
    b.session.Run();
    EXPECT_EQ(b.y[0], first + 3);
    EXPECT_EQ(b.y[7], 11);
  }
  EXPECT_EQ(test::Allocations(), before);
  EXPECT_EQ(b.y[8], 0);  // behind the output
  // The arena has nothing of it: memory that is bound is where the input and the output are.
  std::vector<uint8_t> output(8);
  b.session.GetOutput(0, output);
  EXPECT_EQ(output[0], 11);
  EXPECT_EQ(b.session.ReadTensor(0)[0], 8);
}

TEST(Bind, CopiesOnceWhereMemoryIsNotAligned) {
  Bound b;
  std::vector<uint8_t> memory(kCacheLineBytes + 9, 1);
  EXPECT_FALSE(b.session.BindInput(0, std::span(memory).subspan(1, 8)));
  EXPECT_FALSE(b.session.BindOutput(0, std::span(b.y).subspan(1, 8)));
  b.session.Run();
  EXPECT_THAT(std::span(b.y).first(10), ElementsAre(0, 4, 4, 4, 4, 4, 4, 4, 4, 0));
}

TEST(Bind, EndsWithOtherMemoryOrAnInputThatIsSet) {
  Bound b;
  b.session.BindInput(0, b.x);
  b.session.Run();
  EXPECT_EQ(b.session.ReadTensor(2)[0], 4);
  b.session.BindOutput(0, std::span(b.y).first(8));
  std::vector<uint8_t> bytes(8, 10);
  EXPECT_EQ(ErrorOf([&] { b.session.GetOutput(0, bytes); }), "p: output y: no run has made it");
  b.session.SetInput(0, bytes);
  b.session.Run();
  EXPECT_EQ(b.y[0], 13);
  EXPECT_EQ(ErrorOf([&] { b.session.Run(); }), "p: input x: was not set since the last run");
  b.session.BindInput(0, b.x);
  EXPECT_FALSE(b.session.BindOutput(0, {}));
  b.session.Run();
  EXPECT_EQ(b.y[0], 13);
  b.session.GetOutput(0, bytes);
  EXPECT_EQ(bytes[0], 4);
  EXPECT_FALSE(b.session.BindInput(0, {}));
  EXPECT_EQ(ErrorOf([&] { b.session.Run(); }), "p: input x: was not set since the last run");
}

TEST(Bind, RefusesWhatSetAndGetRefuse) {
  Bound b;
  EXPECT_EQ(ErrorOf([&] { b.session.BindInput(1, b.x); }), "p: input = 1: the model has 1");
  EXPECT_EQ(ErrorOf([&] { b.session.BindInput(0, b.y); }),
            "p: input x = 16 bytes: must be 8 bytes of uint8");
  EXPECT_EQ(ErrorOf([&] { b.session.BindOutput(0, b.y); }),
            "p: output y = 16 bytes: must be 8 bytes of uint8");
}

/// A device that maps nothing, and counts what is copied.
class CountingUnmapped : public Unmapped {
 public:
  using Unmapped::Unmapped;
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override {
    ++copies;
    Unmapped::CopyIn(address, bytes);
  }
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override {
    ++copies;
    Unmapped::CopyOut(address, bytes);
  }
  int64_t copies = 0;
};

TEST(Bind, ProgramsFindOneCopy) {
  const Negate negate;
  driver::FunctionalDevice mapped(TinyConfig());
  CountingUnmapped unmapped(TinyConfig());
  for (driver::FunctionalDevice* device :
       {&mapped, static_cast<driver::FunctionalDevice*>(&unmapped)}) {
    Session session(
        std::make_shared<Model>(AddFiveThenNegate(), "p", ModelOptions{.kernels = &negate}),
        device);
    alignas(kCacheLineBytes) uint8_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
    EXPECT_FALSE(session.BindInput(0, x));
    EXPECT_TRUE(session.BindOutput(0, y));  // which the kernel makes
    unmapped.copies = 0;
    for (uint8_t first = 1; first < 4; ++first) {
      x[0] = first;
      session.Run();
      EXPECT_EQ(y[0], static_cast<uint8_t>(-(first + 5)));
      EXPECT_EQ(y[7], static_cast<uint8_t>(-13));
    }
  }
  EXPECT_EQ(unmapped.copies, 3 * 2);  // the input, and what the kernel takes
}

TEST(Bind, FindsNoUsesWhereBytesAreShared) {
  isa::Package package = AddThree();
  EXPECT_THAT(UsesOfInput(package, 0), Optional(ElementsAre(TensorUse{0, 0, 0})));
  EXPECT_THAT(UsesOfOutput(package, 0), Optional(ElementsAre(TensorUse{0, 2, 0})));
  package.outputs = {2, 0};  // the input is an output, too
  EXPECT_EQ(UsesOfInput(package, 0), std::nullopt);
  EXPECT_EQ(UsesOfOutput(package, 1), std::nullopt);
  package.outputs = {2, 2};
  EXPECT_EQ(UsesOfOutput(package, 0), std::nullopt);
  package.outputs = {1};  // a constant
  EXPECT_EQ(UsesOfOutput(package, 0), std::nullopt);
  EXPECT_EQ(UsesOfInput(AddFiveThenNegate(), 0), std::nullopt);
}

/// Kernels by what they read and write of an arena of bytes.
isa::Package Chain(const std::vector<std::pair<int64_t, int64_t>>& tensors,
                   const std::vector<std::pair<std::vector<int64_t>, int64_t>>& steps) {
  isa::Package package;
  package.arena_bytes = package.constants_offset_bytes = 64;
  for (const auto& [offset, bytes] : tensors)
    package.tensors.push_back({"t", isa::ElementType::kInt8, {bytes}, offset});
  package.kernels = {{"k", 1, 0, {}}};
  for (const auto& [reads, writes] : steps)
    package.steps.push_back({"k", isa::PackageStep::Kind::kKernel, 0, 0, reads, {writes}, {}});
  package.inputs = {0};
  package.outputs = {1};
  return package;
}

TEST(Bind, FollowsPartsAndMemoryThatIsUsedAgain) {
  // A part of the input is read; its memory then holds something else, which a third step reads.
  const isa::Package parts =
      Chain({{0, 16}, {32, 8}, {8, 8}, {0, 16}}, {{{2}, 1}, {{0}, 3}, {{3}, 1}});
  EXPECT_THAT(UsesOfInput(parts, 0), Optional(ElementsAre(TensorUse{0, 0, 8}, TensorUse{1, 0, 0})));
  // Of the two writers of the output the last one counts.
  EXPECT_THAT(UsesOfOutput(parts, 0), Optional(ElementsAre(TensorUse{2, 1, 0})));
  // Half of what is read was the input's, and half is a step's.
  EXPECT_EQ(UsesOfInput(Chain({{0, 16}, {32, 8}, {8, 8}}, {{{0}, 2}, {{0}, 1}}), 0), std::nullopt);
  // The output is made in two parts, one of which is read again.
  const isa::Package whole = Chain({{0, 16}, {32, 16}, {32, 8}, {40, 8}}, {{{0}, 2}, {{2}, 3}});
  EXPECT_THAT(UsesOfOutput(whole, 0),
              Optional(ElementsAre(TensorUse{0, 1, 0}, TensorUse{1, 0, 0}, TensorUse{1, 1, 8})));
  // A part of it is made by nobody; or inside something larger.
  EXPECT_EQ(UsesOfOutput(Chain({{0, 16}, {32, 16}, {32, 8}}, {{{0}, 2}}), 0), std::nullopt);
  EXPECT_EQ(UsesOfOutput(Chain({{0, 16}, {32, 8}, {32, 16}}, {{{0}, 2}}), 0), std::nullopt);
}

// They do not see this one's memory.
TEST(Bind, CopiesForKernelsInAProcessOfTheirOwn) {
  Bound b(AddThree(), {.confinement = Confinement::kProcess});
  EXPECT_FALSE(b.session.BindInput(0, b.x));
  EXPECT_FALSE(b.session.BindOutput(0, std::span(b.y).first(8)));
  b.session.Run();
  EXPECT_THAT(std::span(b.y).first(9), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11, 0));
}

}  // namespace
}  // namespace vta::runtime
