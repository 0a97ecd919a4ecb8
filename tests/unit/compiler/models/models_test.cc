// Known networks: ONNX's own checker and shape inference read them back; sizes against published
// ones.
#include "compiler/models/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tests/support/trials.h"

namespace vta::compiler {
namespace {

using Shape = std::vector<int64_t>;

/// Differs between the tests that run at the same time.
std::string TemporaryPath(const std::string& name) {
  return StrCat(testing::TempDir(), "/vta_models_test_", getpid(), "_", name, ".onnx");
}

std::string BuildBytes(const std::string& name, uint64_t seed, ModelType type = ModelType::kInt8,
                       int64_t batch = 1) {
  const std::string path = TemporaryPath(name);
  BuildModel(name, seed, path, type, batch);
  std::string bytes = ReadTextFile(path);
  std::filesystem::remove(path);
  return bytes;
}

onnx::ModelProto Build(const std::string& name, ModelType type = ModelType::kInt8,
                       int64_t batch = 1) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(BuildBytes(name, 1, type, batch)));
  return model;
}

Shape ShapeOf(const onnx::TypeProto& type) {
  Shape shape;
  for (const auto& dim : type.tensor_type().shape().dim()) shape.push_back(dim.dim_value());
  return shape;
}

/// Shapes of all values that an operator reads, by ONNX's own inference.
std::map<std::string, Shape> InferredShapes(onnx::ModelProto model) {
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance());
  std::map<std::string, Shape> shapes;
  for (const auto& tensor : model.graph().initializer())
    shapes[tensor.name()] = Shape(tensor.dims().begin(), tensor.dims().end());
  for (const auto& info : model.graph().input()) shapes[info.name()] = ShapeOf(info.type());
  for (const auto& info : model.graph().value_info()) shapes[info.name()] = ShapeOf(info.type());
  return shapes;
}

int64_t Attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) {
      return attribute.type() == onnx::AttributeProto::INT ? attribute.i() : attribute.ints(0);
    }
  }
  throw std::runtime_error(name);
}

/// One convolution: the columns H,W,C,K,R,S,stride,pad,groups,MACs,OH,OW of the case files.
using ConvRow = std::vector<int64_t>;

std::multiset<ConvRow> Convolutions(const onnx::ModelProto& model) {
  const std::map<std::string, Shape> shapes = InferredShapes(model);
  std::multiset<ConvRow> rows;
  for (const auto& node : model.graph().node()) {
    if (node.op_type() != "Conv") continue;
    const Shape &x = shapes.at(node.input(0)), &w = shapes.at(node.input(1)),
                &y = shapes.at(node.output(0));
    const int64_t macs = y[1] * y[2] * y[3] * w[1] * w[2] * w[3];
    rows.insert({x[2], x[3], x[1], y[1], w[2], w[3], Attribute(node, "strides"),
                 Attribute(node, "pads"), Attribute(node, "group"), macs, y[2], y[3]});
  }
  return rows;
}

/// Rows are name,N,H,W,...,OH,OW,count; a count of 0 is a shape that the network does not use.
std::multiset<ConvRow> ReadCase(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line, cell;
  std::getline(file, line);
  std::multiset<ConvRow> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    std::getline(cells, cell, ',');
    ConvRow row;
    while (std::getline(cells, cell, ',')) row.push_back(std::stoll(cell));
    const int64_t count = row.back();
    row.pop_back();
    for (int64_t i = 0; i < count; ++i) rows.insert(row);
  }
  return rows;
}

class PublishedLayers : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PublishedLayers, EachConvolutionIsTheOneOfTheCaseFile) {
  const auto [name, file] = GetParam();
  const std::filesystem::path path = CasesFolder() / file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: no " << path;
  const std::multiset<ConvRow> expected = ReadCase(path);
  ASSERT_FALSE(expected.empty());
  for (const ModelTypeInfo& type : kModelTypes)
    EXPECT_EQ(Convolutions(Build(name, type.type)), expected) << type.name;
}

