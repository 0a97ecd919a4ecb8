#include "compiler/targets/vta/lower/fold.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "compiler/targets/vta/tasks/uop_memory.h"
#include "isa/codec.h"
#include "isa/layout.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

/// Whether `inner` repeated is `outer`'s step: the two are one loop.
bool Continues(const NestLoop& outer, const NestLoop& inner) {
  return outer.dst == inner.dst * inner.extent && outer.src == inner.src * inner.extent &&
         outer.wgt == inner.wgt * inner.extent;
}

/// Without loops of one trip, with loops that continue each other joined.
std::vector<NestLoop> Normalised(std::vector<NestLoop> loops) {
  std::erase_if(loops, [](const NestLoop& loop) { return loop.extent == 1; });
  for (size_t i = 0; i < loops.size(); ++i)
    for (size_t j = 0; j < loops.size(); ++j)
      if (i != j && Continues(loops[i], loops[j])) {
        loops[j].extent *= loops[i].extent;
        loops.erase(loops.begin() + static_cast<int64_t>(i));
        return Normalised(std::move(loops));
      }
  return loops;
}

/// The widest value of each field that a hardware loop sets.
struct Limits {
  int64_t trips, dst, src, wgt;

  explicit Limits(const isa::Config& config) {
    const isa::Layout layout(config);
    auto high = [&](isa::Opcode opcode, int64_t isa::Instruction::*member) {
      for (const auto& field : layout.Fields(static_cast<int64_t>(opcode)))
        if (field.spec->member == member) return isa::FieldHigh(false, field.width);
      VTA_CHECK(false);
    };
    trips = high(isa::Opcode::kGemm, &isa::Instruction::iter_out);
    dst = high(isa::Opcode::kGemm, &isa::Instruction::dst_factor_out);
    src = std::min(high(isa::Opcode::kGemm, &isa::Instruction::src_factor_out),
                   high(isa::Opcode::kAlu, &isa::Instruction::src_factor_out));
    wgt = high(isa::Opcode::kGemm, &isa::Instruction::wgt_factor_out);
  }
  bool Allow(const NestLoop& loop) const {
    auto fits = [](int64_t step, int64_t high) { return step >= 0 && step <= high; };
    return loop.extent <= trips && fits(loop.dst, dst) && fits(loop.src, src) &&
           fits(loop.wgt, wgt);
  }
};

constexpr int kNoLoop = -1;
struct Choice {
  int outer = kNoLoop, inner = kNoLoop;
  int64_t uops = 0;
};

/// Whether the loop that runs fastest steps dst: a loop among the micro-ops, which can be put last
/// there, or the inner one of the hardware.
bool StepsDstFastest(const std::vector<NestLoop>& loops, int outer, int inner) {
  bool rest = false, rest_steps = false;
  for (int i = 0; i < static_cast<int>(loops.size()); ++i) {
    if (i == outer || i == inner) continue;
    rest = true;
    rest_steps |= loops[i].dst != 0;
  }
  return rest ? rest_steps : inner == kNoLoop || loops[inner].dst != 0;
}

/// How often src changes where micro-ops that have the same one follow each other in the kernel.
int64_t SourceChanges(const std::vector<NestLoop>& loops, int outer, int inner) {
  int64_t in_kernel = 1;
  for (int i = 0; i < static_cast<int>(loops.size()); ++i)
    if (i != outer && i != inner && loops[i].src != 0) in_kernel *= loops[i].extent;
  const auto extent = [&](int i) { return i == kNoLoop ? 1 : loops[i].extent; };
  const auto steps = [&](int i) { return i != kNoLoop && loops[i].src != 0; };
  if (in_kernel > 1 || steps(inner)) return extent(outer) * extent(inner) * in_kernel;
  return steps(outer) ? extent(outer) : 1;
}

