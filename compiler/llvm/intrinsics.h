// Tensor intrinsics that are operations of the machine.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "compiler/llvm/values.h"
#include "compiler/llvm/warp.h"

namespace vta::compiler::llvm {

/// The lowerings that there is code for, whatever the machine:
///   dot   acc[o] = (acc[o] +) sum over i of x[i] * w[o][i], or of x[i][o] * w[o][i]: int32 of
///         bytes by fours, words by twos
///   zero  acc[o] = 0
/// and of a GPU those of warp.h.
inline constexpr char kDot[] = "dot", kZero[] = "zero";

/// Writes blocks whose bodies are calls.
class Calls {
 public:
  explicit Calls(Code& code);
  ~Calls();

  /// False where the call's lowering is none of those above, or its operands do not lie as vectors:
  /// then nothing is written. `loops` are those around the block.
  bool Emit(const Surroundings& around, const loop::Block& block,
            const std::vector<loop::Stmt>& loops);

 private:
  struct Prepared;
  Prepared& Prepare(const Surroundings& around, const loop::Block& block,
                    const std::vector<loop::Stmt>& loops);
  void Run(const Surroundings& around, Prepared& block, const loop::Call& call);

  Code& c_;
  std::map<const loop::Block*, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace vta::compiler::llvm
