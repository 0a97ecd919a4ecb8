// transform_layout: a buffer's dimensions stand in another order, or as blocks of elements and the
// elements of a block: n c/16 h w c%16.
#include <charconv>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

/// A dimension of the new layout: the old one, or its blocks of `factor`, or its place in a block.
struct NewDim {
  enum class Part : uint8_t { kWhole, kBlock, kInside } part = Part::kWhole;
  int64_t dim = 0, factor = 1;

  int64_t Extent(const std::vector<int64_t>& shape) const {
    switch (part) {
      case Part::kWhole:
        return shape[dim];
      case Part::kBlock:
        return (shape[dim] + factor - 1) / factor;
      case Part::kInside:
        return factor;
    }
    return 0;
  }
  Expr At(const std::vector<Expr>& at) const {
    switch (part) {
      case Part::kWhole:
        return at[dim];
      case Part::kBlock:
        return FloorDiv(at[dim], factor);
      case Part::kInside:
        return FloorMod(at[dim], factor);
    }
    return {};
  }
};

/// "2", "1/16" or "1%16".
NewDim ParseDim(const std::string& word, int64_t rank) {
  const size_t sign = word.find_first_of("/%");
  const auto number = [&](std::string_view text, int64_t low, int64_t high) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
      throw Error("", "dimension", word,
                  StrCat("must be one of 0 to ", rank - 1, ", by itself or as 1/16 or 1%16"));
    return value;
  };
  const std::string_view text = word;
  NewDim out{.dim = number(text.substr(0, sign), 0, rank - 1)};
  if (sign == word.npos) return out;
  out.part = word[sign] == '/' ? NewDim::Part::kBlock : NewDim::Part::kInside;
  out.factor = number(text.substr(sign + 1), 1, int64_t{1} << 30);
  return out;
}

/// Every element has a place of its own: each dimension is there once, or its blocks and its places
/// in one are.
void RequireOnce(const std::vector<NewDim>& dims, int64_t rank) {
  for (int64_t d = 0; d < rank; ++d) {
    int64_t whole = 0, blocks = 0, inside = 0, factor = 0;
    bool same = true;
    for (const NewDim& dim : dims) {
      if (dim.dim != d) continue;
      whole += dim.part == NewDim::Part::kWhole;
      blocks += dim.part == NewDim::Part::kBlock;
      inside += dim.part == NewDim::Part::kInside;
      if (dim.part == NewDim::Part::kWhole) continue;
      same &= factor == 0 || factor == dim.factor;
      factor = dim.factor;
    }
    const bool once = whole == 1 && blocks == 0 && inside == 0;
    const bool split = whole == 0 && blocks == 1 && inside == 1 && same;
    if (!once && !split)
      throw Error("", "dimension", StrCat(d),
                  "must be there once, or once divided and once as the rest by the same number");
  }
}

}  // namespace

std::vector<std::string> TransformLayout(Application& a) {
  const Buffer buffer = FindOwnBuffer(a.function, a.args[0]);
  if (!buffer->strides.empty())
    throw Error("", "buffer", buffer->name, "has strides; set them behind its layout");
  for (const Site& site : Sites(a.function.body))
    if (As<Call>(site.block->body) && (Reads(*site.block, buffer) || Writes(*site.block, buffer)))
      throw Error("", "block", site.block->name,
                  StrCat("uses ", buffer->name, " and is tensorized; lay that out before"));
  const auto rank = std::ssize(buffer->shape);
  std::vector<NewDim> dims;
  std::vector<int64_t> shape;
  int64_t elements = 1;
  for (size_t i = 1; i < a.args.size(); ++i) {
    dims.push_back(ParseDim(a.args[i], rank));
    shape.push_back(dims.back().Extent(buffer->shape));
    if (__builtin_mul_overflow(elements, shape.back(), &elements) || elements > int64_t{1} << 40)
      throw Error("", "layout of " + buffer->name, a.args[i], "must have at most 2^40 elements");
  }
  RequireOnce(dims, rank);
  a.function.body = ReplaceBuffer(a.function.body, buffer,
                                  MakeBuffer(buffer->name, buffer->dtype, shape, buffer->scope),
                                  [&](const std::vector<Expr>& at) {
                                    std::vector<Expr> moved;
                                    for (const NewDim& dim : dims) moved.push_back(dim.At(at));
                                    return moved;
                                  });
  a.function = Simplified(a.function);
  return {};
}

}  // namespace vta::compiler::loop
