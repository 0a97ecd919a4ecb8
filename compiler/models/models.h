// Known networks as ONNX files with seeded weights: real shapes to compile and run, no training.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vta::compiler {

struct ModelInfo {
  std::string name;
  std::string summary;
};

/// What a network computes in. Int8 and uint8 are QDQ with int8 weights; their activations' codes
/// differ by 128, so that both give the same values. Float is the network that they quantise.
enum class ModelType { kInt8, kUint8, kFloat };

struct ModelTypeInfo {
  const char* name;
  ModelType type;
};
inline constexpr ModelTypeInfo kModelTypes[] = {
    {"int8", ModelType::kInt8}, {"uint8", ModelType::kUint8}, {"float", ModelType::kFloat}};

/// The names that BuildModel takes, in the order in which a user should read them.
std::vector<ModelInfo> KnownModels();

/// Writes a network as ONNX, opset 13, 14 where it has HardSwish, 17
/// where it has LayerNormalization. The bytes depend on name,
/// seed, type and batch alone. The weights make every layer sensitive to its input: one wrong code
/// early on changes many logits, so compare integers exactly. Shape:  float input "image" [1, 3,
/// size, size] -> float "logits" [1, classes], of U-Net
///         [1, classes, size, size], of yolov8n [1, 4 + classes, places]; no softmax; `batch` in
///         place of 1. Of resnet18_c2_c11 "features" [1, 64, 56, 56] -> [1, 512, 7, 7]; of
///         tiny_transformer "tokens" [1, 64, 128].
/// Errors: throws Error for an unknown name, listing the known ones, and if `path` cannot be
///         written.
void BuildModel(std::string_view name, uint64_t seed, const std::string& path,
                ModelType type = ModelType::kInt8, int64_t batch = 1);

}  // namespace vta::compiler
