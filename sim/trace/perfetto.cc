#include "sim/trace/perfetto.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "isa/asm.h"
#include "isa/codec.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "sim/trace/tokens.h"

namespace vta::sim {
namespace {

constexpr int kLaunchTrack = 1;
// Instructions that overlap lie on lanes of their own.
constexpr int kLanes = 1 + static_cast<int>(isa::timing::kOlderInstructions);
constexpr int InstructionTrack(isa::Module module, int lane) {
  return 3 + (kLanes + 1) * static_cast<int>(module) + lane;
}
constexpr int WhyTrack(int unit) {
  return unit == isa::kFetchUnit ? 2 : InstructionTrack(static_cast<isa::Module>(unit - 1), kLanes);
}

class Writer {
 public:
  explicit Writer(const isa::Layout& layout) : layout_(layout) {}

  void AddLane(isa::Module module) {
    std::vector<int64_t>& ends = lane_ends_[static_cast<int>(module)];
    const auto lane = static_cast<int>(ends.size());
    ends.emplace_back();
    Track(InstructionTrack(module, lane), StrCat(isa::Spec(module).name, lane > 0 ? ", beside" : "",
                                                 lane > 1 ? StrCat(" ", lane) : ""));
  }
  void Track(int track, const std::string& name) {
    Begin() += StrCat(R"({"ph":"M","pid":1,"tid":)", track,
                      R"(,"name":"thread_name","args":{"name":)", Quoted(name), "}}");
    Begin() += StrCat(R"({"ph":"M","pid":1,"tid":)", track,
                      R"(,"name":"thread_sort_index","args":{"sort_index":)", track, "}}");
  }
  void Launch(const NamedSlice& launch) { Open(launch, kLaunchTrack, Quoted(launch.name)) += "}"; }
  // The slices of a module come in the order in which they begin.
  // The track that it is on.
  int Instruction(const InstructionSlice& slice) {
    std::vector<int64_t>& ends = lane_ends_[static_cast<int>(slice.module)];
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return end <= slice.begin; });
    const int lane = static_cast<int>(free - ends.begin());
    VTA_CHECK(lane < kLanes, slice.index);
    if (free == ends.end()) AddLane(slice.module);
    ends[lane] = slice.end;
    const int track = InstructionTrack(slice.module, lane);
    const std::string text = isa::Disassemble(layout_, slice.word);
    const std::string mnemonic = text.substr(0, text.find(' '));
    Open(slice, track, Quoted(mnemonic)) +=
        StrCat(R"(,"args":{"index":)", slice.index, R"(,"address":")", Hex(slice.address),
               R"(","text":)", Quoted(text), "}}");
    return track;
  }
  // From the last cycle of the one to the first of the other.
  void Flow(int64_t id, const TokenFlow& flow, const InstructionSlice& push, int push_track,
            const InstructionSlice& pop, int pop_track) {
    const auto end = [&](std::string_view kind, int track, int64_t cycle) {
      Begin() +=
          StrCat(R"({"ph":)", kind, R"(,"pid":1,"tid":)", track, R"(,"ts":)", cycle, R"(,"id":)",
                 id, R"(,"cat":"token","name":")", isa::Spec(flow.queue).name, "\"}");
    };
    end(R"("s")", push_track, std::max(push.begin, push.end - 1));
    end(R"("f","bp":"e")", pop_track, pop.begin);
  }
  void Stall(const StallSlice& slice) {
    Open(slice, WhyTrack(isa::UnitOf(slice.module)), Quoted(Reason(slice))) +=
        StrCat(R"(,"cname":")", Colour(slice.reason), "\"}");
  }
  void Why(const CauseSlice& slice) {
    const bool queued = slice.cause == isa::Cause::kToken || slice.cause == isa::Cause::kSpace;
    const bool named = queued && slice.unit != isa::kFetchUnit;
    std::string& event = Open(slice, WhyTrack(slice.unit),
                              Quoted(StrCat(isa::CauseName(slice.cause), named ? " " : "",
                                            named ? isa::Spec(slice.queue).name : "")));
    if (slice.index >= 0) event += StrCat(R"(,"args":{"instruction":)", slice.index);
    if (slice.index >= 0 && slice.other >= 0) event += StrCat(R"(,"waits_for":)", slice.other);
    event += slice.index >= 0 ? "}}" : "}";
  }
  void Bus(const BusSample& before, const BusSample& now) {
    const auto rate = [&](int64_t bytes) {
      return static_cast<double>(bytes) / static_cast<double>(now.cycle - before.cycle);
    };
    Begin() += StrCat(R"({"ph":"C","pid":1,"ts":)", before.cycle,
                      R"(,"name":"bus bytes a cycle","args":{"read":)",
                      rate(now.read_bytes - before.read_bytes), R"(,"written":)",
                      rate(now.written_bytes - before.written_bytes), "}}");
  }
  int64_t bytes() const { return static_cast<int64_t>(events_.size()); }
  // Nothing comes after it.
  void Cut(int64_t cycle, const std::string& note) {
    Begin() += StrCat(R"({"ph":"i","s":"g","pid":1,"tid":)", kLaunchTrack, R"(,"ts":)", cycle,
                      R"(,"name":)", Quoted(note), "}");
  }
  std::string End(const isa::Config& config, const std::string& clock_note,
                  const std::string& cut_note) {
    std::string note = clock_note.empty() ? "" : StrCat(R"(,"clock_note":)", Quoted(clock_note));
    if (!cut_note.empty()) note += StrCat(R"(,"cut":)", Quoted(cut_note));
    return StrCat("{\"traceEvents\":[\n", events_, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{",
                  R"("config":)", Quoted(config.name), R"(,"timing_hash":")",
                  Hex(isa::TimingHash(config), 16), R"(","clock_mhz":)", config.uarch.clock_mhz,
                  note, R"(,"unit":"1 us is 1 cycle"}})", "\n");
  }

 private:
  std::string& Begin() {
    if (!events_.empty()) events_ += ",\n";
    return events_;
  }
  std::string& Open(const Slice& slice, int track, const std::string& quoted_name) {
    return Begin() += StrCat(R"({"ph":"X","pid":1,"tid":)", track, R"(,"ts":)", slice.begin,
                             R"(,"dur":)", slice.cycles(), R"(,"name":)", quoted_name);
  }
  static std::string Quoted(const std::string& text) { return Json(text).Dump(-1); }
  static std::string Reason(const StallSlice& slice) {
    switch (slice.reason) {
      case vta::sim::Stall::kMemory:
        return "memory";
      case vta::sim::Stall::kToken:
        return StrCat("token of ", isa::Spec(slice.queue).name);
      case vta::sim::Stall::kSpace:
        return StrCat("space in ", isa::Spec(slice.queue).name);
      case vta::sim::Stall::kBarrier:
        return "barrier";
    }
    return "";
  }
  // Names of the format's fixed palette.
  static std::string_view Colour(vta::sim::Stall reason) {
    constexpr std::string_view kColours[] = {"bad", "yellow", "olive", "grey"};
    return kColours[static_cast<int>(reason)];
  }

  const isa::Layout& layout_;
  std::string events_;
  std::array<std::vector<int64_t>, isa::kModules> lane_ends_;
};

