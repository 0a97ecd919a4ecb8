// Convolutions end to end: the tensor expression on the interpreter against the program on the
// functional simulator, for random shapes, tilings and configs.
#include "compiler/targets/vta/kernels/conv/conv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/lower/lower.h"
#include "isa/support/error.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/vta/kernels/random_conv.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

Tensors RandomTensors(const isa::Config& config, const loop::Function& function,
                      std::mt19937& random) {
  Tensors tensors;
  for (const loop::Buffer& param : function.params)
    tensors[param->name] = RandomBytes(param->SizeElems() * SizeBytes(param->dtype), random);
  const int64_t channels = function.params[2]->shape[0] * config.arch.block_out;
  std::vector<isa::RequantLane> lanes(channels);
  for (isa::RequantLane& lane : lanes) {
    lane.bias = static_cast<int32_t>(random() % 4001) - 2000;
    lane.multiplier = static_cast<int32_t>((1u << 30) + random() % (1u << 30));
    lane.exponent = static_cast<int8_t>(-8 - static_cast<int>(random() % 5));
    lane.zero_point = static_cast<int8_t>(random());
    lane.low = -100;
    lane.high = 110;
  }
  std::vector<int32_t> p =
      PackParameters(config, lanes, std::vector<int64_t>(channels, int64_t{1} << 24));
  if (tensors.contains("s")) {
    for (isa::RequantLane& lane : lanes) lane.low = -128, lane.exponent = -6;
    p = JoinRows(function.params[2]->shape[0], p,
                 PackParameters(config, lanes, std::vector<int64_t>(channels, 1 << 21)));
  }
  // What is left are the rows of borders.
  std::vector<int32_t> border(function.params[2]->SizeElems() - std::ssize(p));
  for (int32_t& value : border) value = static_cast<int32_t>(random() % 20001) - 10000;
  p = JoinRows(function.params[2]->shape[0], p, border);
  tensors["p"] = BytesOf(p);
  // Most elements of further terms are 0.
  const int64_t terms = function.params[1]->shape[0];
  std::vector<uint8_t>& w = tensors["w"];
  for (size_t at = w.size() / terms; at < w.size(); at += config.wgt_bytes())
    if (random() % 4) std::fill_n(w.begin() + static_cast<int64_t>(at), config.wgt_bytes(), 0);
  return tensors;
}

/// What a program of random tensors may leave out.
SparseConstants SparseOf(const isa::Config& config, const Tensors& tensors, int64_t terms) {
  const std::vector<uint8_t>& w = tensors.at("w");
  const int64_t elements = static_cast<int64_t>(w.size()) / config.wgt_bytes();
  return {{"w", StoredElements(w, config.wgt_bytes(), elements / terms)}};
}

TEST(Conv, RandomShapesTilingsAndConfigs) {
  std::mt19937 random(7);
  const std::vector<isa::Config> configs = ConvConfigs();
  int64_t nops = 0, threaded = 0, maxima = 0, kept = 0;
  for (int round = 0; round < Trials(112); ++round) {
    const isa::Config& config = configs[round % configs.size()];
    const isa::Rounding rounding = random() % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle;
    const ConvShape shape = RandomShape(config, random);
    const ConvTiling tiling = RandomTiling(config, shape, random);
    SCOPED_TRACE(StrCat("round ", round, ": ci ", shape.ci, " co ", shape.co, " in ", shape.in_h,
                        "x", shape.in_w, " k ", shape.kh, "x", shape.kw, ", ", Print(tiling)));
    const ConvDefinition definition =
        DefineConv(config, rounding, {.zero_point = 3, .low = -90, .high = 99}, "conv", shape);
    const loop::Schedule schedule = ScheduleConv(config, definition, shape, tiling);
    Tensors tensors = RandomTensors(config, definition.function, random);
    const SparseConstants sparse = SparseOf(config, tensors, shape.weight_terms);
    TaskProgram program = LowerTasks(config, schedule.function(), rounding, sparse);
    const ProgramStats stats = FinishTasks(config, &program);
    nops += stats.tokens.nops - (config.version == isa::Version::k002);
    threaded += tiling.threads != ThreadAxis::kNone;
    maxima += shape.max.has_value();
    kept += KeepsLines(shape, tiling);
    for (const Task& task : program.tasks) {
      const Gemm* gemm = std::get_if<Gemm>(&task.op);
      ASSERT_FALSE(config.arch.overwrite && gemm && gemm->writes == GemmWrites::kZero);
    }
    const Tensors wanted = Interpret(definition.function, tensors);
    ASSERT_TRUE(Interpret(schedule.function(), tensors).at("y") == wanted.at("y"))
        << "the schedule";
    const auto order = static_cast<sim::ModuleOrder>(round % 5);
    tensors["w"] = sparse.at("w").Pack(tensors["w"]);
    ASSERT_TRUE(Simulate(config, program, tensors, order).at("y") == wanted.at("y"));
  }
  EXPECT_EQ(nops, 0);
  EXPECT_GE(threaded, Trials(6));
  EXPECT_GE(maxima, Trials(18));
  if (Trials(112) == 112) {  // a sample may have none
    EXPECT_GE(kept, 4);
  }
}

