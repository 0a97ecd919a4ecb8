#include "compiler/models/models.h"

#include "compiler/models/concatenating.h"
#include "compiler/models/mobilenet.h"
#include "compiler/models/mobilenet_v3.h"
#include "compiler/models/network_builder.h"
#include "compiler/models/resnet.h"
#include "compiler/models/transformer.h"
#include "compiler/models/unet.h"
#include "compiler/models/vgg.h"
#include "compiler/models/yolo.h"
#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::compiler {
namespace {

struct KnownModel {
  const char* name;
  const char* summary;
  void (*build)(NetworkBuilder&);
};

constexpr KnownModel kKnownModels[] = {
    {"resnet18", "ResNet-18, 224x224, 1000 classes", BuildResnet18},
    {"resnet50", "ResNet-50 v1.5 (stride on the 3x3), 224x224, 1000 classes", BuildResnet50},
    {"mobilenet_v1", "MobileNet v1 1.0, 224x224, 1000 classes", BuildMobilenetV1},
    {"mobilenet_v2", "MobileNet v2 1.0, 224x224, 1000 classes", BuildMobilenetV2},
    {"mobilenet_v3_large", "MobileNet v3 Large 1.0, 224x224, 1000 classes", BuildMobilenetV3Large},
    {"mobilenet_v3_small", "MobileNet v3 Small 1.0, 224x224, 1000 classes", BuildMobilenetV3Small},
    {"efficientnet_lite0", "EfficientNet-Lite0, 224x224, 1000 classes", BuildEfficientnetLite0},
    {"squeezenet", "SqueezeNet 1.1, 224x224, 1000 classes", BuildSqueezenet},
    {"squeezenet1_0", "SqueezeNet 1.0, 224x224, 1000 classes", BuildSqueezenet10},
    {"densenet121", "DenseNet-121, normalisation as convolutions of one tap, 224x224, 1000 classes",
     BuildDensenet121},
    {"shufflenet_v2", "ShuffleNet v2 1.0, 224x224, 1000 classes", BuildShufflenetV2},
    {"inception_v3", "Inception v3, 299x299, 1000 classes", BuildInceptionV3},
    {"vgg16", "VGG-16, 224x224, 1000 classes", BuildVgg16},
    {"vgg19", "VGG-19, 224x224, 1000 classes", BuildVgg19},
    {"unet", "U-Net, transposed convolutions, 128x128, 2 classes for each pixel", BuildUnet},
    {"yolov8n", "YOLOv8n, 320x320, boxes and scores of 80 classes at 2,100 places", BuildYolov8n},
    {"vit_tiny", "vision transformer of DeiT-tiny's shapes, 224x224, 1000 classes", BuildVitTiny},
    {"tiny_transformer", "4 transformer blocks, 128 wide, 64 tokens, 10 classes",
     BuildTinyTransformer},
    {"resnet18_c2_c11", "ResNet-18's 19 convolutions behind its pool, with their sums, 56x56",
     BuildResnet18C2ToC11},
    {"resnet_tiny", "two residual stages of 16 and 32 channels, 32x32, 10 classes",
     BuildResnetTiny},
    {"mobilenet_tiny", "three inverted residuals of odd widths, 32x32, 10 classes",
     BuildMobilenetTiny},
};

}  // namespace

std::vector<ModelInfo> KnownModels() {
  std::vector<ModelInfo> models;
  for (const KnownModel& model : kKnownModels) models.push_back({model.name, model.summary});
  return models;
}

void BuildModel(std::string_view name, uint64_t seed, const std::string& path, ModelType type,
                int64_t batch) {
  std::string names;
  for (const KnownModel& model : kKnownModels) {
    if (model.name == name) {
      NetworkBuilder builder(model.name, seed, type, batch);
      model.build(builder);
      WriteFileAtomically(path, builder.Serialize());
      return;
    }
    names += StrCat(names.empty() ? "" : ", ", model.name);
  }
  throw Error("", "model", std::string(name), StrCat("must be one of ", names));
}

}  // namespace vta::compiler
