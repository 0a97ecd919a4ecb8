// Weights that a model says lie in a file that is not there: random ones in their place.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/tensor.h"

namespace onnx {
class GraphProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace vta::compiler {

class AbsentWeights {
 public:
  /// All are borrowed. `folder` as of ReadOnnxTensor.
  AbsentWeights(const onnx::GraphProto& graph, const ImportOptions& options,
                const std::string& folder);

  /// Nothing where the tensor's bytes are to be read, or no weights_seed was given. Numbers are
  /// such that activations keep their range, by what the first node that reads them is.
  /// Errors: throws Error where no file has the tensor and it is no weights: not of a
  /// floating-point type, or a single number.
  std::optional<Tensor> Of(const onnx::TensorProto& tensor, const std::string& where) const;

 private:
  struct Use {
    const onnx::NodeProto* node;
    int input;
  };

  const ImportOptions& options_;
  const std::string& folder_;
  std::map<std::string, Use> uses_;  // the first of each initializer
};

}  // namespace vta::compiler
