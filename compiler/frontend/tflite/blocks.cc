// Converters of operators that move blocks of places into channels or the batch, and back.
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

ValueId Moved(TfliteNode& node, ValueId x, const Shape& apart, const std::vector<int64_t>& perm,
              const Shape& joined) {
  const ValueId moved = node.Emit(Op::kTranspose, {node.Reshape(x, apart)}, {{"perm", perm}});
  return node.Reshape(moved, joined);
}

/// Sizes of blocks along the axes after the first, and what two columns say of each.
struct Blocks {
  std::vector<int64_t> sizes, before, after;
};

Blocks ReadBlocks(TfliteNode& node, const char* what) {
  constexpr int64_t kMost = 1 << 24;
  Blocks blocks{node.ConstantInts(1, "input block_shape"), {}, {}};
  const Tensor& columns = node.Constant(2, what);
  const int64_t axes = std::ssize(blocks.sizes);
  if (axes < 1 || axes >= node.Rank(0) || columns.shape() != Shape{axes, 2})
    throw node.Fail(what, ToText(columns.type()),
                    StrCat("must be [", axes, ",2], for axes of ", ToText(node.InputShape(0))));
  for (int64_t i = 0; i < axes; ++i) {
    const double before = columns.At(2 * i), after = columns.At(2 * i + 1);
    if (blocks.sizes[i] < 1 || blocks.sizes[i] > kMost || !(before >= 0 && before <= kMost) ||
        !(after >= 0 && after <= kMost))
      throw node.Fail(StrCat("block of axis ", i + 1), StrCat(blocks.sizes[i]),
                      StrCat("must be from 1 to 2^24, and ", what, " from 0 on"));
    blocks.before.push_back(static_cast<int64_t>(before));
    blocks.after.push_back(static_cast<int64_t>(after));
  }
  return blocks;
}

}  // namespace

void ConvertDepthToSpace(TfliteNode& node) {
  node.RequirePicture();
  const Shape x = node.InputShape(0);
  const int64_t b = node.Options<schema::DepthToSpaceOptions>().block_size();
  if (b < 1 || x[3] % (b * b) != 0)
    throw node.Fail("block_size", StrCat(b),
                    StrCat("its square must divide the channels of ", ToText(x)));
  const int64_t c = x[3] / b / b;
  node.ResultStored(Moved(node, node.Stored(0), {x[0], x[1], x[2], b, b, c}, {0, 1, 3, 2, 4, 5},
                          {x[0], x[1] * b, x[2] * b, c}));
}

void ConvertSpaceToDepth(TfliteNode& node) {
  node.RequirePicture();
  const Shape x = node.InputShape(0);
  const int64_t b = node.Options<schema::SpaceToDepthOptions>().block_size();
  if (b < 1 || x[1] % b != 0 || x[2] % b != 0)
    throw node.Fail("block_size", StrCat(b),
                    StrCat("must divide the height and width of ", ToText(x)));
  node.ResultStored(Moved(node, node.Stored(0), {x[0], x[1] / b, b, x[2] / b, b, x[3]},
                          {0, 1, 3, 2, 4, 5}, {x[0], x[1] / b, x[2] / b, b * b * x[3]}));
}

/// Zeros round the picture, which may be codes.
void ConvertSpaceToBatchNd(TfliteNode& node) {
  const Blocks blocks = ReadBlocks(node, "input paddings");
  const size_t axes = blocks.sizes.size();
  std::vector<int64_t> pads(2 * node.Rank(0), 0);
  for (size_t i = 0; i < axes; ++i) {
    pads[1 + i] = blocks.before[i];
    pads[1 + i + node.Rank(0)] = blocks.after[i];
  }
  const ValueId padded =
      node.Emit(Op::kPad, {node.Real(0)},
                {{"mode", std::string("constant")}, {"pads", pads}, {"value", 0.0}});
  const Shape x = node.type(padded).shape;
  Shape apart = {x[0]}, joined = {x[0]};
  std::vector<int64_t> perm, places;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t size = blocks.sizes[i];
    if (x[1 + i] % size != 0)
      throw node.Fail(StrCat("block of axis ", i + 1), StrCat(size),
                      StrCat("must divide the padded ", ToText(x)));
    perm.push_back(std::ssize(apart) + 1);
    places.push_back(std::ssize(apart));
    apart.insert(apart.end(), {x[1 + i] / size, size});
    joined[0] *= size;
    joined.push_back(x[1 + i] / size);
  }
  perm.push_back(0);
  perm.insert(perm.end(), places.begin(), places.end());
  for (size_t i = 1 + axes; i < x.size(); ++i) {
    perm.push_back(std::ssize(apart));
    apart.push_back(x[i]);
    joined.push_back(x[i]);
  }
  node.Result(Moved(node, padded, apart, perm, joined));
}

void ConvertBatchToSpaceNd(TfliteNode& node) {
  const Blocks blocks = ReadBlocks(node, "input crops");
  const int64_t axes = std::ssize(blocks.sizes);
  const Shape x = node.InputShape(0);
  int64_t batch = x[0];
  for (const int64_t size : blocks.sizes) {
    if (batch % size != 0)
      throw node.Fail("input block_shape", ToText(blocks.sizes),
                      StrCat("its product must divide the batch of ", ToText(x)));
    batch /= size;
  }
  Shape apart = blocks.sizes, joined = {batch}, cut = {batch};
  apart.push_back(batch);
  std::vector<int64_t> perm = {axes}, starts(x.size(), 0);
  for (int64_t i = 0; i < axes; ++i) {
    apart.push_back(x[1 + i]);
    perm.insert(perm.end(), {axes + 1 + i, i});
    joined.push_back(x[1 + i] * blocks.sizes[i]);
    starts[1 + i] = blocks.before[i];
    cut.push_back(joined.back() - blocks.before[i] - blocks.after[i]);
  }
  for (int64_t i = 1 + axes; i < std::ssize(x); ++i) {
    perm.push_back(std::ssize(apart));
    apart.push_back(x[i]);
    joined.push_back(x[i]);
    cut.push_back(x[i]);
  }
  const ValueId y = Moved(node, node.Stored(0), apart, perm, joined);
  node.ResultStored(node.Emit(
      Op::kSlice, {y},
      {{"starts", starts}, {"steps", std::vector<int64_t>(x.size(), 1)}, {"shape", cut}}));
}

}  // namespace vta::compiler