// The events of a timeline in the order of their cycles, so that a trace can be cut anywhere.
class Events {
 public:
  Events(const Timeline& timeline, const isa::Layout& layout, std::span<const NamedSlice> launches)
      : timeline_(timeline), launches_(launches), flows_(PairTokens(timeline, layout)) {
    const auto add = [&](Kind kind, const auto& slices) {
      for (size_t i = 0; i < slices.size(); ++i) events_.push_back({slices[i].begin, kind, i});
    };
    add(Kind::kLaunch, launches);
    add(Kind::kInstruction, timeline.instructions);
    if (timeline.causes.empty())
      add(Kind::kStall, timeline.stalls);
    else
      add(Kind::kWhy, timeline.causes);
    for (size_t i = 1; i < timeline.bus.size(); ++i)
      events_.push_back({timeline.bus[i - 1].cycle, Kind::kBus, i});
    for (size_t i = 0; i < flows_.size(); ++i)
      events_.push_back({timeline.instructions[flows_[i].pop].begin, Kind::kFlow, i});
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.cycle, a.kind) < std::tie(b.cycle, b.kind);
    });
    tracks_.resize(timeline.instructions.size());
  }

  /// The cycle before which everything was written, where not all of it was.
  std::optional<int64_t> WriteTo(Writer& writer, int64_t most_bytes) {
    for (const Event& event : events_) {
      if (writer.bytes() > most_bytes) return event.cycle;
      Write(event, writer);
    }
    return std::nullopt;
  }

 private:
  // An instruction stands before the tokens that it pops.
  enum class Kind : uint8_t { kLaunch, kInstruction, kWhy, kStall, kBus, kFlow };
  struct Event {
    int64_t cycle;
    Kind kind;
    size_t at;
  };

  void Write(const Event& event, Writer& writer) {
    switch (event.kind) {
      case Kind::kLaunch:
        return writer.Launch(launches_[event.at]);
      case Kind::kInstruction:
        tracks_[event.at] = writer.Instruction(timeline_.instructions[event.at]);
        return;
      case Kind::kWhy:
        return writer.Why(timeline_.causes[event.at]);
      case Kind::kStall:
        return writer.Stall(timeline_.stalls[event.at]);
      case Kind::kBus:
        return writer.Bus(timeline_.bus[event.at - 1], timeline_.bus[event.at]);
      case Kind::kFlow: {
        const TokenFlow& flow = flows_[event.at];
        return writer.Flow(static_cast<int64_t>(event.at), flow, timeline_.instructions[flow.push],
                           tracks_[flow.push], timeline_.instructions[flow.pop], tracks_[flow.pop]);
      }
    }
  }

  const Timeline& timeline_;
  std::span<const NamedSlice> launches_;
  std::vector<TokenFlow> flows_;
  std::vector<int> tracks_;  // of instructions that are written
  std::vector<Event> events_;
};

}  // namespace

