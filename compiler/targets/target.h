// What the graph passes ask a target. A target is a folder compiler/targets/<name>/; nothing
// outside it names it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/graph/window_fold.h"

namespace vta::compiler {

/// Activations are [N/batch, C/channel, H, W, batch, channel] on the target.
struct ActivationBlocks {
  int64_t batch;
  int64_t channel;
  bool operator==(const ActivationBlocks&) const = default;
};

/// How the target has the matrices of products of two activations and their parameters: in blocks
/// [O/out,K/in,out,in], and rows [O/out,R,batch,out] of which the first is the bias. `further`: the
/// other rows, the same for all outputs. Shape: [R-1,batch,out].
struct ProductBlocks {
  int64_t out, in, batch;
  Tensor further;
};

/// How a result lies: row by row, in the target's blocks, either way as readers like it, or in
/// blocks unless others touch it.
enum class Written : uint8_t { kEither, kRows, kBlocks, kRatherBlocks };

class Target {
 public:
  virtual ~Target() = default;

  /// A word that names the target in graph text.
  virtual std::string Name() const = 0;
  /// Whether one kernel can compute these nodes together: a layer, and what is fused after it.
  /// Their activations are still plain ([N,C,H,W] or [N,K]). When not, `why` (if given) says it in
  /// a phrase.
  virtual bool CanTake(const Graph& graph, std::span<const NodeId> group,
                       std::string* why = nullptr) const = 0;
  /// Whether it may be the last of a list: it takes single nodes of every op, in plain layouts.
  virtual bool TakesRest() const { return false; }
  /// Whether what its steps take and make lies in memory of its own: at borders to others it is
  /// copied.
  virtual bool HasOwnMemory() const { return false; }
  /// Of one that takes the rest: how an activation lies that only it touches, how a step that
  /// begins with `node` has to find its first input, and how such a step writes what only this
  /// target touches. Absent: row by row, any way.
  virtual std::optional<Storage> BlockedLayout(const TensorType&) const { return {}; }
  virtual std::optional<Storage> InputLayout(const Graph&, const Node& /*node*/) const {
    return {};
  }
  virtual Written WrittenAs(const Graph&, const Node& /*node*/) const { return Written::kEither; }
  /// How many taps of a convolution's window the target would rather have as channels, where its
  /// input is packed before it.
  virtual FoldChoice ChooseFold(const Graph&, const Node& /*conv*/) const { return {}; }
  /// Of matmul_i8 nodes that it takes; absent: plain, as the graph has them.
  virtual std::optional<ProductBlocks> BlocksOfProduct(const Node&) const { return {}; }
  /// The layout in which the target keeps activations; absent: plain, as the graph has them.
  virtual std::optional<ActivationBlocks> Layout() const { return {}; }
};

}  // namespace vta::compiler
