// Tensors in files beside the model: what is read, and what is refused before it is.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/graph/evaluate.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;
using Keys = std::vector<std::pair<std::string, std::string>>;

/// A folder with the model x + w and, beside it, w's file: 2 bytes, then float32 1, 2 and 3.
class OnnxExternal : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "model" / "sub");
    const std::vector<float> values = {1, 2, 3};
    std::string text(2 + 3 * sizeof(float), '?');
    std::memcpy(text.data() + 2, values.data(), 3 * sizeof(float));
    for (const char* file : {"model/w.bin", "model/sub/w.bin", "outside.bin"})
      WriteFileAtomically((folder_ / file).string(), text);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void SetKeys(onnx::TensorProto& tensor, const Keys& keys) {
    tensor.clear_float_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : keys) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }
  static OnnxBuilder Sum(const Keys& keys) {
    OnnxBuilder b;
    b.Input("x", {3}).Output("y").Floats("w", {3}, {}).Node("Add", {"x", "w"}, "y");
    SetKeys(*b.graph().mutable_initializer(0), keys);
    return b;
  }
  Graph Import(const OnnxBuilder& builder, const OnnxOptions& options = {}) const {
    WriteFileAtomically(Model(), builder.Bytes());
    return ImportOnnxFile(Model(), options);
  }
  std::string Model() const { return (folder_ / "model/m.onnx").string(); }
  void ExpectSum(const OnnxBuilder& builder) const {
    const Tensor zero = Tensor::Of<float>({3}, {0, 0, 0});
    EXPECT_EQ(Evaluate(Import(builder), {zero})[0], Tensor::Of<float>({3}, {1, 2, 3}));
  }
  /// Less the model's path.
  std::string ErrorOfKeys(const Keys& keys) const {
    const std::string error = ErrorOf([&] { Import(Sum(keys)); });
    return error.starts_with(Model()) ? error.substr(Model().size()) : error;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / StrCat("vta_external_", getpid());
};

TEST_F(OnnxExternal, TheNamedRangeIsRead) {
  ExpectSum(Sum({{"location", "w.bin"}, {"offset", "2"}, {"length", "12"}, {"checksum", "no"}}));
  ExpectSum(Sum({{"location", "./sub/w.bin"}, {"offset", "2"}}));
  WriteFileAtomically((folder_ / "model/exact.bin").string(), std::string(12, '\0'));
  EXPECT_EQ(
      Evaluate(Import(Sum({{"location", "exact.bin"}})), {Tensor::Of<float>({3}, {4, 5, 6})})[0],
      Tensor::Of<float>({3}, {4, 5, 6}));
}

TEST_F(OnnxExternal, ALinkInsideTheFolderIsFollowed) {
  fs::create_symlink("sub/w.bin", folder_ / "model/link.bin");
  ExpectSum(Sum({{"location", "link.bin"}, {"offset", "2"}}));
}

TEST_F(OnnxExternal, ConstantNodesHaveThemToo) {
  OnnxBuilder b;
  b.Input("x", {3}).Output("y");
  auto& attribute = *b.Node("Constant", {}, "w").add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  attribute.mutable_t()->add_dims(3);
  SetKeys(*attribute.mutable_t(), {{"location", "w.bin"}, {"offset", "2"}});
  b.Node("Add", {"x", "w"}, "y");
  ExpectSum(b);
  EXPECT_EQ(ErrorOf([&] { Import(b, {.max_bytes = 20}); }),
            StrCat(Model(),
                   ": node \"n_w\" (Constant, opset 13): memory for all tensors = 24 bytes: must "
                   "not exceed 20"));
}

TEST_F(OnnxExternal, AModelFromBytesAloneHasNoFolder) {
  EXPECT_EQ(Sum({{"location", "w.bin"}, {"offset", "2"}}).ImportError(),
            "m.onnx: initializer: tensor \"w\", external data = in another file: there is no "
            "folder to look for it: the model was not read from a file");
}

