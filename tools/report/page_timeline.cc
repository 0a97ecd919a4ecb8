#include "tools/report/page_timeline.h"

#include <algorithm>
#include <array>
#include <map>

#include "isa/asm.h"
#include "isa/support/error.h"
#include "sim/trace/tokens.h"

namespace vta::tools {
namespace {

// Numbers as bytes, seven bits each, the lowest first; a sign is the lowest bit.
class Packed {
 public:
  void Add(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void AddSigned(int64_t value) {
    Add(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  std::string Base64() const {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t i = 0; i < bytes_.size(); i += 3) {
      uint32_t bits = 0;
      for (size_t k = 0; k < 3; ++k)
        bits = bits << 8 | (i + k < bytes_.size() ? static_cast<uint8_t>(bytes_[i + k]) : 0);
      for (size_t k = 0; k < 4; ++k)
        text += i + k > bytes_.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
    }
    return text;
  }

 private:
  std::string bytes_;
};

// Texts as numbers of their words.
class Words {
 public:
  std::vector<size_t> Of(const std::string& text) {
    std::vector<size_t> numbers;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      const auto [entry, fresh] =
          numbers_.try_emplace(text.substr(begin, end - begin), words_.size());
      if (fresh) {
        words_.emplace_back(entry->first);
        bytes_ += static_cast<int64_t>(entry->first.size() + sizeof("\"\","));
      }
      numbers.push_back(entry->second);
      begin = end + 1;
    }
    return numbers;
  }
  int64_t bytes() const { return bytes_; }  // of the words so far, as JSON
  Json::Array Take() { return std::move(words_); }

 private:
  std::map<std::string, size_t, std::less<>> numbers_;
  Json::Array words_;
  int64_t bytes_ = 0;
};

/// What a unit waits for, whichever engine says so.
struct Why : sim::Slice {
  int kind = 0;
  std::optional<isa::Queue> queue;
  int64_t index = -1, other = -1;
};

Why WhyOf(const sim::CauseSlice& cause) {
  Why why{cause, static_cast<int>(cause.cause)};
  const bool queued = cause.cause == isa::Cause::kToken || cause.cause == isa::Cause::kSpace;
  if (queued && cause.unit != isa::kFetchUnit) why.queue = cause.queue;
  why.index = cause.index, why.other = cause.other;
  return why;
}

Why WhyOf(const sim::StallSlice& stall) {
  constexpr int kKindOf[] = {kMemoryKind, static_cast<int>(isa::Cause::kToken),
                             static_cast<int>(isa::Cause::kSpace),
                             static_cast<int>(isa::Cause::kBarrier)};
  Why why{stall, kKindOf[static_cast<int>(stall.reason)]};
  if (stall.reason == sim::Stall::kToken || stall.reason == sim::Stall::kSpace)
    why.queue = stall.queue;
  return why;
}

// What begins while one layer is on, in order. A launch of several layers is one of these for each;
// what a module does ahead for the next layer is among what this one has.
struct Launch {
  int64_t layer;
  sim::Slice slice;
  std::array<std::vector<size_t>, isa::kModules> instructions = {};  // places in the timeline
  std::array<int64_t, isa::kModules> before = {};  // instructions of those before it
  std::array<std::vector<Why>, isa::kUnits> why = {};
  std::vector<sim::TokenFlow> flows = {};
};

// The last run's launches; nothing where the timeline does not hold a whole run.
std::span<const sim::Slice> LastRun(const RunReport& report, const sim::Timeline& timeline) {
  const auto launches = static_cast<size_t>(report.launches);
  return timeline.launches.size() < launches ? std::span<const sim::Slice>()
                                             : std::span(timeline.launches).last(launches);
}

// The launch that a slice lies in, or null.
Launch* Around(std::vector<Launch>& launches, const sim::Slice& slice) {
  const auto found =
      std::partition_point(launches.begin(), launches.end(),
                           [&](const Launch& launch) { return launch.slice.end <= slice.begin; });
  return found != launches.end() && slice.begin >= found->slice.begin ? &*found : nullptr;
}

void Sort(std::vector<Launch>& launches, const sim::Timeline& timeline, const isa::Layout& layout) {
  for (size_t i = 0; i < timeline.instructions.size(); ++i) {
    const sim::InstructionSlice& slice = timeline.instructions[i];
    if (Launch* launch = Around(launches, slice))
      launch->instructions[static_cast<size_t>(slice.module)].push_back(i);
  }
  for (const sim::CauseSlice& cause : timeline.causes)
    if (Launch* launch = Around(launches, cause))
      launch->why[static_cast<size_t>(cause.unit)].push_back(WhyOf(cause));
  if (timeline.causes.empty())
    for (const sim::StallSlice& stall : timeline.stalls)
      if (Launch* launch = Around(launches, stall))
        launch->why[static_cast<size_t>(isa::UnitOf(stall.module))].push_back(WhyOf(stall));
  for (size_t i = 1; i < launches.size(); ++i)
    for (size_t m = 0; m < isa::kModules; ++m)
      launches[i].before[m] =
          launches[i - 1].before[m] + std::ssize(launches[i - 1].instructions[m]);
  for (const sim::TokenFlow& flow : sim::PairTokens(timeline, layout))
    if (Launch* launch = Around(launches, timeline.instructions[flow.pop]))
      launch->flows.push_back(flow);
}

class LaunchWriter {
 public:
  LaunchWriter(const sim::Timeline& timeline, std::span<const Launch> launches,
               const isa::Layout& layout, Words& words)
      : timeline_(timeline), layout_(layout), words_(words) {
    for (const Launch& launch : launches)
      for (size_t m = 0; m < isa::kModules; ++m)
        instructions_[m].insert(instructions_[m].end(), launch.instructions[m].begin(),
                                launch.instructions[m].end());
  }