INSTANTIATE_TEST_SUITE_P(Models, PublishedLayers,
                         testing::Values(std::pair("resnet18", "layers_resnet18.csv"),
                                         std::pair("resnet50", "layers_resnet50.csv"),
                                         std::pair("mobilenet_v1", "layers_mobilenetv1.csv")),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(KnownModels, C2ToC11AreResnet18WithoutItsEnds) {
  const onnx::ModelProto whole = Build("resnet18"), part = Build("resnet18_c2_c11");
  std::multiset<ConvRow> convolutions = Convolutions(whole);
  EXPECT_EQ(std::erase_if(convolutions, [](const ConvRow& row) { return row[2] == 3; }), 1u);
  EXPECT_EQ(convolutions.size(), 19u);
  EXPECT_EQ(Convolutions(part), convolutions);
  std::map<std::string, int64_t> ops;
  for (const auto& node : whole.graph().node()) ++ops[node.op_type()];
  for (const auto& node : part.graph().node()) --ops[node.op_type()];
  std::erase_if(ops, [](const auto& op) { return op.second == 0 || op.first.ends_with("Linear"); });
  EXPECT_EQ(ops, (std::map<std::string, int64_t>{{"Conv", 1},
                                                 {"Flatten", 1},
                                                 {"Gemm", 1},
                                                 {"GlobalAveragePool", 1},
                                                 {"MaxPool", 1},
                                                 {"Relu", 1}}));
  EXPECT_EQ(ShapeOf(part.graph().input(0).type()), (Shape{1, 64, 56, 56}));
  EXPECT_EQ(ShapeOf(part.graph().output(0).type()), (Shape{1, 512, 7, 7}));
}

/// H, C and stride of those that papers measure: with H = W and windows of 3x3.
TEST(KnownModels, MobilenetV1HasTheNineDepthwiseLayers) {
  std::set<Shape> layers;
  for (const ConvRow& row : Convolutions(Build("mobilenet_v1", ModelType::kFloat))) {
    if (row[8] == 1) continue;
    EXPECT_EQ(row[8], row[2]);
    EXPECT_EQ((Shape{row[1], row[3], row[4], row[5]}), (Shape{row[0], row[2], 3, 3}));
    layers.insert({row[0], row[2], row[6]});
  }
  EXPECT_EQ(layers, (std::set<Shape>{{112, 32, 1},
                                     {112, 64, 2},
                                     {56, 128, 1},
                                     {56, 128, 2},
                                     {28, 256, 1},
                                     {28, 256, 2},
                                     {14, 512, 1},
                                     {14, 512, 2},
                                     {7, 1024, 1}}));
}

bool IsLayer(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  return op == "Conv" || op == "ConvTranspose" || op == "Gemm";
}

/// Elements of all weights and biases.
int64_t ParameterCount(const onnx::ModelProto& model) {
  const std::map<std::string, Shape> shapes = InferredShapes(model);
  int64_t total = 0;
  for (const auto& node : model.graph().node()) {
    if (!IsLayer(node)) continue;
    for (int i = 1; i < node.input_size(); ++i) {
      int64_t elements = 1;
      for (int64_t size : shapes.at(node.input(i))) elements *= size;
      total += elements;
    }
  }
  return total;
}

// The published counts are of networks with batch normalisation, which has a gain and an offset for
// each channel; folded, the offset alone is left, as the bias of its convolution. So the number
// here is the published one less one for each channel of each convolution:
//   resnet18      64 + 4*64 + 5*128 + 5*256 + 5*512 = 4800
//   resnet50      64 + (3*(64+64+256) + 256) + (4*(128+128+512) + 512) + (6*(256+256+1024) + 1024)
//                 + (3*(512+512+2048) + 2048) = 26560
//   mobilenet_v1  32 + (32+64) + (64+128) + (128+128) + (128+256) + (256+256) + (256+512) +
//   5*(512+512)
//                 + (512+1024) + (1024+1024) = 10944
//   mobilenet_v2  32 + (32+16) + (96+96+24) + (144+144+24) + (144+144+32) + 2*(192+192+32)
//                 + (192+192+64) + 3*(384+384+64) + (384+384+96) + 2*(576+576+96) + (576+576+160)
//                 + 2*(960+960+160) + (960+960+320) + 1280 = 17056
//   mobilenet_v3_large  16 + 960 and, of the blocks, expanded (but in the first) + filtered +
//                 projected: (16+16) + (64+64+24) + (72+72+24) + (72+72+40) + 2*(120+120+40) +
//                 (240+240+80) + (200+200+80) + 2*(184+184+80) + (480+480+112) + (672+672+112) +
//                 (672+672+160) + 2*(960+960+160) = 12200; what weighs channels has biases alone
//   mobilenet_v3_small  16 + 576 + (16+16) + (72+72+24) + (88+88+24) + (96+96+40) +
//                 2*(240+240+40) + (120+120+48) + (144+144+48) + (288+288+96) + 2*(576+576+96) =
//                 6056
//   unet          2*(2*64 + 2*128 + 2*256 + 2*512) + 2*1024 = 5888, of the form with padding and
//                 normalisation for three channels and two classes: 31037698
//   efficientnet_lite0  32 + (32+16) + (96+96+24) + (144+144+24) + (144+144+40) + (240+240+40)
//                 + (240+240+80) + 2*(480+480+80) + (480+480+112) + 2*(672+672+112) + (672+672+192)
//                 + 3*(1152+1152+192) + (1152+1152+320) + 1280 = 21008
//   densenet121   64 + 58*128, the normalisations that a convolution before them takes; less the
//                 biases that the convolutions before the others have here alone: 58*32 + 128 + 256
//                 + 512. So 4736.
//   shufflenet_v2 24 + (24+4*58 + 3*3*58) + (116+4*116 + 7*3*116) + (232+4*232 + 3*3*232) + 1024
//                 = 8090
//   inception_v3  stem 400; mixed 5 464 + 496 + 496; 6 640 + 1536 + 1728 + 1728 + 1920; 7 1280 +
//                 3264 + 3264. So 17216; published without the auxiliary classifier.
// SqueezeNet and VGG have biases and no batch normalisation: the numbers are the published ones.
TEST(KnownModels, ParameterCountsAreThePublishedOnes) {
  EXPECT_EQ(ParameterCount(Build("resnet18")), 11'689'512 - 4'800);
  EXPECT_EQ(ParameterCount(Build("resnet50")), 25'557'032 - 26'560);
  EXPECT_EQ(ParameterCount(Build("mobilenet_v1")), 4'231'976 - 10'944);
  EXPECT_EQ(ParameterCount(Build("mobilenet_v2")), 3'504'872 - 17'056);
  EXPECT_EQ(ParameterCount(Build("mobilenet_v3_large")), 5'483'032 - 12'200);
  EXPECT_EQ(ParameterCount(Build("mobilenet_v3_small")), 2'542'856 - 6'056);
  EXPECT_EQ(ParameterCount(Build("efficientnet_lite0")), 4'652'008 - 21'008);
  EXPECT_EQ(ParameterCount(Build("squeezenet")), 1'235'496);
  EXPECT_EQ(ParameterCount(Build("squeezenet1_0")), 1'248'424);
  EXPECT_EQ(ParameterCount(Build("densenet121")), 7'978'856 - 4'736);
  EXPECT_EQ(ParameterCount(Build("shufflenet_v2")), 2'278'604 - 8'090);
  EXPECT_EQ(ParameterCount(Build("inception_v3")), 23'834'568 - 17'216);
  if (OneTrialOf() == 1) {
    EXPECT_EQ(ParameterCount(Build("vgg16")), 138'357'544);
    EXPECT_EQ(ParameterCount(Build("vgg19")), 143'667'240);
  }
}

bool IsTransformer(const std::string& name) {
  return name == "vit_tiny" || name == "tiny_transformer";
}

bool IsDetector(const std::string& name) { return name == "yolov8n"; }

/// The mean of a detector's bins, in float: a convolution whose weights are the numbers of these.
bool IsMeanOfBins(const onnx::NodeProto& node) { return node.name() == "distance"; }

bool IsVgg(const std::string& network) { return network.starts_with("vgg"); }

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, PassesTheOnnxChecker) {
  for (const ModelTypeInfo& type : kModelTypes) {
    const onnx::ModelProto model = Build(GetParam(), type.type);
    EXPECT_NO_THROW(onnx::checker::check_model(model)) << type.name;
    EXPECT_EQ(ShapeOf(model.graph().input(0).type()).size(),
              GetParam() == "tiny_transformer" ? 3u : 4u);
    const bool is_image = GetParam() == "unet" || GetParam() == "resnet18_c2_c11";
    EXPECT_EQ(ShapeOf(model.graph().output(0).type()).size(), IsDetector(GetParam()) ? 3u
                                                              : is_image             ? 4u
                                                                                     : 2u);
    EXPECT_EQ(model.graph().output(0).name(), "logits");
  }
}

/// The model's constants by name, as one type.
template <typename T>
std::map<std::string, std::vector<T>> Constants(const onnx::ModelProto& model, int32_t type) {
  std::map<std::string, std::vector<T>> constants;
  for (const auto& tensor : model.graph().initializer()) {
    if (tensor.data_type() != type) continue;
    const auto* values = reinterpret_cast<const T*>(tensor.raw_data().data());
    constants[tensor.name()].assign(values, values + tensor.raw_data().size() / sizeof(T));
  }
  return constants;
}

/// The model with every activation's zero point moved from uint8 to int8.
onnx::ModelProto WithInt8Activations(onnx::ModelProto model) {
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_type() != onnx::TensorProto::UINT8) continue;
    tensor.set_data_type(onnx::TensorProto::INT8);
    tensor.set_raw_data(std::string(1, static_cast<char>(tensor.raw_data()[0] - 128)));
  }
  return model;
}

TEST_P(EveryModel, OfUint8IsTheOneOfInt8WithCodes128More) {
  const onnx::ModelProto model = Build(GetParam(), ModelType::kUint8);
  EXPECT_TRUE(WithInt8Activations(model).SerializeAsString() == BuildBytes(GetParam(), 1));
  const auto zero_points = Constants<uint8_t>(model, onnx::TensorProto::UINT8);
  int64_t rectified = 0;
  for (const auto& [name, value] : zero_points) {
    if (!name.ends_with("/relu/zero_point") && !name.ends_with("/relu6/zero_point")) continue;
    EXPECT_EQ(value, std::vector<uint8_t>{0}) << name;
    ++rectified;
  }
  EXPECT_EQ(rectified > 0, !IsTransformer(GetParam()) && !IsDetector(GetParam()));
  EXPECT_LT(rectified, static_cast<int64_t>(zero_points.size()));
}

// Int32 at the accumulators' scale: else ONNX Runtime computes the convolution in float.
TEST_P(EveryModel, BiasesHaveTheScaleOfTheAccumulators) {
  for (const ModelType type : {ModelType::kInt8, ModelType::kUint8}) {
    const onnx::ModelProto model = Build(GetParam(), type);
    const auto scales = Constants<float>(model, onnx::TensorProto::FLOAT);
    std::map<std::string, std::string> scale_of;
    for (const auto& node : model.graph().node())
      if (node.op_type() == "DequantizeLinear") scale_of[node.output(0)] = node.input(1);
    for (const auto& node : model.graph().node()) {
      if (!IsLayer(node) || IsMeanOfBins(node)) continue;
      std::vector<float> expected = scales.at(scale_of.at(node.input(1)));
      for (float& scale : expected) scale *= scales.at(scale_of.at(node.input(0)))[0];
      EXPECT_EQ(scales.at(scale_of.at(node.input(2))), expected) << node.name();
    }
  }
}

/// By the name of the codes, how many in a row have one scale.
std::map<std::string, size_t> CodesOfAScale(const onnx::ModelProto& model) {
  std::map<std::string, Shape> shapes;
  for (const auto& tensor : model.graph().initializer())
    shapes[tensor.name()] = {tensor.dims().begin(), tensor.dims().end()};
  std::map<std::string, size_t> together;
  for (const auto& node : model.graph().node()) {
    if (node.op_type() != "DequantizeLinear" || !shapes.contains(node.input(0))) continue;
    const Shape& shape = shapes.at(node.input(0));
    size_t& count = together[node.input(0)] = 1;
    for (size_t d = Attribute(node, "axis") + 1; d < shape.size(); ++d) count *= shape[d];
  }
  return together;
}

TEST_P(EveryModel, OfFloatHasTheValuesThatTheCodesStandFor) {
  const onnx::ModelProto quantised = Build(GetParam()), real = Build(GetParam(), ModelType::kFloat);
  const auto weights = Constants<int8_t>(quantised, onnx::TensorProto::INT8);
  const auto biases = Constants<int32_t>(quantised, onnx::TensorProto::INT32);
  const auto scales = Constants<float>(quantised, onnx::TensorProto::FLOAT);
  const std::map<std::string, size_t> together = CodesOfAScale(quantised);
  int64_t parameters = 0;
  for (const auto& [name, values] : Constants<float>(real, onnx::TensorProto::FLOAT)) {
    if (!scales.contains(name + "/scale")) {  // neither weights nor biases
      EXPECT_EQ(scales.at(name), values) << name;
      continue;
    }
    const std::vector<float>& scale = scales.at(name + "/scale");
    const bool is_weight = weights.contains(name);
    const size_t per_scale = together.at(name);
    const auto first_difference = [&](const auto& codes) {
      size_t i = 0;
      while (i < values.size() &&
             values[i] == static_cast<float>(codes[i]) * scale[i / per_scale % scale.size()])
        ++i;
      return i;
    };
    ASSERT_EQ(is_weight ? first_difference(weights.at(name)) : first_difference(biases.at(name)),
              values.size())
        << name;
    ++parameters;
  }
  for (const auto& node : real.graph().node()) {
    EXPECT_FALSE(node.op_type().ends_with("Linear")) << node.op_type();
    if (IsMeanOfBins(node)) continue;
    if (IsLayer(node) || (node.op_type() == "MatMul" && node.input(1).ends_with("/weight")))
      parameters -= 2;
  }
  EXPECT_EQ(parameters, 0);
}

// Each operator between a QuantizeLinear and the next reads dequantised values and nothing else, so
// that the whole network can run in integers.
TEST_P(EveryModel, EveryOperatorReadsDequantisedValues) {
  const onnx::ModelProto model = Build(GetParam());
  std::map<std::string, std::string> producer;
  for (const auto& node : model.graph().node()) producer[node.output(0)] = node.op_type();
  for (const auto& node : model.graph().node()) {
    const std::string& op = node.op_type();
    if (op == "QuantizeLinear" || op == "DequantizeLinear") continue;
    const bool rectifier = op == "Relu" || op == "Clip";
    if (node.name() == "level0") break;  // from here on a detector computes in float
    const bool one = rectifier || op == "Slice" || op == "Reshape" || op == "Resize" ||  // where
                     op == "LayerNormalization";  // the others are gain and offset
    // Parts of a GELU, and what is added to a product or to all tokens.
    if (IsTransformer(GetParam()) &&
        (op == "Add" || op == "Mul" || op == "Div" || op == "Erf" || op == "Concat"))
      continue;
    const int tensors = one ? 1 : node.input_size();
    for (int i = 0; i < tensors; ++i) {
      EXPECT_EQ(producer[node.input(i)] == "DequantizeLinear", !rectifier) << node.name();
    }
  }
}

TEST_P(EveryModel, BytesDependOnTheSeedAlone) {
  const std::string bytes = BuildBytes(GetParam(), 7);
  EXPECT_TRUE(bytes == BuildBytes(GetParam(), 7));
  EXPECT_FALSE(bytes == BuildBytes(GetParam(), 8));
}

// But those of VGG, which differ from the others in the number of their weights: 138 million take a
// minute; and under sanitizers the next largest.
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ModelInfo& model : KnownModels()) {
                             const bool large = model.name == "inception_v3" ||
                                                model.name == "densenet121" || model.name == "unet";
                             if (!IsVgg(model.name) && (!large || OneTrialOf() == 1))
                               names.push_back(model.name);
                           }
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST(KnownModels, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const std::string path = TemporaryPath("unknown");
  try {
    BuildModel("resnet19", 1, path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "model = resnet19: must be one of resnet18, resnet50, mobilenet_v1, mobilenet_v2, "
        "mobilenet_v3_large, mobilenet_v3_small, efficientnet_lite0, squeezenet, "
        "squeezenet1_0, densenet121, shufflenet_v2, inception_v3, vgg16, vgg19, unet, "
        "yolov8n, vit_tiny, tiny_transformer, resnet18_c2_c11, resnet_tiny, mobilenet_tiny");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(KnownModels, APathThatCannotBeWrittenIsRefused) {
  EXPECT_THAT([] { BuildModel("resnet_tiny", 1, "/nonexistent/folder/m.onnx"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("/nonexistent/folder/m.onnx")));
}

/// Of a batch each activation has so many of what one image has.
TEST(Models, ABatchHasSoManyImages) {
  for (const ModelInfo& known : KnownModels()) {
    if (known.name == "vgg19") continue;  // as vgg16
    const onnx::ModelProto model = Build(known.name, ModelType::kFloat, 3);
    const std::map<std::string, Shape> one = InferredShapes(Build(known.name, ModelType::kFloat)),
                                       three = InferredShapes(model);
    std::map<std::string, Shape> wanted = one;
    for (const auto& tensor : model.graph().initializer()) wanted.erase(tensor.name());
    ASSERT_FALSE(wanted.empty());
    for (auto& [name, shape] : wanted) {
      shape.at(0) *= 3;
      EXPECT_EQ(three.at(name), shape) << known.name << " " << name;
    }
    EXPECT_EQ(ShapeOf(model.graph().output(0).type()).at(0), 3);
  }
}

}  // namespace
}  // namespace vta::compiler