/// Elements of inp that a convolution of one pixel loads, strided so, from 8 x 6 pixels; its result
/// is held against the interpreter's.
int64_t LoadedPixels(const isa::Config& config, int64_t stride_h, int64_t stride_w) {
  const ConvShape shape{.in_h = 8, .in_w = 6, .stride_h = stride_h, .stride_w = stride_w};
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  const loop::Schedule schedule = ScheduleConv(
      config, definition, shape, {.height = shape.out_h(), .width = shape.out_w(), .kh = 1});
  TaskProgram program = LowerTasks(config, schedule.function(), isa::Rounding::kSingle);
  int64_t loaded = 0;
  for (const Task& task : program.tasks)
    if (const Dma* dma = std::get_if<Dma>(&task.op);
        dma && program.tensors[dma->tensor].element == isa::MemoryType::kInp)
      loaded += dma->y_size * dma->x_size;
  std::mt19937 random(9);
  const Tensors tensors = RandomTensors(config, definition.function, random);
  FinishTasks(config, &program);
  EXPECT_TRUE(Simulate(config, program, tensors).at("y") ==
              Interpret(definition.function, tensors).at("y"));
  return loaded / ChannelBlocks(config).in_parts;
}

TEST(Conv, StridesOfOnePixelLoadWhatTheyRead) {
  isa::Config config = ConfigNamed("default");  // a pixel is two beats, and 8 bursts run at once
  EXPECT_EQ(LoadedPixels(config, 1, 1), 8 * 6);
  EXPECT_EQ(LoadedPixels(config, 2, 2), 4 * 3);
  EXPECT_EQ(LoadedPixels(config, 3, 1), 3 * 6);
  EXPECT_EQ(LoadedPixels(config, 1, 3), 8 * 2);
  config.arch.block_in = 8, config.arch.block_out = 32;  // a pixel is 4 elements
  EXPECT_EQ(LoadedPixels(config, 2, 2), 4 * 3);
  config = ConfigNamed("default");
  config.memory.read_latency_cycles = 30;        // four cycles a burst: as long as both pixels
  EXPECT_EQ(LoadedPixels(config, 2, 2), 4 * 5);  // up to the last that is read
  EXPECT_EQ(LoadedPixels(config, 2, 3), 4 * 2);
}

TEST(Conv, TilesThatLoadsCanPad) {
  isa::Config config = ConfigNamed("default");
  config.arch.block_in = 8, config.arch.block_out = 32;  // pads are 4 elements a pixel
  const ConvShape shape{.in_h = 40,
                        .in_w = 40,
                        .kh = 7,
                        .kw = 7,
                        .stride_h = 2,
                        .stride_w = 2,
                        .pad_top = 3,
                        .pad_left = 3,
                        .pad_bottom = 3,
                        .pad_right = 3};
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  int64_t refused = 0;
  for (int64_t width = 1; width <= shape.out_w(); ++width) {
    SCOPED_TRACE(width);
    const loop::Schedule schedule =
        ScheduleConv(config, definition, shape, {.height = 3, .width = width, .kh = 7});
    if (CanPadTiles(config, shape, width)) {
      EXPECT_NO_THROW(LowerTasks(config, schedule.function(), isa::Rounding::kSingle));
    } else {
      EXPECT_THROW(LowerTasks(config, schedule.function(), isa::Rounding::kSingle), Error);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, shape.out_w());
}

/// Whether the schedule's buffers find a place.
bool Lowers(const isa::Config& config, const ConvShape& shape, const ConvTiling& tiling) {
  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  const loop::Schedule schedule = ScheduleConv(config, definition, shape, tiling);
  try {
    LowerTasks(config, schedule.function(), isa::Rounding::kSingle);
    return true;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("scratchpad ")) << error.what();
    return false;
  }
}

