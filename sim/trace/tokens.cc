#include "sim/trace/tokens.h"

#include <algorithm>
#include <array>

#include "isa/codec.h"

namespace vta::sim {
namespace {

// What the instructions of a launch did to a queue, in the order in which they did.
struct Ends {
  std::vector<size_t> pushes, pops;
};
using Queues = std::array<Ends, isa::kQueues>;

void Add(const isa::Instruction& insn, isa::Module module, size_t slice, Queues& queues) {
  const isa::ModuleSpec& spec = isa::Spec(module);
  const auto of = [&](isa::Queue queue) -> Ends& { return queues[static_cast<size_t>(queue)]; };
  for (const bool next : {false, true}) {
    if (!(next ? spec.has_next : spec.has_prev)) continue;
    if (next ? insn.pop_next : insn.pop_prev) of(isa::PopQueue(module, next)).pops.push_back(slice);
    if (next ? insn.push_next : insn.push_prev)
      of(isa::PushQueue(module, next)).pushes.push_back(slice);
  }
}

}  // namespace

std::vector<TokenFlow> PairTokens(const Timeline& timeline, const isa::Layout& layout) {
  std::vector<Queues> launches(timeline.launches.size());
  for (size_t i = 0; i < timeline.instructions.size(); ++i) {
    const InstructionSlice& slice = timeline.instructions[i];
    const auto launch =
        std::partition_point(timeline.launches.begin(), timeline.launches.end(),
                             [&](const Slice& before) { return before.end <= slice.begin; });
    if (launch != timeline.launches.end())
      Add(isa::Decode(layout, slice.word), slice.module, i,
          launches[static_cast<size_t>(launch - timeline.launches.begin())]);
  }
  std::vector<TokenFlow> flows;
  for (const Queues& queues : launches)
    for (const isa::QueueSpec& row : isa::kQueueTable) {
      const Ends& ends = queues[static_cast<size_t>(row.code)];
      for (size_t n = 0; n < std::min(ends.pushes.size(), ends.pops.size()); ++n)
        flows.push_back({row.code, ends.pushes[n], ends.pops[n]});
    }
  return flows;
}

}  // namespace vta::sim
