// Tilings of each way of hiding latency, and the cycles of their programs.
#include "compiler/targets/vta/kernels/hiding.h"

#include <gtest/gtest.h>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/lower/lower.h"
#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

constexpr Hiding kRestrictions[] = {Hiding::kOneSlot, Hiding::kSlots, Hiding::kThreads};

/// Layers of ResNet-18, a strided one and a dense one.
std::vector<ConvShape> HidingShapes() {
  ConvShape window{.ci = 8, .co = 8, .in_h = 28, .in_w = 28, .kh = 3, .kw = 3};
  window.pad_top = window.pad_left = window.pad_bottom = window.pad_right = 1;
  ConvShape deep{.ci = 16, .co = 16, .in_h = 14, .in_w = 14, .kh = 3, .kw = 3};
  deep.pad_top = deep.pad_left = deep.pad_bottom = deep.pad_right = 1;
  const ConvShape strided{.ci = 4, .co = 8, .in_h = 56, .in_w = 56, .stride_h = 2, .stride_w = 2};
  return {window, deep, strided, {.ci = 32, .co = 62}};
}

int64_t CyclesOf(const isa::Config& config, const ConvShape& shape, const ConvTiling& tiling) {
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  TaskProgram program = LowerTasks(
      config, ScheduleConv(config, definition, shape, tiling).function(), isa::Rounding::kSingle);
  FinishTasks(config, &program);
  Tensors tensors;
  for (const loop::Buffer& parameter : definition.function.params)
    tensors[parameter->name].resize(parameter->SizeElems() * SizeBytes(parameter->dtype));
  const Image image = MakeImage(isa::Layout(config), program, tensors);
  isa::LaunchRequest launch;
  launch.instruction_address = static_cast<uint64_t>(image.program);
  launch.instruction_count = std::ssize(image.words);
  return sim::cycle::Core(config).Run(launch, image.memory).counters.time.value().cycles;
}

TEST(Hiding, TilingsObeyTheRestriction) {
  for (const char* name : {"default", "vta_0.0.2", "two_banks"}) {
    const isa::Config config = ConfigNamed(name);
    for (const ConvShape& shape : HidingShapes()) {
      const ConvTiling one = ChooseConvTiling(config, shape, "conv", {Hiding::kOneSlot});
      EXPECT_EQ(one.threads, ThreadAxis::kNone) << Print(one);
      EXPECT_EQ(one.slots, 1) << Print(one);
      EXPECT_EQ(one.load_slots, 1) << Print(one);
      const ConvTiling slots = ChooseConvTiling(config, shape, "conv", {Hiding::kSlots});
      EXPECT_EQ(slots.threads, ThreadAxis::kNone) << Print(slots);
      EXPECT_GE(slots.slots, 2) << Print(slots);
      const ConvTiling threads = ChooseConvTiling(config, shape, "conv", {Hiding::kThreads});
      EXPECT_NE(threads.threads, ThreadAxis::kNone) << Print(threads);
      // The free choice is the cheapest of all.
      const auto estimate = [&](const ConvTiling& tiling) {
        return EstimateConv(config, shape, tiling).cycles;
      };
      int64_t least = INT64_MAX;
      for (const ConvTiling& tiling : {one, slots, threads})
        least = std::min(least, estimate(tiling));
      EXPECT_EQ(estimate(ChooseConvTiling(config, shape, "conv")), least) << name;
    }
  }
}

TEST(Hiding, NoTiling) {
  // One tile is all there is, which no two threads share.
  const isa::Config config = ConfigNamed("default");
  const ConvShape shape{.ci = 4};
  EXPECT_EQ(ErrorOf([&] { ChooseConvTiling(config, shape, "conv", {Hiding::kThreads}); }),
            "conv: tile = none: none that hides latency so fits the config");
  EXPECT_EQ(ChooseConvTiling(config, shape, "conv", {Hiding::kOneSlot}).slots, 1);
}

TEST(Hiding, SlotsAndThreadsHideWhatOneSlotDoesNot) {
  for (const char* name : {"default", "vta_0.0.2"}) {
    const isa::Config config = ConfigNamed(name);
    for (const ConvShape& shape : HidingShapes()) {
      if (shape.out_h() == 1) continue;  // waits for its weights, whatever its tiles
      std::vector<int64_t> cycles;
      for (const Hiding hiding : kRestrictions)
        cycles.push_back(
            CyclesOf(config, shape, ChooseConvTiling(config, shape, "conv", {hiding})));
      EXPECT_LT(cycles[1] * 100, cycles[0] * 95) << name;
      EXPECT_LT(cycles[2] * 100, cycles[0] * 95) << name;
    }
  }
}

}  // namespace
}  // namespace vta::compiler::targets
