// Any bytes either are refused with an Error or import as a graph that verifies, whose text parses
// back and which is refused as ONNX or can be read from what is written.
#include "compiler/frontend/onnx.h"

#include <string>
#include <vector>

#include "compiler/frontend/onnx/export.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text.h"
#include "compiler/graph/verify.h"

namespace {

void ReadWritten(const vta::compiler::Graph& graph) {
  using namespace vta::compiler;
  std::vector<uint8_t> written;
  try {
    written = ExportOnnx(graph);
  } catch (const vta::Error&) {
    return;
  }
  const Graph again = ImportOnnx(written, "written");
  VTA_CHECK(again.outputs().size() == graph.outputs().size(), Print(graph));
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    VTA_CHECK(again.type(again.outputs()[i].value) == graph.type(graph.outputs()[i].value),
              Print(graph));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::compiler;
  Graph graph;
  try {
    // The cap keeps a mutant's honest but large tensors from slowing the search.
    graph = ImportOnnx({data, size}, "input", {.max_bytes = 1 << 20});
  } catch (const vta::Error&) {
    return 0;
  }
  Verify(graph);
  const std::string text = Print(graph);
  VTA_CHECK(Print(ParseGraph(text, Constants(graph), "printed")) == text, text);
  ReadWritten(graph);
  RunPasses(graph, NormalizePipeline(), {});
  return 0;
}
