// What broken, hostile and unsupported models are told.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/error_of.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

OnnxBuilder Relu() {
  OnnxBuilder b;
  b.Input("x", {1, 4}).Output("y").Node("Relu", {"x"}, "y");
  return b;
}

std::string BytesError(const std::string& bytes) {
  return ErrorOf([&] {
    ImportOnnx({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "m.onnx");
  });
}

TEST(OnnxErrors, Files) {
  EXPECT_EQ(Relu().ImportError(), "no error");
  EXPECT_EQ(BytesError(""), "m.onnx: model = 0 bytes: holds no graph: it is not an ONNX model");
  EXPECT_EQ(BytesError("not a model at all"),
            "m.onnx: model = 18 bytes: is truncated or not an ONNX model");
  const std::string whole = Relu().Bytes();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(BytesError(whole.substr(0, size)), "no error") << size;
}

TEST(OnnxErrors, TheFuzzingSeedsAreSound) {
  int seeds = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/fuzz/corpus/onnx"))) {
    EXPECT_NO_THROW(ImportOnnxFile(entry.path())) << entry.path();
    ++seeds;
  }
  EXPECT_GE(seeds, 6);
}

TEST(OnnxErrors, Opsets) {
  OnnxBuilder old(0), future(26), none;
  for (OnnxBuilder* b : {&old, &future, &none})
    b->Input("x", {1}).Output("y").Node("Relu", {"x"}, "y");
  none.model().clear_opset_import();
  EXPECT_EQ(old.ImportError(), "m.onnx: opset = 0: must be 1 to 25");
  EXPECT_EQ(future.ImportError(), "m.onnx: opset = 26: must be 1 to 25");
  EXPECT_EQ(none.ImportError(), "m.onnx: opset_import = missing: the model must name its opset");
}

TEST(OnnxErrors, Operators) {
  OnnxBuilder b;
  b.Input("x", {1, 4}).Output("y").Node("Det", {"x"}, "y");
  EXPECT_EQ(b.ImportError(), "m.onnx: operator = Det (1 node): is not supported");
  OnnxBuilder early(9);
  early.Input("x", {1, 4}).Output("y").Floats("s", {}, {1}).Node("QuantizeLinear", {"x", "s"}, "y");
  EXPECT_EQ(
      early.ImportError(),
      "m.onnx: node \"n_y\" (QuantizeLinear, opset 9): operator = QuantizeLinear: needs opset "
      "10 of its domain");
  OnnxBuilder attribute = Relu();
  OnnxBuilder::SetInt(*attribute.graph().mutable_node(0), "frob", 1);
  EXPECT_EQ(attribute.ImportError(),
            "m.onnx: node \"n_y\" (Relu, opset 13): attribute = frob: is not supported for this "
            "operator");
}

TEST(OnnxErrors, BatchNormalizationsThatTrainOrDoNotFit) {
  const auto error = [](int64_t channels, const char* attribute, int64_t value) {
    OnnxBuilder model(14);
    model.Input("x", {1, 3, 2, 2}).Output("y");
    model.Floats("s", {channels}, std::vector<float>(static_cast<size_t>(channels), 1));
    auto& node = model.Node("BatchNormalization", {"x", "s", "s", "s", "s"}, "y");
    OnnxBuilder::SetInt(node, attribute, value);
    return model.ImportError();
  };
  const std::string at = "m.onnx: node \"n_y\" (BatchNormalization, opset 14): ";
  EXPECT_EQ(error(2, "training_mode", 0),
            at + "scale, bias, mean and variance shape = [2]: must be [3]");
  EXPECT_EQ(error(3, "training_mode", 1), at + "attribute training_mode = 1: must be 0");
  EXPECT_EQ(error(3, "spatial", 0), at + "attribute spatial = 0: must be 1");
}

