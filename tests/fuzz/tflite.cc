// Any bytes either are refused with an Error or import as a graph that verifies and whose text
// parses back.
#include "compiler/frontend/tflite.h"

#include <string>

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/graph/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler;
  Graph graph;
  try {
    // The cap keeps a mutant's honest but large tensors from slowing the search.
    graph = ImportTflite({data, size}, "input", {.max_bytes = 1 << 20});
  } catch (const vta::Error&) {
    return 0;
  }
  Verify(graph);
  const std::string text = Print(graph);
  VTA_CHECK(Print(ParseGraph(text, Constants(graph), "printed")) == text, text);
  RunPasses(graph, NormalizePipeline(), {});
  return 0;
}
