// Products of small matrices that the threads of a warp make together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/llvm/values.h"

namespace vta::compiler::llvm {

/// The lowering of acc[i][j] += sum over k of a[k][i] * b[k][j] of a thread, as one instruction of
/// its warp, m16n8, in numbers of TF32. Threads (r, t), the innermost two loops of 8 and 4, may
/// have an `a` that is another one for each r, and a `b` whose columns are side by side for each t:
/// together they are matrices of which each thread brings its part.
inline constexpr char kWarpTf32[] = "warp_tf32";
/// The same of `a` in bits of 16-bit numbers, which half_to_float makes of them; `b` is rounded to
/// such ones, or words of two.
inline constexpr char kWarpFp16[] = "warp_fp16";
/// The same of int8, summed up in int32; `b` are words of four uint8. Where warps multiply no
/// matrices each thread multiplies words.
inline constexpr char kWarpInt8[] = "warp_int8";

/// Such a call where it can be one, for all places at which its block is written.
class WarpCall {
 public:
  /// Absent where threads do not lie like that, or the machine has no such instruction. `loops` are
  /// those around the block.
  static std::optional<WarpCall> Find(const Code& code, const Surroundings& around,
                                      const loop::Block& block,
                                      const std::vector<loop::Stmt>& loops);

  void Emit(Code& code, const Surroundings& around, BlockFacts& facts) const;

 private:
  void EmitAlone(Code& code, const Surroundings& around, BlockFacts& facts) const;

  struct Operand {
    loop::Buffer buffer;
    loop::Affine first;            // of the thread; of a and b what the thread brings
    std::vector<int64_t> strides;  // of its dimensions
  };
  Operand acc_, a_, b_;
  int64_t pairs_ = 1, beside_ = 1;  // of a
  bool alone_ = false;              // a thread multiplies words, of an `a` and `b` of its own
};

}  // namespace vta::compiler::llvm