TEST(OnnxErrors, SizesThatWouldFillMemory) {
  OnnxBuilder filled, split, range;
  filled.Ints("shape", {2}, {1 << 20, 1 << 10}).Output("y");
  filled.Node("ConstantOfShape", {"shape"}, "y");
  EXPECT_EQ(filled.ImportError(),
            "m.onnx: node \"n_y\" (ConstantOfShape, opset 13): input shape = [1048576,1024]: must "
            "have at most 2^24 elements");
  split.Input("x", {4}).Output("y").Ints("parts", {1}, {5});
  split.Node("Split", {"x", "parts"}, "y");
  EXPECT_EQ(split.ImportError(),
            "m.onnx: node \"n_y\" (Split, opset 13): split = [5]: must be 1 sizes whose sum is 4");
  range.Ints("start", {}, {0}).Ints("limit", {}, {1 << 30}).Ints("delta", {}, {1}).Output("y");
  range.Node("Range", {"start", "limit", "delta"}, "y");
  EXPECT_EQ(range.ImportError(),
            "m.onnx: node \"n_y\" (Range, opset 13): input delta = 1: must lead to the limit in "
            "2^24 steps or fewer");
}

TEST(OnnxErrors, AllUnknownOperatorsAreNamed) {
  OnnxBuilder b;
  b.Input("x", {1, 4}).Output("y");
  b.Node("RoiAlign", {"x"}, "a");
  b.Node("Relu", {"a"}, "b");
  b.Node("Det", {"b"}, "c");
  b.Node("Scaler", {"c"}, "d").set_domain("ai.onnx.ml");
  b.Node("RoiAlign", {"d"}, "y");
  const std::string list =
      "m.onnx: operators = Det (1 node), RoiAlign (2 nodes), ai.onnx.ml.Scaler (1 node): are not "
      "supported";
  EXPECT_EQ(b.ImportError(), list);
  // So also where the model has no operator set of ours.
  b.model().mutable_opset_import(0)->set_domain("ai.onnx.ml");
  EXPECT_EQ(b.ImportError(), list);
  OnnxBuilder many;
  many.Input("x", {1}).Output("y");
  for (int i = 0; i < 25; ++i) many.Node(StrCat("Op", i), {"x"}, StrCat("v", i));
  EXPECT_TRUE(
      many.ImportError().ends_with(", Op3 (1 node), Op4 (1 node) and 5 more: are not supported"))
      << many.ImportError();
}

TEST(OnnxErrors, FilesOfOtherKindsAreNamed) {
  EXPECT_EQ(BytesError("PK\x03\x04 and so on"),
            "m.onnx: is not an ONNX model but a ZIP archive, as PyTorch and Keras save models "
            "(export to ONNX)");
  EXPECT_EQ(BytesError("TFL"), "m.onnx: model = 3 bytes: is truncated or not an ONNX model");
}

TEST(OnnxErrors, Types) {
  OnnxBuilder text, future;
  text.Input("x", {1}, onnx::TensorProto::STRING).Output("y").Node("Relu", {"x"}, "y");
  future.Input("x", {1}, 99).Output("y").Node("Relu", {"x"}, "y");
  EXPECT_EQ(text.ImportError(),
            "m.onnx: input \"x\": element type = STRING: is not a supported element type");
  EXPECT_EQ(future.ImportError(),
            "m.onnx: input \"x\": element type = data type 99: is not a supported element type");
  OnnxBuilder cast;
  cast.Input("x", {1}).Output("y");
  OnnxBuilder::SetInt(cast.Node("Cast", {"x"}, "y"), "to", onnx::TensorProto::COMPLEX64);
  EXPECT_EQ(cast.ImportError(),
            "m.onnx: node \"n_y\" (Cast, opset 13): attribute to = COMPLEX64: is not a supported "
            "element type");
}

