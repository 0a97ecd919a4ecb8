// Operators that become several ops, against functions of the C++ library, loops written out, and
// values worked out by hand. ONNX's own cases are in tests/network.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/graph/evaluate.h"
#include "tests/unit/compiler/frontend/onnx/builder.h"

namespace vta::compiler {
namespace {

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::Of<float>(shape, values);
}

Tensor RandomFloats(const Shape& shape, std::mt19937& random) {
  std::vector<float> values(Elements(shape));
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 700;
  return Floats(shape, values);
}

Tensor RunOne(
    const std::string& type, const std::vector<Tensor>& inputs, int64_t opset = 23,
    const std::function<void(onnx::NodeProto&)>& change = [](auto&) {}) {
  OnnxBuilder b(opset);
  std::vector<std::string> names;
  for (const Tensor& tensor : inputs) {
    names.push_back(StrCat("x", names.size()));
    const int code = tensor.dtype() == DType::kInt64   ? onnx::TensorProto::INT64
                     : tensor.dtype() == DType::kInt32 ? onnx::TensorProto::INT32
                     : tensor.dtype() == DType::kBool  ? onnx::TensorProto::BOOL
                                                       : onnx::TensorProto::FLOAT;
    b.Input(names.back(), tensor.shape(), code);
  }
  change(b.Output("y").Node(type, names, "y"));
  return Evaluate(b.Import(), inputs)[0];
}

void ExpectClose(const Tensor& y, const std::vector<double>& want, double relative,
                 const std::string& what) {
  ASSERT_EQ(y.elements(), std::ssize(want)) << what;
  for (int64_t i = 0; i < y.elements(); ++i) {
    if (y.At(i) == want[i] || (std::isnan(y.At(i)) && std::isnan(want[i]))) continue;
    EXPECT_NEAR(y.At(i), want[i], relative * std::abs(want[i])) << what << " element " << i;
  }
}

TEST(OnnxOperators, FunctionsKeepTheDigitsOfFloat32) {
  constexpr double kDigits = 6e-7;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> any = {0,     1e-20f, -1e-6f,  3e-4f, 0.0625f, -0.4f, 0.41421357f, 0.9f,
                                  -1.0f, 1.5f,   2.4142f, -3,    12.5f,   40,    -70,         3000};
  const std::vector<float> unit = {0, 1e-20f, -1e-6f, 3e-4f, -0.3f, 0.5f, 0.875f, -0.999f, 1, -1};
  const std::vector<float> above = {1, 1.0001f, 1.5f, 7, 5000, 1e30f, inf};
  const auto check = [&](const char* type, double (*f)(double), std::vector<float> x) {
    std::vector<double> want;
    for (const float v : x) want.push_back(static_cast<float>(f(v)));
    ExpectClose(RunOne(type, {Floats({std::ssize(x)}, x)}), want, kDigits, type);
  };
  check("Sin", std::sin, any);
  check("Cos", std::cos, any);
  check("Tan", std::tan, any);
  check("Asin", std::asin, unit);
  check("Acos", std::acos, unit);
  check("Atan", std::atan, any);
  check("Sinh", std::sinh, any);
  check("Cosh", std::cosh, any);
  check("Sinh", std::sinh, {88.8f, -89.2f, inf});  // half of a power that is no float32
  check("Cosh", std::cosh, {88.8f, -89.2f, inf});
  check("Asinh", std::asinh, any);
  check("Acosh", std::acosh, above);
  check("Atanh", std::atanh, unit);
  check("Atan", std::atan, {inf, -inf});
}

TEST(OnnxOperators, ModOfFloatsHasTheSignOfTheFirst) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> a = {7.5f, -7.5f, 7.5f, -7.5f, 0.3f, 6, 1000, 1000, -5, 3e38f, 1e-40f},
                     b = {2, 2, -2, -2, 1, 3, 7, 0.3f, inf, -1e38f, 1};
  std::mt19937 random(4);  // of quotients with up to 12 bits
  std::uniform_real_distribution<float> divisor(0.1f, 1), quotient(-4095, 4095);
  for (int i = 0; i < 2000; ++i) {
    b.push_back(divisor(random));
    a.push_back(b.back() * quotient(random));
  }
  std::vector<double> want;
  for (size_t i = 0; i < a.size(); ++i) want.push_back(std::fmod(a[i], b[i]));
  const int64_t count = std::ssize(a);
  const Tensor y = RunOne("Mod", {Floats({count}, a), Floats({count}, b)}, 13,
                          [](auto& node) { OnnxBuilder::SetInt(node, "fmod", 1); });
  ExpectClose(y, want, 0, "Mod");
}