  // Of each: its begin since that of the one before, its length, its index since the one that
  // follows the one before, how many words its text has, and those.
  std::string Instructions(const Launch& launch, size_t module) const {
    Packed packed;
    int64_t begin = launch.slice.begin, index = 0;
    for (const size_t at : launch.instructions[module]) {
      const sim::InstructionSlice& slice = timeline_.instructions[at];
      packed.AddSigned(slice.begin - begin);
      packed.Add(static_cast<uint64_t>(slice.cycles()));
      packed.AddSigned(slice.index - index);
      const std::vector<size_t> text = words_.Of(isa::Disassemble(layout_, slice.word));
      packed.Add(text.size());
      for (const size_t word : text) packed.Add(word);
      begin = slice.begin, index = slice.index + 1;
    }
    return packed.Base64();
  }

  // Of each: its queue, and the places of its two ends in their modules, since those of the token
  // before it in that queue. The one that pushes may be of a layer before: its place is below 0.
  std::string Flows(const Launch& launch) const {
    std::array<std::pair<int64_t, int64_t>, isa::kQueues> last = {};
    Packed packed;
    for (const sim::TokenFlow& flow : launch.flows) {
      const isa::QueueSpec& queue = isa::Spec(flow.queue);
      auto& [push, pop] = last[static_cast<size_t>(flow.queue)];
      packed.Add(static_cast<uint64_t>(flow.queue));
      for (auto [module, at, before] :
           {std::tuple(queue.from, flow.push, &push), {queue.to, flow.pop, &pop}}) {
        const auto m = static_cast<size_t>(module);
        const int64_t place = std::ranges::lower_bound(instructions_[m], at) -
                              instructions_[m].begin() - launch.before[m];
        packed.AddSigned(place - *before);
        *before = place;
      }
    }
    return packed.Base64();
  }