TEST(OnnxErrors, DeclaredOutputs) {
  const auto error = [](int type, const std::vector<int64_t>& shape) {
    OnnxBuilder b, other;
    b.Input("x", {1, 4}).Output("y").Node("Relu", {"x"}, "y");
    other.Input("y", shape, type);
    *b.graph().mutable_output(0) = other.graph().input(0);
    return b.ImportError();
  };
  EXPECT_EQ(error(onnx::TensorProto::FLOAT, {-1, 4}), "no error");
  EXPECT_EQ(error(onnx::TensorProto::FLOAT, {-1, 10, 3}),
            "m.onnx: output \"y\": declared shape = [N,10,3]: the graph makes float32[1,4]");
  // A size of -1 is one that is not known.
  OnnxBuilder unknown;
  unknown.Input("x", {1, 4}).Output("y").Node("Relu", {"x"}, "y");
  auto& shape = *unknown.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  for (const int64_t size : {-1, 4}) shape.mutable_shape()->add_dim()->set_dim_value(size);
  EXPECT_EQ(unknown.ImportError(), "no error");
  shape.mutable_shape()->mutable_dim(1)->set_dim_value(5);
  EXPECT_EQ(unknown.ImportError(),
            "m.onnx: output \"y\": declared shape = [-1,5]: the graph makes float32[1,4]");
  EXPECT_EQ(error(onnx::TensorProto::INT64, {1, 4}),
            "m.onnx: output \"y\": declared element type = INT64: the graph makes float32[1,4]");
}

TEST(OnnxErrors, Structure) {
  OnnxBuilder cycle;
  cycle.Input("x", {1}).Output("a");
  cycle.Node("Relu", {"x"}, "before");
  cycle.Node("Add", {"before", "b"}, "a");
  cycle.Node("Relu", {"a"}, "b");
  cycle.Node("Relu", {"b"}, "after");
  EXPECT_EQ(cycle.ImportError(),
            "m.onnx: node \"n_b\" (Relu): waits for itself: its inputs come from its own outputs");
  OnnxBuilder twice = Relu();
  twice.Node("Relu", {"x"}, "y");
  EXPECT_EQ(twice.ImportError(), "m.onnx: node \"n_y\" (Relu): output = y: is defined twice");
  OnnxBuilder missing;
  missing.Input("x", {1}).Output("y").Node("Add", {"x", "w"}, "y");
  EXPECT_EQ(
      missing.ImportError(),
      "m.onnx: node \"n_y\" (Add, opset 13): input 1 = w: is not a graph input, an initializer "
      "or the output of a node");
  OnnxBuilder output = Relu();
  output.Output("z");
  EXPECT_EQ(output.ImportError(), "m.onnx: output = z: is not made by any node");
  OnnxBuilder duplicate = Relu();
  duplicate.Floats("w", {1}, {1}).Floats("w", {1}, {2});
  EXPECT_EQ(duplicate.ImportError(), "m.onnx: initializer = w: is defined twice");
  OnnxBuilder unsorted;
  unsorted.Input("x", {1}).Output("y");
  unsorted.Node("Relu", {"t"}, "y");
  unsorted.Node("Relu", {"x"}, "t");
  EXPECT_EQ(unsorted.ImportError(), "no error");
}