TEST(OnnxOperators, EinsumOfEveryKindOfLabel) {
  std::mt19937 random(2);
  const auto run = [&](const std::string& equation, const std::vector<Tensor>& inputs) {
    return RunOne("Einsum", inputs, 13,
                  [&](auto& node) { OnnxBuilder::SetString(node, "equation", equation); });
  };
  const Tensor a = RandomFloats({2, 3, 4}, random), b = RandomFloats({2, 4, 5}, random);
  const Tensor c = RandomFloats({5, 3}, random), square = RandomFloats({3, 2, 3}, random);
  const auto at = [](const Tensor& t, std::vector<int64_t> i) {
    int64_t place = 0;
    for (size_t d = 0; d < i.size(); ++d) place = place * t.shape()[d] + i[d];
    return t.At(place);
  };
  // A batch, a chain of three, and a label that only one operand has.
  std::vector<double> chain(2 * 3), diagonal(3 * 2);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t k = 0; k < 4; ++k)
        for (int64_t o = 0; o < 5; ++o)
          chain[n * 3 + i] += at(a, {n, i, k}) * at(b, {n, k, o}) * at(c, {o, i});
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 2; ++j) diagonal[i * 2 + j] = at(square, {i, j, i});
  ExpectClose(run("nik, nko, oi -> ni", {a, b, c}), chain, 1e-4, "chain");
  ExpectClose(run("iji->ij", {square}), diagonal, 0, "diagonal");
  // Ellipses, one of an axis of size 1; and the output that follows.
  const Tensor one = RandomFloats({1, 4, 5}, random);
  std::vector<double> spread(2 * 3 * 5);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t o = 0; o < 5; ++o)
        for (int64_t k = 0; k < 4; ++k)
          spread[(n * 3 + i) * 5 + o] += at(a, {n, i, k}) * at(one, {0, k, o});
  ExpectClose(run("...ik,...ko->...io", {a, one}), spread, 1e-4, "ellipsis");
  ExpectClose(run("...ik,...ko", {a, one}), spread, 1e-4, "implied");
  std::vector<double> outer;
  for (int64_t i = 0; i < 15; ++i)
    for (int64_t j = 0; j < 18; ++j) outer.push_back(c.At(i) * square.At(j));
  ExpectClose(run("ab,cde->abcde", {c, square}), outer, 1e-6, "outer");
  const std::string where = "m.onnx: node \"n_y\" (Einsum, opset 13): attribute equation = ";
  const auto error = [&](const std::string& equation) {
    return ErrorOf([&] { run(equation, {a, b}); });
  };
  EXPECT_EQ(error("nik->ni"), where + "nik->ni: must have a term for each input");
  EXPECT_EQ(error("nik,nko,oi->ni"), where + "nik,nko,oi->ni: must have an input for each term");
  EXPECT_EQ(error("nik,nk->n"),
            where + "nik,nk->n: its term nk must have a label for each axis of [2,4,5]");
  EXPECT_EQ(error("nik,nio->n"), where + "nik,nio->n: one of its labels has the sizes 3 and 4");
  EXPECT_EQ(error("nik,nko->nz"),
            where + "nik,nko->nz: its output must have labels of the inputs, each once");
  EXPECT_EQ(error("n1k,nko->n"), where + "n1k,nko->n: must be of letters, commas, ... and ->");
}

