#include "compiler/frontend/tflite/sparse.h"

#include <algorithm>
#include <cstring>

#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

Error Broken(std::string what, std::string value, std::string rule) {
  return Error("", "sparsity " + what, std::move(value), std::move(rule));
}

template <typename T>
std::vector<int64_t> ListOf(const flatbuffers::Vector<T>* list) {
  return list ? std::vector<int64_t>(list->begin(), list->end()) : std::vector<int64_t>();
}

std::vector<int64_t> ReadIndices(schema::SparseIndexVector type, const void* table) {
  switch (table ? type : schema::SparseIndexVector::NONE) {
    case schema::SparseIndexVector::Int32Vector:
      return ListOf(static_cast<const schema::Int32Vector*>(table)->values());
    case schema::SparseIndexVector::Uint16Vector:
      return ListOf(static_cast<const schema::Uint16Vector*>(table)->values());
    case schema::SparseIndexVector::Uint8Vector:
      return ListOf(static_cast<const schema::Uint8Vector*>(table)->values());
    default:
      return {};
  }
}

/// One level of the tree: an axis of the tensor or of its blocks.
struct Level {
  int64_t size, step;  // of its dimension, and how far its neighbours are apart in the dense tensor
  bool dense;
  std::vector<int64_t> segments, indices;
};

class Tree {
 public:
  Tree(const schema::SparsityParameters& sparsity, const Shape& shape, int64_t most) : most_(most) {
    const std::vector<int64_t> order = ListOf(sparsity.traversal_order());
    const std::vector<int64_t> blocks = ListOf(sparsity.block_map());
    const int64_t rank = std::ssize(shape), levels = rank + std::ssize(blocks);
    std::vector<int64_t> sorted = order;
    std::ranges::sort(sorted);
    bool sound = std::ssize(order) == levels;
    for (int64_t i = 0; sound && i < levels; ++i) sound = sorted[i] == i;
    for (int64_t axis : blocks) sound = sound && axis >= 0 && axis < rank;
    const auto* const metadata = sparsity.dim_metadata();
    if (!sound || !metadata || std::ssize(*metadata) != levels)
      throw Broken("traversal_order", ToText(order),
                   StrCat("must have each of ", levels, " dimensions once"));
    std::vector<int64_t> sizes(levels);
    for (int64_t i = 0; i < levels; ++i) {
      const auto& row = *metadata->Get(static_cast<uint32_t>(i));
      levels_.push_back({row.dense_size(), 0, row.format() == schema::DimensionType::DENSE,
                         ReadIndices(row.array_segments_type(), row.array_segments()),
                         ReadIndices(row.array_indices_type(), row.array_indices())});
      sizes[order[i]] = row.dense_size();
    }
    const Shape strides = Strides(shape);
    std::vector<int64_t> steps(strides.begin(), strides.end());
    Shape covered(sizes.begin(), sizes.begin() + rank);
    for (int64_t i = 0; i < std::ssize(blocks); ++i) {
      const int64_t axis = blocks[i], size = sizes[rank + i];
      steps.push_back(strides[axis]);
      if (size < 1 || shape[axis] % size != 0)
        throw Broken("block size", StrCat(size), StrCat("must divide ", shape[axis]));
      covered[axis] *= size;
      steps[axis] *= size;
    }
    // A sparse level may leave its size to the shape.
    for (int64_t i = 0; i < levels; ++i) {
      Level& level = levels_[i];
      level.step = steps[order[i]];
      if (level.dense || order[i] >= rank) continue;
      const int64_t blocked = steps[order[i]] / strides[order[i]];
      covered[order[i]] = shape[order[i]];
      level.size = shape[order[i]] / blocked;
    }
    if (covered != shape)
      throw Broken("dense_size", ToText(covered), StrCat("must cover ", ToText(shape)));
  }

  std::vector<int64_t> Places() {
    Walk(0, 0, 0);
    return std::move(places_);
  }

 private:
  /// `node`: the number of this node among all of its level's.
  void Walk(size_t at, int64_t node, int64_t place) {
    if (at == levels_.size()) {
      if (std::ssize(places_) == most_)
        throw Broken("data", StrCat(most_, " elements"), "the tree of dimensions asks for more");
      places_.push_back(place);
      return;
    }
    const Level& level = levels_[at];
    if (level.dense) {
      for (int64_t i = 0; i < level.size; ++i)
        Walk(at + 1, node * level.size + i, place + i * level.step);
      return;
    }
    const auto& segments = level.segments;
    if (node + 1 >= std::ssize(segments) || segments[node] < 0 ||
        segments[node] > segments[node + 1] || segments[node + 1] > std::ssize(level.indices))
      throw Broken("array_segments", ToText(segments),
                   StrCat("must rise within ", level.indices.size(), " indices"));
    for (int64_t i = segments[node]; i < segments[node + 1]; ++i) {
      const int64_t index = level.indices[i];
      const int64_t before = i > segments[node] ? level.indices[i - 1] : -1;
      if (index <= before || index >= level.size)
        throw Broken("index", StrCat(index), StrCat("must rise within ", level.size));
      Walk(at + 1, i, place + index * level.step);
    }
  }

  int64_t most_;
  std::vector<Level> levels_;
  std::vector<int64_t> places_;
};

}  // namespace

std::vector<int64_t> SparsePlaces(const schema::SparsityParameters& sparsity, const Shape& shape,
                                  int64_t most) {
  return Tree(sparsity, shape, most).Places();
}

std::vector<uint8_t> Densified(std::span<const uint8_t> elements, int64_t element_bytes,
                               const std::vector<int64_t>& places, int64_t count) {
  std::vector<uint8_t> dense(count * element_bytes);
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(&dense[places[i] * element_bytes], &elements[i * element_bytes], element_bytes);
  return dense;
}

}  // namespace vta::compiler
