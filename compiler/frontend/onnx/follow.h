// What the nodes of an ONNX graph say of its inputs' sizes.
#pragma once

#include <map>
#include <string>

#include "compiler/frontend/onnx/node.h"
#include "compiler/frontend/sizes.h"

namespace vta::compiler {

/// Goes through the graph once with the shapes of its inputs, some dimensions of which are open,
/// and its constants: what a product, a convolution, a Concat or a Reshape needs, or an output
/// declares, is made equal. A node that it does not know, or that is wrong, says nothing.
void FollowOnnxSizes(const onnx::GraphProto& proto, const OnnxNames& constants,
                     std::map<std::string, Shape> inputs, Sizes& sizes);

}  // namespace vta::compiler