/// Places that are known, and those that are not, must come to the same.
TEST(OnnxOperators, ScattersWithKnownIndicesAndOthers) {
  const Tensor data = Floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor updates = Floats({4, 2}, {10, 20, 30, 40, 50, 60, -70, 80});
  const std::vector<int64_t> rows = {2, 0, -1, 2};  // the last three updates of row 2 in turn
  for (const bool known : {false, true}) {
    const auto run = [&](const std::string& reduction) {
      OnnxBuilder b(18);
      b.Input("x", {3, 2}).Output("y");
      std::vector<Tensor> inputs = {data};
      if (known) {
        b.Ints("at", {4, 1}, rows);
      } else {
        b.Input("at", {4, 1}, onnx::TensorProto::INT64);
        inputs.push_back(Tensor::Of<int64_t>({4, 1}, rows));
      }
      b.Input("u", {4, 2});
      inputs.push_back(updates);
      OnnxBuilder::SetString(b.Node("ScatterND", {"x", "at", "u"}, "y"), "reduction", reduction);
      return Evaluate(b.Import(), inputs)[0];
    };
    EXPECT_EQ(run("none"), Floats({3, 2}, {30, 40, 3, 4, -70, 80}));
    EXPECT_EQ(run("add"), Floats({3, 2}, {31, 42, 3, 4, -5, 166}));
    EXPECT_EQ(run("mul"), Floats({3, 2}, {30, 80, 3, 4, -175000, 576000}));
    EXPECT_EQ(run("max"), Floats({3, 2}, {30, 40, 3, 4, 50, 80}));
    EXPECT_EQ(run("min"), Floats({3, 2}, {1, 2, 3, 4, -70, 6}));
    EXPECT_EQ(
        ErrorOf([&] { run("sum"); }),
        "m.onnx: node \"n_y\" (ScatterND, opset 18): attribute reduction = sum: must be none, "
        "add, mul, max or min");
  }
}

/// Indices that lie outside are refused where they are known, and else the nearest ones.
TEST(OnnxOperators, IndicesOutsideOfAnAxis) {
  const auto indexed = [](const std::string& type, const Shape& shape, std::vector<int64_t> at,
                          bool known, const Shape& updates) {
    OnnxBuilder b(18);
    b.Input("x", {2, 3}).Output("y");
    std::vector<std::string> names = {"x", "at"};
    if (known) {
      b.Ints("at", shape, at);
    } else {
      b.Input("at", shape, onnx::TensorProto::INT64);
    }
    if (type.starts_with("Scatter")) {
      b.Input("u", updates);
      names.push_back("u");
    }
    auto& node = b.Node(type, names, "y");
    if (type.ends_with("Elements")) OnnxBuilder::SetInt(node, "axis", 1);
    return b;
  };
  const auto error = [&](const std::string& type, const Shape& shape, std::vector<int64_t> at,
                         const Shape& updates) {
    return indexed(type, shape, at, true, updates).ImportError();
  };
  const std::string rule = "must be in [-3, 3)", at = "m.onnx: node \"n_y\" (";
  EXPECT_EQ(error("GatherND", {1, 2}, {1, 3}, {}),
            at + "GatherND, opset 18): indices = 3: " + rule);
  EXPECT_EQ(error("ScatterND", {1, 2}, {0, 4}, {1}),
            at + "ScatterND, opset 18): indices = 4: " + rule);
  EXPECT_EQ(error("GatherElements", {1, 1}, {-4}, {}),
            at + "GatherElements, opset 18): indices = -4: " + rule);
  EXPECT_EQ(error("ScatterElements", {1, 1}, {5}, {1, 1}),
            at + "ScatterElements, opset 18): indices = 5: " + rule);
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto run = [&](const std::string& type, const Shape& shape, std::vector<int64_t> places,
                       const Shape& updates) {
    std::vector<Tensor> inputs = {x, Tensor::Of<int64_t>(shape, places)};
    if (!updates.empty()) inputs.push_back(Floats(updates, {9, 8}));
    return Evaluate(indexed(type, shape, places, false, updates).Import(), inputs)[0];
  };
  EXPECT_EQ(run("GatherND", {2, 2}, {0, 7, -9, -9}, {}), Floats({2}, {3, 1}));
  EXPECT_EQ(run("GatherElements", {1, 2}, {7, -9}, {}), Floats({1, 2}, {3, 1}));
  EXPECT_EQ(run("ScatterND", {2, 2}, {0, 7, -9, -9}, {2}), Floats({2, 3}, {8, 2, 9, 4, 5, 6}));
  EXPECT_EQ(run("ScatterElements", {1, 2}, {7, -9}, {1, 2}), Floats({2, 3}, {8, 2, 9, 4, 5, 6}));
}

