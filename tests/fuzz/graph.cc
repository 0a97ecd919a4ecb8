// Any text either is refused with an Error or is a graph that verifies and prints to text that
// parses back.
#include <string>

#include "compiler/graph/text.h"
#include "compiler/graph/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler;
  Graph graph;
  try {
    graph = ParseGraph({reinterpret_cast<const char*>(data), size}, {}, "input");
    Verify(graph);
  } catch (const vta::Error&) {
    return 0;
  }
  const std::string text = Print(graph);
  VTA_CHECK(Print(ParseGraph(text, Constants(graph), "printed")) == text, text);
  return 0;
}
