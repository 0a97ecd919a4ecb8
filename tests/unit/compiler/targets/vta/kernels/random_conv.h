// Random convolutions of all kinds, on configs of all kinds, and points of their spaces.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "isa/config.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {

inline int64_t Draw(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
}

/// Windows over as many pixels as fill whole strides: the input becomes so large.
inline void TakeMaximum(ConvShape* s, std::mt19937& random) {
  JoinedMax max{.stride_h = Draw(random, 1, 3), .stride_w = Draw(random, 1, 3)};
  max.kh = Draw(random, max.stride_h, 2 * max.stride_h - 1);
  max.kw = Draw(random, max.stride_w, 2 * max.stride_w - 1);
  const int64_t lines = max.stride_h * Draw(random, 1, 5);
  s->in_h = (lines - 1) * s->stride_h + s->reach_h() - s->pad_top - s->pad_bottom;
  if (s->in_h < 1)
    s->pad_top = s->pad_bottom = 0, s->in_h = (lines - 1) * s->stride_h + s->reach_h();
  while (s->out_w() % max.stride_w) ++s->in_w;
  s->max = max;
}

inline ConvShape RandomShape(const isa::Config& config, std::mt19937& random) {
  ConvShape s;
  s.batch = Draw(random, 1, 2);
  s.groups = Draw(random, 0, 3) == 0 ? Draw(random, 2, 3) : 1;
  s.ci = Draw(random, 1, 3), s.co = Draw(random, 1, 4);
  s.kh = Draw(random, 1, 3), s.kw = Draw(random, 1, 3);
  s.stride_h = Draw(random, 1, 2), s.stride_w = Draw(random, 1, 2);
  s.dilation_h = Draw(random, 1, 2), s.dilation_w = Draw(random, 1, 2);
  s.in_h = Draw(random, s.reach_h(), 9), s.in_w = Draw(random, s.reach_w(), 9);
  if (random() % 3) {
    s.pad_top = Draw(random, 0, s.reach_h() - 1), s.pad_bottom = Draw(random, 0, s.reach_h() - 1);
    const int64_t most = std::min(s.reach_w() - 1, 15 / ChannelBlocks(config).in_parts);
    s.pad_left = Draw(random, 0, most), s.pad_right = Draw(random, 0, most);
    if (config.arch.pad_value) s.pad_value = Draw(random, -128, 127);
    s.border_rows = s.padded() && random() % 2 == 0;
  }
  s.shared_weights = random() % 5 == 0;
  if (random() % 2) s.weight_terms = Draw(random, 2, 3);
  if (random() % 3 == 0) {
    constexpr int64_t kFactors[] = {1, 3, -127, 8191};
    s.residual = Residual{kFactors[random() % 4], kFactors[random() % 4], {}};
    s.residual->terms = Draw(random, 1, 3);
    if (!config.arch.mul) {
      s.residual->factor = 1;
      s.residual->skip_factor = Draw(random, -127, 127) * s.residual->terms;
    }
  }
  if (!s.residual && !s.border_rows && random() % 2) TakeMaximum(&s, random);
  return s;
}

/// A point of the domains that the space has; where lines can be kept, mostly one that keeps some.
inline ConvTiling RandomTiling(const isa::Config& config, const ConvShape& s,
                               std::mt19937& random) {
  const std::vector<tune::Choice> choices = ConvChoices(s);
  for (;;) {
    tune::Point point;
    for (const tune::Choice& choice : choices)
      point.push_back(choice.values[random() % choice.values.size()]);
    ConvTiling tiling = ToTiling(point);
    if (s.max) {  // few of whose points are in the space
      tiling.width = s.result_w();
      tiling.channels_outer = true, tiling.keep_inputs = false;
      tiling.threads = ThreadAxis::kNone, tiling.slots = 2;
      if (s.result_h() > 2 && random() % 4) tiling.height = Draw(random, 1, s.result_h() - 2);
    }
    if (IsInSpace(config, s, Hiding::kAny, tiling)) return tiling;
  }
}

inline std::vector<isa::Config> ConvConfigs() {
  std::vector<isa::Config> configs = {ConfigNamed("default"), ConfigNamed("vta_0.0.2")};
  isa::Config batched = configs[0];
  batched.arch.batch = 2;
  configs.push_back(batched);
  isa::Config wide = configs[0];  // 8 x 32
  wide.arch.block_in = 8, wide.arch.block_out = 32;
  configs.push_back(wide);
  isa::Config tall = configs[0];  // 32 x 8
  tall.arch.block_in = 32, tall.arch.block_out = 8;
  configs.push_back(tall);
  isa::Config mul = configs[0];
  mul.arch.requant = mul.arch.lut = 0;
  configs.push_back(mul);
  isa::Config resets = configs[0];
  resets.arch.overwrite = 0;
  configs.push_back(resets);
  isa::Config few = configs[0];  // no room to unroll a first step
  few.arch.uop_depth = 64;
  configs.push_back(few);
  for (const size_t two_banks : {3, 5, 6}) configs[two_banks].uarch.acc_banks = 2;
  for (const isa::Config& config : configs) isa::ValidateConfig(config, "test");
  return configs;
}

}  // namespace vta::compiler::targets