TEST(OnnxOperators, SumsAndProductsAlongAnAxisOfAnyLength) {
  for (const int64_t size : {1, 2, 5, 8, 13}) {
    std::vector<float> x(2 * size);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 3) - 1.5f;
    for (const int exclusive : {0, 1})
      for (const int reverse : {0, 1}) {
        std::vector<double> want(2 * size);
        for (int64_t row = 0; row < 2; ++row)
          for (int64_t i = 0; i < size; ++i)
            for (int64_t j = 0; j < size; ++j)
              if ((reverse ? j > i : j < i) || (!exclusive && i == j))
                want[row * size + i] += x[row * size + j];
        OnnxBuilder b(14);
        b.Input("x", {2, size}).Output("y").Ints("axis", {}, {-1});
        auto& node = b.Node("CumSum", {"x", "axis"}, "y");
        OnnxBuilder::SetInt(node, "exclusive", exclusive);
        OnnxBuilder::SetInt(node, "reverse", reverse);
        ExpectClose(Evaluate(b.Import(), {Floats({2, size}, x)})[0], want, 0, "CumSum");
      }
    std::vector<double> products(2, 1);
    for (size_t i = 0; i < x.size(); ++i) products[i / size] *= x[i];
    ExpectClose(RunOne("ReduceProd", {Floats({2, size}, x)}, 13,
                       [](auto& node) { OnnxBuilder::SetInts(node, "axes", {1}); }),
                products, 0, "ReduceProd");
  }
}

TEST(OnnxOperators, GreatestOfInfinitiesIsOne) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(RunOne("ReduceMax", {Floats({2}, {-inf, -inf})}, 13), Floats({1}, {-inf}));
  EXPECT_EQ(RunOne("ReduceMin", {Floats({2}, {inf, inf})}, 13), Floats({1}, {inf}));
}

TEST(OnnxOperators, ResizeAntialiasedAndCropped) {
  const auto run = [](const std::string& key, const std::string& value, bool by_size, double size) {
    OnnxBuilder b(19);
    b.Input("x", {1, 1, 1, 8}).Output("y");
    b.Floats("roi", {8}, {0, 0, 0, 0.5f, 1, 1, 1, 1.5f});
    b.Floats("scales", {4}, {1, 1, 1, static_cast<float>(size)});
    b.Ints("sizes", {4}, {1, 1, 1, static_cast<int64_t>(size)});
    auto& node =
        b.Node("Resize", {"x", "roi", by_size ? "" : "scales", by_size ? "sizes" : ""}, "y");
    OnnxBuilder::SetString(node, "mode", "linear");
    if (key == "antialias") {
      OnnxBuilder::SetInt(node, key, 1);
    } else {
      OnnxBuilder::SetString(node, key, value);
    }
    OnnxBuilder::SetFloat(node, "extrapolation_value", 9);
    return Evaluate(b.Import(), {Floats({1, 1, 1, 8}, {0, 8, 16, 24, 32, 40, 48, 56})})[0];
  };
  // Each of four takes two neighbours on either side, as 1, 3, 3, 1 of 8; the edge is repeated.
  EXPECT_EQ(run("antialias", "", false, 0.5), Floats({1, 1, 1, 4}, {5, 20, 36, 51}));
  // From the middle of the axis to half of it beyond the end: places 3.5, 5.25, 7 and two outside.
  EXPECT_EQ(run("coordinate_transformation_mode", "tf_crop_and_resize", true, 5),
            Floats({1, 1, 1, 5}, {28, 42, 56, 9, 9}));
  // 3.2 elements, of which three are made: their places lie 7 / 2.2 apart.
  ExpectClose(run("coordinate_transformation_mode", "align_corners", false, 0.4),
              {0, 8 * 7 / 2.2, 16 * 7 / 2.2}, 1e-6, "align_corners");
}

