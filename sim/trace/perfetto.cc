#include "sim/trace/perfetto.h"

#include <algorithm>
#include <array>

#include "isa/asm.h"
#include "isa/codec.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"
#include "isa/support/json.h"

namespace vta::sim {
namespace {

constexpr int kLaunchTrack = 1;
// Instructions that overlap lie on lanes of their own.
constexpr int kLanes = 1 + static_cast<int>(isa::timing::kOlderInstructions);
constexpr int InstructionTrack(isa::Module module, int lane) {
  return 2 + (kLanes + 1) * static_cast<int>(module) + lane;
}
constexpr int StallTrack(isa::Module module) { return InstructionTrack(module, kLanes); }

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
  void Launch(const Slice& launch, const std::string& name) {
    Open(launch, kLaunchTrack, Quoted(name)) += "}";
  }
  // The slices of a module come in the order in which they begin.
  void Instruction(const InstructionSlice& slice) {
    std::vector<int64_t>& ends = lane_ends_[static_cast<int>(slice.module)];
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return end <= slice.begin; });
    const int lane = static_cast<int>(free - ends.begin());
    VTA_CHECK(lane < kLanes, slice.index);
    if (free == ends.end()) AddLane(slice.module);
    ends[lane] = slice.end;
    const std::string text = isa::Disassemble(layout_, slice.word);
    const std::string mnemonic = text.substr(0, text.find(' '));
    Open(slice, InstructionTrack(slice.module, lane), Quoted(mnemonic)) +=
        StrCat(R"(,"args":{"index":)", slice.index, R"(,"address":")", Hex(slice.address),
               R"(","text":)", Quoted(text), "}}");
  }
  void Stall(const StallSlice& slice) {
    Open(slice, StallTrack(slice.module), Quoted(Reason(slice))) +=
        StrCat(R"(,"cname":")", Colour(slice.reason), "\"}");
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
  std::string End(const isa::Config& config, const std::string& clock_note) {
    const std::string note =
        clock_note.empty() ? "" : StrCat(R"(,"clock_note":)", Quoted(clock_note));
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

}  // namespace

std::string PerfettoJson(const Timeline& timeline, const isa::Layout& layout,
                         std::span<const std::string> launch_names, const std::string& clock_note) {
  Writer writer(layout);
  writer.Track(kLaunchTrack, "launches");
  for (const isa::ModuleSpec& module : isa::kModuleTable) {
    writer.AddLane(module.code);
    writer.Track(StallTrack(module.code), StrCat(module.name, " waits for"));
  }
  for (size_t i = 0; i < timeline.launches.size(); ++i)
    writer.Launch(timeline.launches[i], launch_names.empty()
                                            ? StrCat("launch ", i)
                                            : launch_names[i % launch_names.size()]);
  for (const InstructionSlice& slice : timeline.instructions) writer.Instruction(slice);
  for (const StallSlice& slice : timeline.stalls) writer.Stall(slice);
  for (size_t i = 1; i < timeline.bus.size(); ++i) writer.Bus(timeline.bus[i - 1], timeline.bus[i]);
  return writer.End(layout.config(), clock_note);
}

}  // namespace vta::sim
