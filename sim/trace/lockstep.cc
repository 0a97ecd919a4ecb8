#include "sim/trace/lockstep.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::sim {
namespace {

std::string Place(const Event& event) {
  return StrCat(isa::Spec(event.module).name, ", instruction ", event.index, " (",
                Hex(event.address), ")");
}

std::string Range(const Write& write) {
  return StrCat(SpaceName(write.space), "[", write.first, ", ", write.first + write.count, ")");
}

// The element at `offset` of a write: where it is, and how its bytes read as a value.
struct Element {
  int64_t begin = 0, bytes = 1;
  std::string place;
};

Element ElementAt(const Write& write, int64_t offset) {
  if (write.space == Space::kDram)
    return {offset, 1, Hex(static_cast<uint64_t>(write.first + offset))};
  const int64_t row_bytes = static_cast<int64_t>(write.values.size()) / write.count;
  const int64_t bytes = write.space == Space::kAcc || write.space == Space::kUop ? 4 : 1;
  const int64_t lane = offset % row_bytes / bytes;
  std::string place = StrCat("row ", write.first + offset / row_bytes);
  if (write.space != Space::kUop) place += StrCat(", lane ", lane);
  return {offset - offset % bytes, bytes, place};
}

std::string ValueText(const Write& write, const Element& element) {
  const uint8_t* bytes = write.values.data() + element.begin;
  if (write.space == Space::kDram) return Hex(bytes[0], 2);
  if (element.bytes == 1) return StrCat(static_cast<int>(static_cast<int8_t>(bytes[0])));
  uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | bytes[i];
  return write.space == Space::kUop ? Hex(word, 8) : StrCat(static_cast<int32_t>(word));
}

// The first value that differs, where both sides keep values.
std::string CompareWrite(const Write& left, const Write& right, const SideNames& names) {
  if (left.space != right.space || left.first != right.first || left.count != right.count)
    return StrCat(names.left, " writes ", Range(left), ", ", names.right, " writes ", Range(right));
  if (left.hash == right.hash) return "";
  const auto [l, r] = std::ranges::mismatch(left.values, right.values);
  if (l == left.values.end() || r == right.values.end())
    return StrCat("the values of ", Range(left), " differ");
  const Element element = ElementAt(left, l - left.values.begin());
  return StrCat(SpaceName(left.space), " ", element.place, ": ", names.left, " ",
                ValueText(left, element), ", ", names.right, " ", ValueText(right, element));
}

std::string CompareCounters(const isa::Counters& left, const isa::Counters& right,
                            const SideNames& names) {
  std::string text;
  const auto differ = [&](const std::string& what, int64_t l, int64_t r) {
    if (l != r) text += StrCat(what, ": ", names.left, " ", l, ", ", names.right, " ", r, "\n");
  };
  for (const isa::InstructionSpec& row : isa::kInstructions) {
    const auto i = static_cast<size_t>(row.code);
    differ(StrCat(row.name, " instructions"), left.instructions[i], right.instructions[i]);
  }
  for (const isa::MemorySpec& row : isa::kCountedTypes) {
    const auto i = static_cast<size_t>(row.code);
    differ(StrCat("bytes of ", row.name), left.bytes[i], right.bytes[i]);
  }
  for (const isa::QueueSpec& row : isa::kQueueTable) {
    const auto i = static_cast<size_t>(row.code);
    differ(StrCat("tokens of ", row.name), left.tokens[i], right.tokens[i]);
  }
  differ("GEMM micro-ops", left.gemm_uops, right.gemm_uops);
  differ("ALU micro-ops", left.alu_uops, right.alu_uops);
  differ("MACs", left.macs, right.macs);
  if (!left.time || !right.time) return text;
  differ("cycles", left.time->cycles, right.time->cycles);
  const auto spent = [&](std::string_view unit, const isa::ModuleCycles& l,
                         const isa::ModuleCycles& r) {
    differ(StrCat(unit, " busy"), l.busy, r.busy);
    differ(StrCat(unit, " waits for tokens"), l.wait_token, r.wait_token);
    differ(StrCat(unit, " waits for memory"), l.wait_memory, r.wait_memory);
  };
  spent("fetch", left.time->fetch, right.time->fetch);
  for (const isa::ModuleSpec& row : isa::kModuleTable) {
    const auto m = static_cast<size_t>(row.code);
    spent(row.name, left.time->modules[m], right.time->modules[m]);
  }
  return text;
}

}  // namespace

std::string CompareEvents(const Event& left, const Event& right, const SideNames& names) {
  if (left.index != right.index)
    return StrCat(names.left, " retires instruction ", left.index, ", ", names.right,
                  " instruction ", right.index);
  if (left.address != right.address || left.word != right.word)
    return StrCat(names.left, " ran ", Hex(left.word.high, 16), "_", Hex(left.word.low, 16), " at ",
                  Hex(left.address), ", ", names.right, " ", Hex(right.word.high, 16), "_",
                  Hex(right.word.low, 16), " at ", Hex(right.address));
  if (left.fault != right.fault)
    return StrCat(names.left, " fault: ", isa::Spec(left.fault).name, ", ", names.right,
                  " fault: ", isa::Spec(right.fault).name);
  const size_t writes = std::min(left.writes.size(), right.writes.size());
  for (size_t i = 0; i < writes; ++i)
    if (std::string text = CompareWrite(left.writes[i], right.writes[i], names); !text.empty())
      return text;
  if (left.writes.size() > writes)
    return StrCat("only ", names.left, " writes ", Range(left.writes[writes]));
  if (right.writes.size() > writes)
    return StrCat("only ", names.right, " writes ", Range(right.writes[writes]));
  return "";
}

std::string CompareResults(const isa::LaunchResult& left, const isa::LaunchResult& right,
                           const SideNames& names) {
  if (left.outcome != right.outcome || left.modules != right.modules || left.fetch != right.fetch)
    return StrCat(names.left, ": ", Describe(left), "\n", names.right, ": ", Describe(right), "\n");
  return CompareCounters(left.counters, right.counters, names);
}

Lockstep::Lockstep(TraceDetail detail, SideNames names)
    : names_(std::move(names)), left_(*this, detail), right_(*this, detail) {}

void Lockstep::Side::Retire(const Event& event) {
  if (owner_.found()) return;
  pending[static_cast<int>(event.module)].push_back(event);
  owner_.Compare(event.module);
}

void Lockstep::Compare(isa::Module module) {
  std::deque<Event>& left = left_.pending[static_cast<int>(module)];
  std::deque<Event>& right = right_.pending[static_cast<int>(module)];
  if (left.empty() || right.empty()) return;
  ++compared_;
  std::string what = CompareEvents(left.front(), right.front(), names_);
  if (!what.empty()) {
    std::string place = Place(left.front());
    difference_ = Difference{module, std::move(left.front()), std::move(right.front()),
                             std::move(place), std::move(what)};
  }
  left.pop_front();
  right.pop_front();
}

Difference Lockstep::OnlyOne(const Event& event, bool is_left) const {
  Difference difference{event.module};
  (is_left ? difference.left : difference.right) = event;
  difference.place = Place(event);
  difference.what = StrCat("only ", is_left ? names_.left : names_.right, " retires it");
  return difference;
}

void Lockstep::Finish() {
  for (int m = 0; m < isa::kModules && !found(); ++m) {
    if (!left_.pending[m].empty())
      difference_ = OnlyOne(left_.pending[m].front(), true);
    else if (!right_.pending[m].empty())
      difference_ = OnlyOne(right_.pending[m].front(), false);
  }
}

}  // namespace vta::sim
