// The interpreter's code: instructions over registers of 64 lanes, and addresses affine in the loop
// variables.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/loop/arith.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

inline constexpr int kLanes = 64;

/// A register. Integers up to 32 bits and bool live in 32-bit lanes.
union Lanes {
  alignas(64) int32_t i32[kLanes];
  int64_t i64[kLanes];
  float f32[kLanes];
};

/// An int64 or bool expression of loop variables alone.
struct Scalar {
  Op op;
  int64_t value = 0;  // of a constant; the slot of a variable
  std::vector<Scalar> args;
  int64_t Eval(const int64_t* vars) const;
};

/// constant + sum of coef * variable + sum of coef * scalar + lane * stride.
struct Form {
  int64_t constant = 0;
  int64_t stride = 0;  // per lane
  std::vector<std::pair<int, int64_t>> terms;
  std::vector<std::pair<Scalar, int64_t>> scalars;
  /// The value in lane 0; it wraps, as index arithmetic does.
  int64_t Base(const int64_t* vars) const {
    uint64_t sum = static_cast<uint64_t>(constant);
    for (const auto& [slot, coef] : terms)
      sum += static_cast<uint64_t>(vars[slot]) * static_cast<uint64_t>(coef);
    for (const auto& [scalar, coef] : scalars)
      sum += static_cast<uint64_t>(scalar.Eval(vars)) * static_cast<uint64_t>(coef);
    return static_cast<int64_t>(sum);
  }
};

/// Where a load or store goes. Affine: flat = address of lane 0; checks = the dimensions not proved
/// in range. Gather: an int64 register with the index of each dimension.
struct Address {
  int buffer = 0;
  Buffer node;
  int64_t size = 0;  // of the buffer, elements
  Form flat;
  std::vector<std::pair<int, Form>> checks;
  std::vector<int> gather;  // registers, one a dimension; empty when affine
};

/// Looks at the clock once in many trips of loops.
class Watch {
 public:
  struct Passed {};  // thrown at the deadline

  explicit Watch(
      std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max())
      : deadline_(deadline) {}
  void Trip() {
    if (--left_ == 0) Look();
  }

 private:
  static constexpr int64_t kTrips = 4096;
  void Look() {
    left_ = kTrips;
    if (deadline_ != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= deadline_)
      throw Passed();
  }

  std::chrono::steady_clock::time_point deadline_;
  int64_t left_ = kTrips;
};

struct Frame {
  std::vector<int64_t> vars;
  std::vector<std::byte*> buffers;
  Lanes* regs = nullptr;
  const Address* addresses = nullptr;
  const Form* forms = nullptr;
  const std::string* block = nullptr;
  Watch watch;
};

/// Runs on lanes [lo, hi). `mask` is a register of 0 and 1 (or -1 for all lanes): lanes with 0
/// touch no memory.
struct Instr {
  void (*run)(const Instr&, Frame&, int lo, int hi);
  int dst = 0, a = 0, b = 0, c = 0, d = 0;
  int mask = -1;
  int index = 0;  // into addresses or forms
};
using RunFn = decltype(Instr::run);

/// The functions of the operations; types are those of the operands.
RunFn FindOpFn(Op op, DType type);
RunFn FindCastFn(DType from, DType to);
/// Brings the result of narrow arithmetic back into its type; nullptr for types that need nothing.
RunFn FindWrapFn(DType type);
RunFn FindLoadFn(DType type);
RunFn FindStoreFn(DType type);
RunFn FindSelectFn(DType type);
/// Lane i = form + i * stride.
RunFn IndexFn();
/// dst = a && b, dst = a && !b for masks.
RunFn MaskFn(bool negate);

}  // namespace vta::compiler::loop
