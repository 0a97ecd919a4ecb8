// Operators whose activations are codes of 16 bits, in the integers of TensorFlow Lite's kernels:
// weights are int8, all zero points 0. What is not here is computed in float32.
#pragma once

#include "compiler/frontend/tflite/integer_kernels.h"
#include "compiler/frontend/tflite/node.h"
#include "compiler/frontend/tflite/window.h"

namespace vta::compiler {

/// Whether the first input and the output are int16 with a scale.
bool OfSixteenBits(TfliteNode& node);
/// The scale of an input, or of the output.
/// Errors: throws Error unless it is int16 with one scale, and a zero point of 0.
float SixteenScale(TfliteNode& node, int64_t input);
float SixteenOutputScale(TfliteNode& node);
/// Binds the output to x, in int64, within the codes that the activation function leaves.
/// Errors: throws Error for a function that is not supported.
void ResultSixteen(TfliteNode& node, ValueId x, int activation);

/// That windows may have: each is an op of the graph.
inline constexpr int64_t kMostSixteenTaps = 1024;

/// Layers; x is [N,H,W,C], the weights [OC,KH,KW,C/groups], or [1,KH,KW,OC] of depthwise ones.
void ConvolveSixteen(TfliteNode& node, const TfliteWindow& window, int64_t groups, int activation);
void ConvolveDepthwiseSixteen(TfliteNode& node, const TfliteWindow& window, int activation);
/// Of codes of one scale, ties away from 0; padding does not count.
void PoolAverageSixteen(TfliteNode& node, const TfliteWindow& window,
                        const std::vector<int64_t>& kernel, int activation);
/// The output's shape is `shape`.
void FullyConnectSixteen(TfliteNode& node, const Shape& shape, int activation);

/// a + b, or a - b. Products. Functions by their table.
void AddSixteen(TfliteNode& node, bool subtract, int activation);
void MultiplySixteen(TfliteNode& node, int activation);
void FunctionSixteen(TfliteNode& node, CodeFunction function);

}  // namespace vta::compiler