TEST(OnnxOperators, PadWrapsAround) {
  OnnxBuilder b(19);
  b.Input("x", {2, 3}).Output("y").Ints("pads", {4}, {0, 4, 1, 2});
  OnnxBuilder::SetString(b.Node("Pad", {"x", "pads"}, "y"), "mode", "wrap");
  EXPECT_EQ(Evaluate(b.Import(), {Floats({2, 3}, {1, 2, 3, 4, 5, 6})})[0],
            Floats({3, 9}, {3, 1, 2, 3, 1, 2, 3, 1, 2, 6, 4, 5, 6, 4,
                            5, 6, 4, 5, 3, 1, 2, 3, 1, 2, 3, 1, 2}));
}

TEST(OnnxOperators, NormsWithoutAMean) {
  const Tensor x = Floats({2, 2}, {3, 4, 0, 0}), scale = Floats({2}, {2, 10});
  const double size = std::sqrt(12.5 + 1e-5);
  ExpectClose(RunOne("RMSNormalization", {x, scale}), {2 * 3 / size, 10 * 4 / size, 0, 0}, 1e-6,
              "RMSNormalization");
  EXPECT_EQ(RunOne("LpNormalization", {x}, 13), Floats({2, 2}, {0.6f, 0.8f, 0, 0}));
  OnnxBuilder b;
  b.Domain("com.microsoft", 1).Input("x", {2, 2}).Input("skip", {2, 2}).Output("y").Output("sum");
  b.Floats("gamma", {2}, {1, 2}).Floats("beta", {2}, {5, 6}).Floats("bias", {2}, {1, 0});
  auto& node = b.Node("SkipLayerNormalization", {"x", "skip", "gamma", "beta", "bias"}, "y");
  node.set_domain("com.microsoft");
  for (const char* output : {"", "", "sum"}) node.add_output(output);
  const auto outputs = Evaluate(b.Import(), {x, Floats({2, 2}, {0, 2, -1, 4})});
  EXPECT_EQ(outputs[1], Floats({2, 2}, {4, 6, 0, 4}));
  ExpectClose(outputs[0], {4, 8, 4, 8}, 1e-6, "SkipLayerNormalization");
  // The sum has the axes, of which the first input may lack some.
  OnnxBuilder narrow;
  narrow.Domain("com.microsoft", 1).Input("x", {}).Output("y");
  narrow.Floats("skip", {2}, {0, 2}).Floats("gamma", {2}, {1, 2});
  narrow.Node("SkipSimplifiedLayerNormalization", {"x", "skip", "gamma"}, "y")
      .set_domain("com.microsoft");
  ExpectClose(Evaluate(narrow.Import(), {Floats({}, {1})})[0],
              {1 / std::sqrt(5.0), 6 / std::sqrt(5.0)}, 1e-6, "SkipSimplifiedLayerNormalization");
}