std::vector<NamedSlice> NamedLaunches(const Timeline& timeline,
                                      std::span<const std::string> names) {
  std::vector<NamedSlice> launches;
  for (size_t i = 0; i < timeline.launches.size(); ++i)
    launches.push_back(
        {timeline.launches[i], names.empty() ? StrCat("launch ", i) : names[i % names.size()]});
  return launches;
}

PerfettoTrace PerfettoJson(const Timeline& timeline, const isa::Layout& layout,
                           std::span<const NamedSlice> launches, const std::string& clock_note,
                           int64_t most_bytes) {
  Writer writer(layout);
  writer.Track(kLaunchTrack, "launches");
  const bool why = !timeline.causes.empty();
  if (why) writer.Track(WhyTrack(isa::kFetchUnit), "fetch, why");
  for (const isa::ModuleSpec& module : isa::kModuleTable) {
    writer.AddLane(module.code);
    writer.Track(WhyTrack(isa::UnitOf(module.code)),
                 StrCat(module.name, why ? ", why" : " waits for"));
  }
  PerfettoTrace trace;
  trace.cut_cycle = Events(timeline, layout, launches).WriteTo(writer, most_bytes);
  std::string note;
  if (trace.cut_cycle) {
    note = StrCat("the trace is cut at cycle ", *trace.cut_cycle, ": it may have ", most_bytes,
                  " bytes");
    writer.Cut(*trace.cut_cycle, note);
  }
  trace.json = writer.End(layout.config(), clock_note, note);
  return trace;
}

}  // namespace vta::sim
