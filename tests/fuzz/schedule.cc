// A function and a trace, in the form of tests/passes/loop (which is this target's corpus): each
// step is refused with an Error or gives a function that prints to text that parses back; the trace
// of what was done replays to the same function.
#include "compiler/loop/schedule/schedule.h"

#include <string_view>
#include <vector>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/support/dot4.h"

namespace vta::compiler::loop {
namespace {

constexpr size_t kMostSteps = 12;

// The lines between the head "--- NAME" and the next head.
std::string_view Part(std::string_view text, std::string_view head) {
  const size_t begin = text.find(head);
  if (begin == text.npos) return {};
  text.remove_prefix(begin + head.size());
  return text.substr(0, text.find("\n--- "));
}

void Try(std::string_view text) {
  const std::vector intrinsics = {Dot4()};
  const Function function = Parse(Part(text, "--- input\n"), intrinsics);
  Schedule schedule(function, intrinsics);
  std::string_view steps = Part(text, "--- schedule\n");
  for (size_t line = 0; !steps.empty() && line < kMostSteps; ++line) {
    const size_t end = std::min(steps.find('\n'), steps.size());
    try {
      schedule.Replay(steps.substr(0, end));
    } catch (const Error&) {
    }
    steps.remove_prefix(std::min(end + 1, steps.size()));
  }
  const std::string result = Print(schedule.function());
  VTA_CHECK(Print(Parse(result, intrinsics)) == result, result);
  Schedule again(function, intrinsics);
  again.Replay(schedule.TraceText());
  VTA_CHECK(Print(again.function()) == result, result);
}

}  // namespace
}  // namespace vta::compiler::loop

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    vta::compiler::loop::Try({reinterpret_cast<const char*>(data), size});
  } catch (const vta::Error&) {
  }
  return 0;
}