/// The pair of hardware loops that leaves the fewest micro-ops, each of which takes its cycle to be
/// loaded, beside the cycles of what else they wait for; none where no pair gives the
/// neighbours that are asked for.
std::optional<Choice> ChooseLoops(const Limits& limits, const std::vector<NestLoop>& loops,
                                  Neighbours neighbours) {
  const int count = static_cast<int>(loops.size());
  auto extent = [&](int i) { return i == kNoLoop ? 1 : loops[i].extent; };
  const auto allowed = [&](int outer, int inner) {
    return neighbours != Neighbours::kOtherRows || StepsDstFastest(loops, outer, inner);
  };
  const auto waits = [&](int outer, int inner) {
    constexpr int64_t kChange = isa::timing::kRequantBlockCycles + isa::timing::kRequantDrainCycles;
    return neighbours == Neighbours::kSameSource ? kChange * SourceChanges(loops, outer, inner) : 0;
  };
  int64_t all = 1;
  for (const NestLoop& loop : loops) all *= loop.extent;
  std::optional<Choice> best;
  if (allowed(kNoLoop, kNoLoop)) best = Choice{kNoLoop, kNoLoop, all};
  bool best_keeps_src = false;
  int64_t best_cycles = all + waits(kNoLoop, kNoLoop);
  for (int outer = kNoLoop; outer < count; ++outer)
    for (int inner = 0; inner < count; ++inner) {
      if (inner == outer || !limits.Allow(loops[inner]) || !allowed(outer, inner)) continue;
      if (outer != kNoLoop && !limits.Allow(loops[outer])) continue;
      const int64_t uops = all / extent(outer) / extent(inner);
      const int64_t cycles = uops + waits(outer, inner);
      const bool keeps_src = loops[inner].src == 0;
      if (best &&
          std::make_tuple(-cycles, keeps_src) <= std::make_tuple(-best_cycles, best_keeps_src))
        continue;
      best = Choice{outer, inner, uops};
      best_cycles = cycles;
      best_keeps_src = keeps_src;
    }
  return best;
}

/// The shortest loop that steps src, where several instructions without it are better: src would
/// change more often than it has to, or the kernel be longer than one beside which GEMMs run.
int LoopToTakeApart(const std::vector<NestLoop>& loops, const Choice& choice) {
  int64_t sources = 1;
  int shortest = kNoLoop;
  for (int i = 0; i < static_cast<int>(loops.size()); ++i) {
    if (loops[i].src == 0) continue;
    sources *= loops[i].extent;
    if (shortest == kNoLoop || loops[i].extent < loops[shortest].extent) shortest = i;
  }
  const bool changes = SourceChanges(loops, choice.outer, choice.inner) > sources;
  return changes || choice.uops > isa::timing::kKernelUops ? shortest : kNoLoop;
}

/// The nests of each point of a loop.
std::vector<LoopNest> FoldEach(const isa::Config& config, NestSpace space, int loop,
                               TaskBuilder* builder) {
  const NestLoop apart = space.loops[loop];
  space.loops.erase(space.loops.begin() + loop);
  std::vector<LoopNest> nests;
  for (int64_t i = 0; i < apart.extent; ++i) {
    for (const LoopNest& nest : FoldNest(config, space, Neighbours::kSameSource, builder))
      nests.push_back(nest);
    space.first.dst += apart.dst, space.first.src += apart.src, space.first.wgt += apart.wgt;
  }
  return nests;
}