TEST(OnnxOperators, GridsAreSampledByEveryRule) {
  const Tensor x = Floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const auto run = [&](const std::string& mode, const std::string& padding, int aligned,
                       std::vector<float> grid) {
    return RunOne("GridSample", {x, Floats({1, 1, std::ssize(grid) / 2, 2}, grid)}, 20,
                  [&](auto& node) {
                    OnnxBuilder::SetString(node, "mode", mode);
                    OnnxBuilder::SetString(node, "padding_mode", padding);
                    OnnxBuilder::SetInt(node, "align_corners", aligned);
                  });
  };
  // The middle, the first element, half an element before it, and far beyond the last column.
  const std::vector<float> aligned = {0, 0, -1, -1, -2, -1, 5, -1};
  EXPECT_EQ(run("linear", "zeros", 1, aligned), Floats({1, 1, 1, 4}, {2.5f, 1, 0.5f, 0}));
  EXPECT_EQ(run("linear", "border", 1, aligned), Floats({1, 1, 1, 4}, {2.5f, 1, 1, 2}));
  EXPECT_EQ(run("linear", "reflection", 1, aligned), Floats({1, 1, 1, 4}, {2.5f, 1, 1.5f, 2}));
  EXPECT_EQ(run("nearest", "border", 0, {-0.9f, -0.9f, 0.9f, 0.9f}), Floats({1, 1, 1, 2}, {1, 4}));
  EXPECT_EQ(run("cubic", "zeros", 0, {3e38f, -3e38f, 1e30f, 0}), Floats({1, 1, 1, 2}, {0, 0}));
  OnnxBuilder high(20);
  high.Input("x", Shape(9, 1)).Input("grid", {1, 1, 1, 1, 1, 1, 1, 1, 7}).Output("y");
  high.Node("GridSample", {"x", "grid"}, "y");
  EXPECT_EQ(high.ImportError(),
            "m.onnx: node \"n_y\" (GridSample, opset 20): grid shape = [1,1,1,1,1,1,1,1,7]: must "
            "name places of [1,1,1,1,1,1,1,1,1] as [N,...,7], of up to three spatial dimensions");
  EXPECT_EQ(ErrorOf([&] {
              run("linear", "wrap", 0, {0, 0});
            }),
            "m.onnx: node \"n_y\" (GridSample, opset 20): attribute padding_mode = wrap: must be "
            "zeros, border or reflection");
}

/// Two batches of two classes; boxes lie in a row, each over half of the one before.
TEST(OnnxOperators, BoxesAreTakenFromTheBestOn) {
  constexpr int64_t kBoxes = 5, kMost = 3;
  std::mt19937 random(8);
  std::vector<float> boxes, scores;
  for (int64_t i = 0; i < 2 * kBoxes; ++i) {
    const auto x = static_cast<float>(i % kBoxes);
    boxes.insert(boxes.end(), {0, x, 2, x + 2});
  }
  for (int64_t i = 0; i < 4 * kBoxes; ++i)
    scores.push_back(static_cast<float>(random() % 1000) / 1000);
  for (const float overlap : {0.2f, 0.5f}) {  // neighbours share a third
    OnnxBuilder b;
    b.Input("boxes", {2, kBoxes, 4}).Input("scores", {2, 2, kBoxes}).Output("y");
    b.Ints("most", {}, {kMost}).Floats("overlap", {}, {overlap}).Floats("low", {}, {0.3f});
    b.Node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "low"}, "y");
    std::vector<int64_t> want;
    for (int64_t row = 0; row < 4; ++row) {
      std::vector<int64_t> taken;
      while (std::ssize(taken) < kMost) {
        int64_t best = kNone;
        for (int64_t i = 0; i < kBoxes; ++i) {
          const float score = scores[row * kBoxes + i];
          bool free = score > 0.3f;
          for (int64_t t : taken)
            free = free && i != t && (overlap > 1.0f / 3 || std::abs(i - t) > 1);
          if (free && (best == kNone || score > scores[row * kBoxes + best])) best = i;
        }
        if (best == kNone) break;
        taken.push_back(best);
        want.insert(want.end(), {row / 2, row % 2, best});
      }
    }
    const Graph graph = b.Import();
    EXPECT_EQ(graph.outputs()[1].name, "y.count");
    const auto outputs =
        Evaluate(graph, {Floats({2, kBoxes, 4}, boxes), Floats({2, 2, kBoxes}, scores)});
    const int64_t found = std::ssize(want) / 3;
    EXPECT_EQ(outputs[1], Tensor::Of<int64_t>({1}, {found}));
    want.resize(4 * kMost * 3, -1);
    EXPECT_EQ(outputs[0], Tensor::Of<int64_t>({4 * kMost, 3}, want));
  }
}