TEST(OnnxErrors, Shapes) {
  OnnxBuilder zero, negative, huge, symbolic;
  zero.Input("x", {0, 4}).Output("y").Node("Relu", {"x"}, "y");
  negative.Input("x", {1, -7}).Output("y").Node("Relu", {"x"}, "y");
  huge.Input("x", {int64_t{1} << 40, int64_t{1} << 40}).Output("y").Node("Relu", {"x"}, "y");
  for (const OnnxBuilder* b : {&zero, &negative, &huge})
    EXPECT_NE(b->ImportError().find("dimensions must be at least 1 and their product at most 2^40"),
              std::string::npos);
  symbolic.Input("x", {-1, -1}).Output("y").Node("Relu", {"x"}, "y");
  EXPECT_EQ(symbolic.ImportError(),
            "m.onnx: symbolic dimension = N: give its size, such as --dim N=224");
  EXPECT_EQ(symbolic.Import({.dimensions = {{"N", 5}}}).shape(0), (Shape{5, 5}));
  EXPECT_EQ(symbolic.ImportError({.dimensions = {{"N", 5}, {"M", 6}}}),
            "m.onnx: --dim = M=6: the model has no such symbolic dimension; it has N");
  EXPECT_EQ(Relu().ImportError({.dimensions = {{"M", 6}}}),
            "m.onnx: --dim = M=6: the model has no such symbolic dimension; it has none");
  OnnxBuilder unnamed = symbolic;
  for (int axis = 0; axis < 2; ++axis)
    unnamed.graph()
        .mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(axis)
        ->clear_dim_param();
  EXPECT_EQ(unnamed.ImportError(),
            "m.onnx: symbolic dimension = x:1: give its size, such as --dim x:1=224");
  for (const char* key : {"x[1]", "x:1"})
    EXPECT_EQ(unnamed.Import({.dimensions = {{key, 7}}}).shape(0), (Shape{1, 7}));
  EXPECT_EQ(symbolic.Import({.dimensions = {{"N", 5}, {"x:0", 2}}}).shape(0), (Shape{2, 5}));
  OnnxBuilder several;
  several.Input("x", {1, -1, 2}).Input("z", {1, 3, 2}).Output("y").Node("Add", {"x", "z"}, "y");
  auto* z = several.graph().mutable_input(1)->mutable_type()->mutable_tensor_type();
  z->mutable_shape()->mutable_dim(1)->set_dim_value(-1);
  z->mutable_shape()->mutable_dim(2)->set_dim_param("?");
  EXPECT_EQ(several.ImportError(),
            "m.onnx: symbolic dimension = N: give its size, such as --dim N=224");
  EXPECT_EQ(several.Import({.dimensions = {{"N", 3}, {"z:1", 3}, {"?", 2}}}).shape(1),
            (Shape{1, 3, 2}));
  OnnxBuilder batch;
  batch.Input("x", {-1, 4}).Output("y").Node("Relu", {"x"}, "y");
  EXPECT_EQ(batch.Import().shape(0), (Shape{1, 4}));
  EXPECT_EQ(batch.Import({.batch = 3}).shape(0), (Shape{3, 4}));
}

TEST(OnnxErrors, Memory) {
  OnnxBuilder b;
  b.Input("x", {1, 1 << 20}).Input("c", {1 << 20, 1}).Output("y").Node("Add", {"x", "c"}, "y");
  EXPECT_EQ(
      b.ImportError(),
      "m.onnx: node \"n_y\" (Add, opset 13): memory for all tensors = 4398054899712 bytes: must "
      "not exceed 8589934592");
  OnnxBuilder padded;
  padded.Floats("x", {1}, {1}).Ints("pads", {2}, {1 << 30, 1 << 30}).Output("y");
  padded.Node("Pad", {"x", "pads"}, "y");
  EXPECT_NE(padded.ImportError().find("memory for all tensors"), std::string::npos);
}