/// The nests of the two halves of a space: of its kernel's, where that has several micro-ops, or of
/// its longest loop's.
std::vector<LoopNest> FoldHalves(const isa::Config& config, const NestSpace& space,
                                 Neighbours neighbours, TaskBuilder* builder) {
  NestSpace first = space, second = space;
  if (space.kernel.size() > 1) {
    const auto middle = static_cast<int64_t>(space.kernel.size() / 2);
    first.kernel.resize(middle);
    second.kernel.erase(second.kernel.begin(), second.kernel.begin() + middle);
  } else {
    const auto longest =
        std::max_element(space.loops.begin(), space.loops.end(),
                         [](const NestLoop& a, const NestLoop& b) { return a.extent < b.extent; });
    const int64_t half = longest->extent / 2, at = longest - space.loops.begin();
    first.loops[at].extent = half;
    second.loops[at].extent -= half;
    second.first = {space.first.dst + half * longest->dst, space.first.src + half * longest->src,
                    space.first.wgt + half * longest->wgt};
  }
  std::vector<LoopNest> nests = FoldNest(config, first, neighbours, builder);
  for (const LoopNest& nest : FoldNest(config, second, neighbours, builder)) nests.push_back(nest);
  return nests;
}

}  // namespace

bool NestSpaceLess::operator()(const NestSpace& a, const NestSpace& b) const {
  const auto first = [](const NestSpace& s) {
    return std::tie(s.first.dst, s.first.src, s.first.wgt, s.loops);
  };
  if (first(a) != first(b)) return first(a) < first(b);
  return UopKernelLess()(a.kernel, b.kernel);
}

UopKernel Unrolled(const NestSpace& space, const std::vector<NestLoop>& loops) {
  UopKernel kernel;
  for (const isa::Uop& uop : space.kernel)
    kernel.push_back(
        {space.first.dst + uop.dst, space.first.src + uop.src, space.first.wgt + uop.wgt});
  for (const NestLoop& loop : loops) {
    UopKernel wider;
    for (const isa::Uop& uop : kernel)
      for (int64_t i = 0; i < loop.extent; ++i)
        wider.push_back({uop.dst + i * loop.dst, uop.src + i * loop.src, uop.wgt + i * loop.wgt});
    kernel = std::move(wider);
  }
  return kernel;
}

int64_t FewestUops(const isa::Config& config, const NestSpace& space) {
  const auto choice = ChooseLoops(Limits(config), Normalised(space.loops), Neighbours::kAny);
  return choice->uops * static_cast<int64_t>(space.kernel.size());
}

std::vector<LoopNest> FoldNest(const isa::Config& config, const NestSpace& space,
                               Neighbours neighbours, TaskBuilder* builder) {
  const std::vector<NestLoop> loops = Normalised(space.loops);
  const std::optional<Choice> found = ChooseLoops(Limits(config), loops, neighbours);
  if (!found || found->uops * static_cast<int64_t>(space.kernel.size()) > UopDepth(config))
    return FoldHalves(config, {space.first, loops, space.kernel}, neighbours, builder);
  if (neighbours == Neighbours::kSameSource)
    if (const int loop = LoopToTakeApart(loops, *found); loop != kNoLoop)
      return FoldEach(config, {space.first, loops, space.kernel}, loop, builder);
  const Choice& choice = *found;
  LoopNest nest;
  if (choice.outer != kNoLoop) {
    const NestLoop& loop = loops[choice.outer];
    nest.iter_out = loop.extent;
    nest.dst_out = loop.dst, nest.src_out = loop.src, nest.wgt_out = loop.wgt;
  }
  if (choice.inner != kNoLoop) {
    const NestLoop& loop = loops[choice.inner];
    nest.iter_in = loop.extent;
    nest.dst_in = loop.dst, nest.src_in = loop.src, nest.wgt_in = loop.wgt;
  }
  std::vector<NestLoop> rest;
  for (int i = 0; i < static_cast<int>(loops.size()); ++i)
    if (i != choice.outer && i != choice.inner) rest.push_back(loops[i]);
  if (neighbours == Neighbours::kOtherRows)
    std::stable_partition(rest.begin(), rest.end(), [](const NestLoop& l) { return l.dst == 0; });
  if (neighbours == Neighbours::kSameSource)
    std::stable_partition(rest.begin(), rest.end(), [](const NestLoop& l) { return l.src != 0; });
  nest.kernel = builder->Intern(Unrolled(space, rest));
  return {nest};
}

}  // namespace vta::compiler::targets