TEST(OnnxOperators, PlacesOfWhatIsNotZero) {
  const Tensor x = Floats({2, 3}, {0, 5, 0, -1, 0, 2});
  OnnxBuilder b, known;
  b.Input("x", {2, 3}).Output("y").Node("NonZero", {"x"}, "y");
  const auto outputs = Evaluate(b.Import(), {x});
  EXPECT_EQ(outputs[0], Tensor::Of<int64_t>({2, 6}, {0, 1, 1, -1, -1, -1, 1, 0, 2, -1, -1, -1}));
  EXPECT_EQ(outputs[1], Tensor::Of<int64_t>({1}, {3}));
  known.Output("y").Floats("x", {2, 3}, {0, 5, 0, -1, 0, 2}).Node("NonZero", {"x"}, "y");
  EXPECT_EQ(Evaluate(known.Import(), {})[0], Tensor::Of<int64_t>({2, 3}, {0, 1, 1, 1, 0, 2}));
  b.Output("y.count").Node("Identity", {"x"}, "y.count");
  EXPECT_EQ(b.ImportError(),
            "m.onnx: output = y.count: is also the name of how many elements of y are found");
}

TEST(OnnxOperators, AveragePoolsWithHoles) {
  OnnxBuilder b(19);
  b.Input("x", {1, 1, 1, 5}).Output("y").Output("padded");
  for (const int counts : {0, 1}) {
    auto& node = b.Node("AveragePool", {"x"}, counts ? "padded" : "y");
    OnnxBuilder::SetInts(node, "kernel_shape", {1, 2});
    OnnxBuilder::SetInts(node, "dilations", {1, 3});
    OnnxBuilder::SetInts(node, "pads", {0, 1, 0, 0});
    OnnxBuilder::SetInt(node, "count_include_pad", counts);
  }
  const auto outputs = Evaluate(b.Import(), {Floats({1, 1, 1, 5}, {1, 2, 3, 4, 8})});
  EXPECT_EQ(outputs[0], Floats({1, 1, 1, 3}, {3, 2.5f, 5}));
  EXPECT_EQ(outputs[1], Floats({1, 1, 1, 3}, {1.5f, 2.5f, 5}));
}

/// Of which some would not end, or fill the memory, before anything is refused.
TEST(OnnxOperators, LargeWindows) {
  const auto pool = [](const char* type, const Shape& shape, const std::vector<int64_t>& kernel,
                       const std::vector<int64_t>& dilations, int64_t pad) {
    OnnxBuilder b(19);
    b.Input("x", shape).Output("y");
    auto& node = b.Node(type, {"x"}, "y");
    OnnxBuilder::SetInts(node, "kernel_shape", kernel);
    OnnxBuilder::SetInts(node, "dilations", dilations);
    OnnxBuilder::SetInts(node, "pads", std::vector<int64_t>(2 * kernel.size(), pad));
    return b.ImportError();
  };
  EXPECT_EQ(pool("AveragePool", {1, 1, 1, 1 << 21}, {1, 1 << 19}, {1, 2}, 0), "no error");
  EXPECT_NE(pool("LpPool", {1, 1, 9, 9}, {1 << 15, 1 << 15}, {1, 1}, 1 << 15)
                .find("memory for all tensors = "),
            std::string::npos);
  EXPECT_EQ(pool("LpPool", {1, 1, 9, 9}, {1 << 30, 1 << 30}, {1, 1}, 1 << 30),
            "m.onnx: node \"n_y\" (LpPool, opset 19): attribute kernel_shape = "
            "[1073741824,1073741824]: must have at most 2^40 elements");
}

}  // namespace
}  // namespace vta::compiler