TEST(Conv, KeptInputsHoldWholeSteps) {
  isa::Config config = ConfigNamed("default");
  const ConvShape shape{.co = 2, .in_h = 27, .in_w = 46, .kh = 3, .kw = 3};
  const ConvTiling tiling{
      .height = 13, .width = 15, .kh = 2, .channels_outer = false, .keep_inputs = true};
  for (const int64_t depth : {256, 512}) {
    config.arch.inp_depth = depth;
    EXPECT_EQ(EstimateConv(config, shape, tiling).fits, depth == 512);
    EXPECT_EQ(Lowers(config, shape, tiling), depth == 512);
  }
}

TEST(Conv, FitsWhereTheEstimateSaysSo) {
  std::mt19937 random(8);
  const std::vector<isa::Config> configs = ConvConfigs();
  int64_t fit = 0;
  for (int round = 0; round < Trials(18); ++round) {
    isa::Config config = configs[round % configs.size()];
    const ConvShape shape = RandomShape(config, random);
    const ConvTiling tiling = RandomTiling(config, shape, random);
    SCOPED_TRACE(StrCat("round ", round, ": ", Print(tiling)));
    if (!EstimateConv(config, shape, tiling).fits) continue;
    ++fit;
    for (int64_t isa::Arch::*depth :
         {&isa::Arch::inp_depth, &isa::Arch::wgt_depth, &isa::Arch::acc_depth}) {
      config.arch.*depth = 1;
      while (!EstimateConv(config, shape, tiling).fits) config.arch.*depth *= 2;
      EXPECT_TRUE(Lowers(config, shape, tiling));
      if (config.arch.*depth == 1) continue;
      config.arch.*depth /= 2;
      EXPECT_FALSE(Lowers(config, shape, tiling));
      config.arch.*depth *= 2;
    }
  }
  EXPECT_GE(fit, Trials(13));
}

struct Layer {
  const char* name;
  int64_t hw, channels, filters, kernel, stride;
};
// The convolutions of ResNet-18 after the first, from its paper.
constexpr Layer kResNet18[] = {{"C2", 56, 64, 64, 3, 1},    {"C4", 56, 64, 128, 3, 2},
                               {"C5", 56, 64, 128, 1, 2},   {"C6", 28, 128, 128, 3, 1},
                               {"C7", 28, 128, 256, 3, 2},  {"C8", 28, 128, 256, 1, 2},
                               {"C9", 14, 256, 256, 3, 1},  {"C10", 14, 256, 512, 3, 2},
                               {"C11", 14, 256, 512, 1, 2}, {"C12", 7, 512, 512, 3, 1}};

TEST(Conv, TwoBanksHideWhatRunsBeside) {
  isa::Config one = ConfigNamed("default"), two = one;
  two.uarch.acc_banks = 2;
  const ConvShape shape{.ci = 4, .co = 4, .in_h = 16, .in_w = 16, .kh = 3, .kw = 3};
  ConvTiling tiling{
      .height = 7, .width = 14, .co = 2, .ci = 2, .kh = 3, .slots = 2, .load_slots = 2};
  auto cycles = [&](const isa::Config& config) {
    return EstimateConv(config, shape, tiling).compute_cycles;
  };
  // One pass over the 196 rows of each of 4 tiles but the last, 18 cycles later; parameters come
  // twice as often.
  const int64_t load = 2 * 3 * 64 / 8 + 6 + one.memory.read_latency_cycles;
  EXPECT_EQ(cycles(one) - cycles(two), 3 * (196 - 18) - 2 * load);
  tiling.slots = 1;
  EXPECT_EQ(cycles(one), cycles(two));
  tiling.threads = ThreadAxis::kHeight;
  EXPECT_EQ(cycles(one), cycles(two));
  EXPECT_EQ(ConvWork(one, shape).Cycles(one) - ConvWork(two, shape).Cycles(two), 4 * 196);
}

/// The rows of a scratchpad at which loads start.
std::set<int64_t> LoadRows(const TaskProgram& program, isa::MemoryType memory) {
  std::set<int64_t> rows;
  for (const Task& task : program.tasks)
    if (const Dma* dma = std::get_if<Dma>(&task.op); dma && !dma->store)
      if (program.tensors[dma->tensor].element == memory) rows.insert(dma->sram);
  return rows;
}

