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

// The first byte that differs, where both sides keep values.
std::string CompareWrite(const Write& left, const Write& right) {
  if (left.space != right.space || left.first != right.first || left.count != right.count)
    return StrCat("left writes ", Range(left), ", right writes ", Range(right));
  if (left.hash == right.hash) return "";
  const size_t bytes = std::min(left.values.size(), right.values.size());
  for (size_t i = 0; i < bytes; ++i) {
    if (left.values[i] == right.values[i]) continue;
    const int64_t row_bytes = static_cast<int64_t>(bytes) / left.count;
    return StrCat(SpaceName(left.space), " row ", left.first + static_cast<int64_t>(i) / row_bytes,
                  ", byte ", static_cast<int64_t>(i) % row_bytes, ": left ", Hex(left.values[i], 2),
                  ", right ", Hex(right.values[i], 2));
  }
  return StrCat("the values of ", Range(left), " differ");
}

}  // namespace

std::string CompareEvents(const Event& left, const Event& right) {
  if (left.index != right.index)
    return StrCat("left retires instruction ", left.index, ", right instruction ", right.index);
  if (left.address != right.address || left.word != right.word)
    return StrCat("left ran ", Hex(left.word.high, 16), "_", Hex(left.word.low, 16), " at ",
                  Hex(left.address), ", right ", Hex(right.word.high, 16), "_",
                  Hex(right.word.low, 16), " at ", Hex(right.address));
  if (left.fault != right.fault)
    return StrCat("left fault: ", isa::Spec(left.fault).name,
                  ", right fault: ", isa::Spec(right.fault).name);
  const size_t writes = std::min(left.writes.size(), right.writes.size());
  for (size_t i = 0; i < writes; ++i)
    if (std::string text = CompareWrite(left.writes[i], right.writes[i]); !text.empty())
      return text;
  if (left.writes.size() > writes) return "only left writes " + Range(left.writes[writes]);
  if (right.writes.size() > writes) return "only right writes " + Range(right.writes[writes]);
  return "";
}

Lockstep::Lockstep(TraceDetail detail) : left_(*this, detail), right_(*this, detail) {}

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
  std::string text = CompareEvents(left.front(), right.front());
  if (!text.empty()) {
    text = StrCat(Place(left.front()), ": ", text);
    difference_ = Difference{module, std::move(left.front()), std::move(right.front()), text};
  }
  left.pop_front();
  right.pop_front();
}

void Lockstep::Finish() {
  for (int m = 0; m < isa::kModules && !found(); ++m) {
    const isa::Module module = static_cast<isa::Module>(m);
    if (!left_.pending[m].empty())
      difference_ = Difference{module,
                               left_.pending[m].front(),
                               {},
                               Place(left_.pending[m].front()) + ": only left retires it"};
    else if (!right_.pending[m].empty())
      difference_ = Difference{module,
                               {},
                               right_.pending[m].front(),
                               Place(right_.pending[m].front()) + ": only right retires it"};
  }
}

}  // namespace vta::sim