  // Of each: its kind and, as bits above it, which of gap, queue, index and other follow its
  // length.
  static std::string Reasons(const Launch& launch, size_t unit) {
    Packed packed;
    int64_t end = launch.slice.begin, index = 0;
    for (const Why& why : launch.why[unit]) {
      const int64_t gap = why.begin - end;
      packed.Add(static_cast<uint64_t>(why.kind | (gap != 0) << 4 | why.queue.has_value() << 5 |
                                       (why.index >= 0) << 6 | (why.other >= 0) << 7));
      packed.Add(static_cast<uint64_t>(why.cycles()));
      if (gap != 0) packed.AddSigned(gap);
      if (why.queue) packed.Add(static_cast<uint64_t>(*why.queue));
      if (why.index >= 0) packed.AddSigned(why.index - index);
      if (why.index >= 0) index = why.index;
      if (why.other >= 0) packed.AddSigned(why.other - index);
      end = why.end;
    }
    return packed.Base64();
  }

  std::string Address(const Launch& launch) const {
    for (const auto& module : launch.instructions)
      if (!module.empty()) {
        const sim::InstructionSlice& slice = timeline_.instructions[module.front()];
        return Hex(slice.address - static_cast<uint64_t>(slice.index) * isa::kInstructionBytes);
      }
    return "";
  }

 private:
  const sim::Timeline& timeline_;
  const isa::Layout& layout_;
  Words& words_;
  std::array<std::vector<size_t>, isa::kModules> instructions_;  // of all, places in the timeline
};

}  // namespace

std::vector<LayerSlice> LayerSlices(const RunReport& report, std::span<const sim::Slice> launches) {
  std::vector<LayerSlice> out;
  for (size_t i = 0; i < report.layers.size() && !launches.empty(); ++i) {
    const LayerReport& layer = report.layers[i];
    if (layer.launch < 0) continue;
    LayerSlice slice{launches[static_cast<size_t>(layer.launch)], static_cast<int64_t>(i)};
    if (layer.shares_launch) {
      if (i > 0 && report.layers[i - 1].launch == layer.launch) slice.begin = out.back().end;
      slice.end = slice.begin + layer.time()->cycles;
    }
    out.push_back(slice);
  }
  return out;
}

std::optional<int64_t> CyclesBetweenLaunches(const RunReport& report,
                                             const sim::Timeline& timeline) {
  const std::span<const sim::Slice> launches = LastRun(report, timeline);
  if (launches.empty()) return std::nullopt;
  int64_t between = launches.back().end - launches.front().begin;
  for (const sim::Slice& launch : launches) between -= launch.cycles();
  return between;
}

Json TimelineJson(const RunReport& report, const isa::Layout& layout, const sim::Timeline& timeline,
                  int64_t most_bytes) {
  std::vector<Launch> launches;
  for (const LayerSlice& slice : LayerSlices(report, LastRun(report, timeline)))
    launches.push_back({slice.layer, slice});
  Sort(launches, timeline, layout);
  Words words;
  const LaunchWriter writer(timeline, launches, layout, words);
  Json::Array list;
  bool whole = true;
  for (size_t i = 0; i < launches.size(); ++i) {
    const Launch& launch = launches[i];
    const int64_t origin = launches[0].slice.begin;
    Json json = Json()
                    .Set("layer", launch.layer)
                    .Set("begin", launch.slice.begin - origin)
                    .Set("end", launch.slice.end - origin)
                    .Set("address", writer.Address(launch));
    if (whole) {
      Json detail = json;
      Json::Array instructions, why;
      for (size_t m = 0; m < isa::kModules; ++m)
        instructions.emplace_back(writer.Instructions(launch, m));
      for (size_t u = 0; u < isa::kUnits; ++u) why.emplace_back(writer.Reasons(launch, u));
      detail.Set("instructions", std::move(instructions))
          .Set("flows", writer.Flows(launch))
          .Set("why", std::move(why));
      most_bytes -= static_cast<int64_t>(detail.Dump(-1).size());
      whole = most_bytes >= words.bytes();
      if (whole) json = std::move(detail);
    }
    list.push_back(std::move(json));
  }
  return Json().Set("launches", std::move(list)).Set("words", words.Take());
}

}  // namespace vta::tools