// A layer of MobileNet V1: GEMM takes a step of it little longer than its loads take the bus.
TEST(Conv, MoreStepsLieReadyWhereStoresDelayThem) {
  isa::Config config = ConfigNamed("default");
  const ConvShape shape{.ci = 32, .co = 32, .in_h = 14, .in_w = 14};
  ConvTiling tiling{.height = 14, .width = 14, .co = 4, .ci = 2, .slots = 2, .load_slots = 2};
  auto cycles = [&] { return EstimateConv(config, shape, tiling).compute_cycles; };
  for (const int64_t banks : {1, 2}) {
    config.uarch.acc_banks = banks;
    tiling.load_slots = 2;
    const int64_t two = cycles();
    tiling.load_slots = 3;
    const int64_t three = cycles();
    EXPECT_LT(three, two);
    tiling.load_slots = 4;
    EXPECT_EQ(cycles(), three);  // none waits any more
  }
  EXPECT_GT(ChooseConvTiling(config, shape, "conv").load_slots, 2);
  const ConvShape window{.ci = 8, .co = 8, .in_h = 30, .in_w = 30, .kh = 3, .kw = 3};
  EXPECT_EQ(ChooseConvTiling(config, window, "conv").load_slots, 2);

  const ConvDefinition definition = DefineConv(config, isa::Rounding::kSingle, {}, "conv", shape);
  const TaskProgram program = LowerTasks(
      config, ScheduleConv(config, definition, shape, tiling).function(), isa::Rounding::kSingle);
  EXPECT_THAT(LoadRows(program, isa::MemoryType::kInp), testing::SizeIs(4));
  EXPECT_THAT(LoadRows(program, isa::MemoryType::kAcc), testing::SizeIs(2));
}

TEST(Conv, OtherLoadsKeepStepsWaiting) {
  const isa::Config config = ConfigNamed("default");
  const ConvShape shape{.ci = 16, .co = 16, .in_h = 14, .in_w = 14};
  ConvTiling tiling{.height = 2,
                    .width = 14,
                    .co = 8,
                    .ci = 4,
                    .keep_weights = true,
                    .slots = 2,
                    .load_slots = 2};
  auto cycles = [&] { return EstimateConv(config, shape, tiling).compute_cycles; };
  // The weights of the second channel tile take longer than a step; a step more lies ready.
  const int64_t two = cycles();
  tiling.load_slots = 3;
  EXPECT_GT(two - cycles(), 28 * 8 * 4);
}

TEST(Conv, ResNet18LayersComeNearTheirBound) {
  isa::Config banks = ConfigNamed("default");
  banks.name = "banks";
  banks.uarch.acc_banks = 2;
  for (const isa::Config& config : {ConfigNamed("default"), ConfigNamed("vta_0.0.2"), banks}) {
    int64_t cycles = 0, bound = 0;
    for (const Layer& layer : kResNet18) {
      SCOPED_TRACE(layer.name);
      const int64_t pad = layer.kernel / 2;
      const ConvShape shape{.ci = layer.channels / 16,
                            .co = layer.filters / 16,
                            .in_h = layer.hw,
                            .in_w = layer.hw,
                            .kh = layer.kernel,
                            .kw = layer.kernel,
                            .stride_h = layer.stride,
                            .stride_w = layer.stride,
                            .pad_top = pad,
                            .pad_left = pad,
                            .pad_bottom = pad,
                            .pad_right = pad};
      const ConvTiling tiling = ChooseConvTiling(config, shape, layer.name);
      const ConvDefinition definition =
          DefineConv(config, isa::Rounding::kSingle, {}, layer.name, shape);
      const loop::Schedule schedule = ScheduleConv(config, definition, shape, tiling);
      TaskProgram program = LowerTasks(config, schedule.function(), isa::Rounding::kSingle);
      const ProgramStats stats = FinishTasks(config, &program);
      EXPECT_EQ(stats.tokens.nops, config.version == isa::Version::k002 ? 1 : 0);
      EXPECT_EQ(stats.macs, layer.hw * layer.hw / layer.stride / layer.stride * layer.channels *
                                layer.filters * layer.kernel * layer.kernel);
      const ConvEstimate estimate = EstimateConv(config, shape, tiling);
      EXPECT_LE(estimate.cycles, ConvWork(config, shape).Cycles(config) * 4 / 3);
      cycles += estimate.cycles;
      bound += ConvWork(config, shape).Cycles(config);
    }
    EXPECT_LE(cycles, bound * 103 / 100) << config.name;
    EXPECT_GE(cycles, bound) << config.name;
  }
}

}  // namespace
}  // namespace vta::compiler::targets