TEST_F(OnnxExternal, FilesOutsideOfTheFolderAreRefused) {
  const std::string at = ": initializer: tensor \"w\", location = ";
  const std::string outside = (folder_ / "outside.bin").string();
  EXPECT_EQ(ErrorOfKeys({{"location", outside}}),
            at + outside + ": must be relative to the model's folder");
  EXPECT_EQ(ErrorOfKeys({{"location", "../outside.bin"}}),
            at + "../outside.bin: must not contain ..");
  EXPECT_EQ(ErrorOfKeys({{"location", "sub/../w.bin"}}), at + "sub/../w.bin: must not contain ..");
  fs::create_symlink("../outside.bin", folder_ / "model/link.bin");
  EXPECT_EQ(ErrorOfKeys({{"location", "link.bin"}}),
            at + "link.bin: leads outside of the model's folder");
  fs::create_directory_symlink("..", folder_ / "model/up");
  EXPECT_EQ(ErrorOfKeys({{"location", "up/outside.bin"}}),
            at + "up/outside.bin: leads outside of the model's folder");
  // A folder of which the model's folder's name is the beginning.
  fs::create_directory(folder_ / "model2");
  fs::rename(folder_ / "outside.bin", folder_ / "model2/w.bin");
  fs::create_symlink("../model2/w.bin", folder_ / "model/near.bin");
  EXPECT_EQ(ErrorOfKeys({{"location", "near.bin"}}),
            at + "near.bin: leads outside of the model's folder");
}

TEST_F(OnnxExternal, WhatIsNoFileIsRefused) {
  const std::string at = ": initializer: tensor \"w\", location = ";
  EXPECT_EQ(ErrorOfKeys({{"location", "none.bin"}}), at + "none.bin: No such file or directory");
  EXPECT_EQ(ErrorOfKeys({{"location", "sub"}}), at + "sub: must be a file");
  ASSERT_EQ(mkfifo((folder_ / "model/pipe").c_str(), 0600), 0);
  EXPECT_EQ(ErrorOfKeys({{"location", "pipe"}}), at + "pipe: must be a file");
  fs::create_symlink("loop", folder_ / "model/loop");
  EXPECT_EQ(ErrorOfKeys({{"location", "loop"}}), at + "loop: Too many levels of symbolic links");
  EXPECT_EQ(ErrorOfKeys({{"location", std::string("w.bin\0x", 7)}}),
            at + "w.bin\\x00x: must not contain a zero byte");
  EXPECT_EQ(ErrorOfKeys({{"location", ""}}), at + "missing: must name a file");
  EXPECT_EQ(ErrorOfKeys({}), at + "missing: must name a file");
}

TEST_F(OnnxExternal, RangesThatDoNotFitAreRefused) {
  const std::string at = ": initializer: tensor \"w\", ";
  const std::string largest = "9223372036854775807";
  EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"offset", "3"}}),
            at + "file w.bin = 14 bytes: must have 12 bytes at 3");
  EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"offset", "15"}}),
            at + "file w.bin = 14 bytes: must have 12 bytes at 15");
  EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"length", "14"}}),
            at + "length = 14: its type asks for 12");
  for (const std::string& number :
       {std::string("-1"), std::string("2x"), std::string(""), largest, largest + "0"}) {
    const std::string value = number.empty() ? "" : " = " + number;
    EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"offset", number}}),
              at + "offset" + value + ": must be a number of bytes");
  }
}

TEST_F(OnnxExternal, KeysThatContradictAreRefused) {
  const std::string at = ": initializer: tensor \"w\", external data = ";
  EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"place", "w.bin"}}),
            at + "place: is no key of it");
  EXPECT_EQ(ErrorOfKeys({{"location", "w.bin"}, {"location", "x.bin"}}),
            at + "location: is given twice");
  OnnxBuilder both = Sum({{"location", "w.bin"}});
  both.graph().mutable_initializer(0)->set_raw_data(std::string(12, '\0'));
  EXPECT_EQ(ErrorOf([&] { Import(both); }),
            Model() + at + "beside data in the model: must be the only data");
  OnnxBuilder typed = Sum({{"location", "w.bin"}});
  typed.graph().mutable_initializer(0)->add_float_data(1);
  EXPECT_EQ(ErrorOf([&] { Import(typed); }),
            Model() + at + "beside data in the model: must be the only data");
  OnnxBuilder inside = Sum({{"location", "w.bin"}});
  inside.graph().mutable_initializer(0)->set_data_location(onnx::TensorProto::DEFAULT);
  EXPECT_EQ(
      ErrorOf([&] { Import(inside); }),
      Model() +
          ": initializer: tensor \"w\", data_location = DEFAULT: must be EXTERNAL where there "
          "is external data");
}

// Counted before memory is asked for and before the file is looked at.
TEST_F(OnnxExternal, SizesAreCountedFirst) {
  OnnxBuilder large = Sum({{"location", "none.bin"}});
  large.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 38);
  EXPECT_EQ(ErrorOf([&] { Import(large); }), Model() +
                                                 ": initializers: memory for all tensors = "
                                                 "1099511627776 bytes: must not exceed 8589934592");
}

}  // namespace
}  // namespace vta::compiler
