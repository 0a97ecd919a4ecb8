#include "compiler/frontend/tflite/file.h"

#include "compiler/frontend/tflite/tflite_generated.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

constexpr uint32_t kVersion = 3;

/// The index of something among `count`, in a list of such.
template <typename Index>
void CheckIndex(const std::string& where, const char* what, Index index, int64_t least,
                int64_t count) {
  if (int64_t{index} < least || int64_t{index} >= count)
    throw Error(where, what, StrCat(index), StrCat("must be in [", least, ", ", count, ")"));
}

template <typename T>
int64_t Count(const flatbuffers::Vector<T>* list) {
  return list ? int64_t{list->size()} : 0;
}

void CheckIndices(const std::string& where, const char* what,
                  const flatbuffers::Vector<int32_t>* list, int64_t least, int64_t count) {
  if (!list) return;
  for (int32_t index : *list) CheckIndex(where, what, index, least, count);
}

void CheckTensor(const schema::Model& model, const schema::Tensor& tensor, int64_t number) {
  const std::string name = tensor.name() ? tensor.name()->str() : "";
  const std::string where = StrCat("tensor ", number, " \"", name, "\"");
  CheckIndex(where, "buffer", tensor.buffer(), 0,
             std::max<int64_t>(Count(model.buffers()), tensor.buffer() == 0));
}

void CheckBuffers(const schema::Model& model) {
  for (int64_t i = 0; i < Count(model.buffers()); ++i) {
    const schema::Buffer* buffer = model.buffers()->Get(static_cast<uint32_t>(i));
    if (buffer->offset() > 1 || buffer->size() > 1)  // up to 1 they stand for nothing
      throw Error(StrCat("buffer ", i), "offset", StrCat(buffer->offset()),
                  "weights must be inside the flatbuffer");
  }
}

void CheckSubgraph(const schema::Model& model, const schema::SubGraph& graph) {
  const int64_t tensors = Count(graph.tensors());
  for (int64_t i = 0; i < tensors; ++i)
    CheckTensor(model, *graph.tensors()->Get(static_cast<uint32_t>(i)), i);
  CheckIndices("", "input", graph.inputs(), 0, tensors);
  CheckIndices("", "output", graph.outputs(), 0, tensors);
  for (int64_t i = 0; i < Count(graph.operators()); ++i) {
    const schema::Operator& op = *graph.operators()->Get(static_cast<uint32_t>(i));
    const std::string where = StrCat("operator ", i);
    CheckIndex(where, "opcode_index", op.opcode_index(), 0, Count(model.operator_codes()));
    CheckIndices(where, "input tensor", op.inputs(), -1, tensors);  // -1: it is not given
    CheckIndices(where, "output tensor", op.outputs(), 0, tensors);
  }
}

}  // namespace

const schema::Model& CheckTfliteFile(std::span<const uint8_t> bytes) {
  const std::string size = Counted(bytes.size(), "byte");
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    throw Error("", "model", size, "must be smaller than 2 GiB");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!schema::VerifyModelBuffer(verifier))
    throw Error("", "model", size, "is truncated or damaged: its flatbuffer does not verify");
  const schema::Model& model = *schema::GetModel(bytes.data());
  if (model.version() != kVersion)
    throw Error("", "version", StrCat(model.version()), StrCat("must be ", kVersion));
  if (Count(model.subgraphs()) != 1)
    throw Error("", "subgraphs", StrCat(Count(model.subgraphs())),
                "must be one: control flow is not supported");
  CheckBuffers(model);
  CheckSubgraph(model, *model.subgraphs()->Get(0));
  return model;
}

std::string TfliteTypeName(int type) {
  const char* name = schema::EnumNameTensorType(static_cast<schema::TensorType>(type));
  return *name ? name : StrCat("tensor type ", type);
}

std::string TfliteOperatorName(int code) {
  const char* name = schema::EnumNameBuiltinOperator(static_cast<schema::BuiltinOperator>(code));
  return *name ? name : StrCat("operator ", code);
}

}  // namespace vta::compiler
