#include "compiler/loop/schedule/primitives.h"

#include <charconv>

#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

constexpr Primitive kPrimitives[] = {
    {"split", "block loop factor", "outer inner",
     "parts of `factor` iterations, the last guarded if it is short", Split},
    {"split_parts", "block loop parts", "outer inner",
     "`parts` parts of equal size, the last ones guarded", SplitParts},
    {"fuse", "block outer inner", "loop", "two loops, one directly in the other, become one", Fuse},
    {"reorder", "block loop loops...", "", "the named loops stand in this order", Reorder},
    {"tile", "block y x y_factor x_factor", "yo xo yi xi",
     "split both and move the inner parts inside", Tile},
    {"partition", "block loop iterations", "block",
     "the first `iterations` are one loop and the rest, with a block of its own, another",
     Partition},
    {"unroll", "block loop", "", "the loop is to be written out", Unroll},
    {"vectorize", "block loop", "", "iterations become lanes of vectors", Vectorize},
    {"parallel", "block loop", "", "iterations of the outermost loop become tasks for threads",
     Parallel},
    {"bind", "block loop blockIdx|threadIdx", "",
     "iterations become a GPU's blocks (in another loop of blocks: a team of them), or threads",
     Bind},
    {"annotate", "block loop key value", "", "a hint on the loop, or on the block where loop is -",
     Annotate},
    {"cache_read", "block buffer scope", "buffer", "the block reads a copy in another memory",
     CacheRead},
    {"cache_write", "block scope", "buffer block",
     "the block computes in another memory, a copy writes back", CacheWrite},
    {"read_at", "block buffer loop scope", "buffers",
     "each iteration of the loop begins with all that the block reads of the buffer in it", ReadAt},
    {"compute_at", "block consumer loop", "loops", "compute in each iteration what it needs",
     ComputeAt},
    {"reverse_compute_at", "block producer loop", "loops",
     "use, at the end of each iteration, what it made", ReverseComputeAt},
    {"compute_inline", "block", "", "readers compute the elements themselves", ComputeInline},
    {"inplace", "block buffer", "", "the block writes over the buffer that it reads", InPlace},
    {"roll", "buffer loop dim advance", "",
     "what the iteration before made stays: `dim` moves on by `advance`, of which two are kept",
     Roll},
    {"double_buffer", "buffer loop [copies]", "",
     "iterations take copies of the buffer in turn, two where it is not said", DoubleBuffer},
    {"prefetch", "block loop", "block",
     "iterations make what a later one reads, in the copy that is not read longest", Prefetch},
    {"set_scope", "buffer scope", "", "the buffer lives in another memory", SetScope},
    {"set_stride", "buffer strides...", "", "its elements lie so far apart in each dimension",
     SetStride},
    {"storage_align", "buffer dim factor offset", "",
     "elements of the dimension lie a multiple of the factor apart, and an offset", StorageAlign},
    {"transform_layout", "buffer dims...", "",
     "dimensions in another order, or divided: 0 1/16 2 1%16", TransformLayout},
    {"decompose_reduction", "block loop", "block",
     "the start of the reduction runs before the loop", DecomposeReduction},
    {"rfactor", "block loop", "block",
     "partial results, one for each iteration, and then one of them all", RFactor},
    {"pad", "block buffer", "buffer", "reads outside the buffer come from a padded copy",
     PadBuffer},
    {"tensorize", "block loop intrinsic", "", "the loops inwards become a call of the intrinsic",
     Tensorize},
    {"virtual_thread", "block loop", "", "iterations become contexts with a slot each",
     VirtualThread},
};

}  // namespace

std::span<const Primitive> Primitives() { return kPrimitives; }

int64_t Application::Int(size_t i, std::string_view what, int64_t low, int64_t high) const {
  const std::string& text = args[i];
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw Error("", std::string(what), text,
                StrCat("must be a whole number in [", low, ", ", high, "]"));
  return value;
}

}  // namespace vta::compiler::loop
