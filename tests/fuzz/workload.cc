// Any text either is no workload, is refused with an Error or imports as a graph that verifies and
// that can be simplified.
#include "compiler/frontend/workload.h"

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!IsWorkload(text)) return 0;
  Graph graph;
  try {
    // The cap keeps a mutant's honest but large tensors from slowing the search.
    graph = ImportWorkload(text, "input", {.max_bytes = 1 << 20, .weights_seed = 1});
  } catch (const vta::Error&) {
    return 0;
  }
  Verify(graph);
  RunPasses(graph, NormalizePipeline(), {});
  return 0;
}
