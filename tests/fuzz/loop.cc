// Any text either is refused with an Error or is a function that prints to text that parses back.
// One that verifies, and is small, runs in the interpreter without touching anything outside its
// arguments; one that does not verify is refused, or runs so too.
#include <vector>

#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"
#include "tests/fuzz/support/small.h"
#include "tests/support/interpreter/interpret.h"

namespace vta::compiler::loop {
namespace {

void RunOnNoise(const Function& function) {
  Interpreter interpreter(function);
  std::vector<std::vector<std::byte>> memory;
  for (const Buffer& param : function.params) {
    auto& bytes = memory.emplace_back(param->SizeElems() * SizeBytes(param->dtype));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
  }
  interpreter.Run(std::vector<std::span<std::byte>>(memory.begin(), memory.end()));
}

}  // namespace
}  // namespace vta::compiler::loop

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler::loop;
  Function function;
  try {
    function = Parse({reinterpret_cast<const char*>(data), size});
  } catch (const vta::Error&) {
    return 0;
  }
  const std::string text = Print(function);
  VTA_CHECK(Print(Parse(text)) == text, text);
  try {
    Verify(function);
  } catch (const vta::Error&) {
  }
  try {
    if (vta::fuzz::IsSmall(function)) RunOnNoise(function);
  } catch (const vta::Error&) {
  }
  return 0;
}