TEST(OnnxErrors, Tensors) {
  OnnxBuilder raw;
  raw.Input("x", {1}).Output("y").Floats("w", {3}, {}).Node("Add", {"x", "w"}, "y");
  raw.graph().mutable_initializer(0)->set_raw_data("12345678");
  EXPECT_EQ(raw.ImportError(),
            "m.onnx: initializer: tensor \"w\" = 8 bytes of raw data: float32[3] "
            "asks for 12");
  OnnxBuilder field;
  field.Input("x", {1})
      .Output("y")
      .Floats("w", {int64_t{1} << 39}, {1})
      .Node("Add", {"x", "w"}, "y");
  EXPECT_EQ(field.ImportError(),
            "m.onnx: initializers: memory for all tensors = 2199023255552 bytes: must not exceed "
            "8589934592");
  field.graph().mutable_initializer(0)->set_dims(0, 7);
  EXPECT_EQ(field.ImportError(),
            "m.onnx: initializer: tensor \"w\" = 1 value: its dimensions ask for 7");
  OnnxBuilder range;
  range.Input("x", {1}).Output("y").Ints("w", {1}, {300}, onnx::TensorProto::INT8);
  range.Node("Add", {"x", "w"}, "y");
  EXPECT_EQ(range.ImportError(), "m.onnx: initializer: tensor \"w\" = 300: must fit int8");
  OnnxBuilder text;
  text.Input("x", {1}).Output("y").Node("Relu", {"x"}, "y");
  text.Ints("w", {1}, {1}, onnx::TensorProto::STRING);
  EXPECT_EQ(text.ImportError(),
            "m.onnx: initializer: tensor \"w\" = STRING: is not a supported element type");
}

TEST(OnnxErrors, Scales) {
  for (float scale : {0.0f, -1.0f, NAN, INFINITY}) {
    OnnxBuilder b;
    b.Input("x", {1}).Output("y").Floats("s", {}, {scale}).Node("QuantizeLinear", {"x", "s"}, "y");
    EXPECT_EQ(b.ImportError(), StrCat("m.onnx: node \"n_y\" (QuantizeLinear, opset 13): scale = ",
                                      double{scale}, ": must be positive and finite"));
  }
  for (float scale : {1e-30f, 1e30f}) {
    OnnxBuilder b;
    b.Input("x", {1, 1, 1, 1}, onnx::TensorProto::INT8).Output("y").Floats("s", {}, {scale});
    b.Ints("z", {}, {0}, onnx::TensorProto::INT8).Ints("b", {1}, {5}, onnx::TensorProto::INT32);
    b.Ints("w", {1, 1, 1, 1}, {3}, onnx::TensorProto::INT8);
    b.Node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z", "b"}, "y");
    EXPECT_EQ(b.ImportError(),
              StrCat("m.onnx: node \"n_y\" (QLinearConv, opset 13): scale of the bias = ",
                     scale < 1 ? "0" : "inf",
                     ": the input's times the weights' must be positive and finite"));
  }
  OnnxBuilder dynamic;
  dynamic.Input("x", {1}).Input("s", {}).Output("y").Node("QuantizeLinear", {"x", "s"}, "y");
  EXPECT_EQ(dynamic.ImportError(),
            "m.onnx: node \"n_y\" (QuantizeLinear, opset 13): scale = s: must be a constant");
}

TEST(OnnxErrors, Convolutions) {
  const auto conv = [](const std::string& attribute, const std::vector<int64_t>& values) {
    OnnxBuilder b;
    b.Input("x", {1, 2, 4, 4}).Output("y").Floats("w", {1, 2, 3, 3}, std::vector<float>(18));
    OnnxBuilder::SetInts(b.Node("Conv", {"x", "w"}, "y"), attribute, values);
    const std::string error = b.ImportError();
    const std::string prefix = "m.onnx: node \"n_y\" (Conv, opset 13): ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  };
  EXPECT_EQ(conv("pads", {1, 1, 1, 1}), "no error");
  EXPECT_EQ(conv("strides", {0, 1}),
            "attribute strides = [0,1]: must be 2 integers from 1 to 2^31 - 1");
  EXPECT_EQ(conv("pads", {-1, 0, 0, 0}),
            "attribute pads = [-1,0,0,0]: must be 4 integers from 0 to 2^31 - 1");
  EXPECT_EQ(conv("dilations", {9, 1}), "window height = 19: must not exceed the padded input of 4");
  EXPECT_EQ(conv("kernel_shape", {2, 2}),
            "attribute kernel_shape = [2,2]: must be the weight's [3,3]");
  EXPECT_EQ(conv("group", {1}), "attribute group = INTS: must be of type INT");
}

}  // namespace
}  // namespace vta::compiler
