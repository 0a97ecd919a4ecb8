// The rows that GEMM and ALU instructions touch, found by going through the compute module's
// instructions in their order: LOADs fill the micro-op memory, and what computes reads it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/check/check.h"
#include "isa/check/kernels.h"
#include "isa/layout.h"

namespace vta::isa {

/// A strided range of DRAM: `rows` times `row_bytes`, `stride_bytes` apart. Empty where rows is 0.
struct DramTile {
  int64_t address = 0;
  int64_t row_bytes = 0;
  int64_t stride_bytes = 0;
  int64_t rows = 0;

  int64_t end() const { return address + (rows - 1) * stride_bytes + row_bytes; }
  /// The first byte in [begin, end) that the tile touches, or -1.
  int64_t FirstIn(int64_t begin, int64_t end) const;
};

/// The DRAM that a LOAD or STORE touches with the base registers of a launch.
DramTile TileOf(const Config& config, const Launch& launch, const Instruction& transfer);

/// What one GEMM or ALU instruction touches; an operand that it does not use is nullptr. acc rows
/// in dst are read first, unless the GEMM is a reset or overwrites.
struct ComputeRows {
  bool reads_dst = false;
  const OperandRows* dst = nullptr;
  const OperandRows* inp = nullptr;
  const OperandRows* wgt = nullptr;
  const OperandRows* acc = nullptr;  // operand of the ALU
  bool table = false;                // of lut
};

/// One walk; several may share what `kernels` remembers.
class OperandWalk {
 public:
  /// `layout`, `launch` and `kernels` are borrowed.
  OperandWalk(const Layout& layout, const Launch& launch, Kernels& kernels);

  /// A LOAD of micro-ops that lies inside memory and buffer.
  /// Returns the bytes of its DRAM of which nothing is known, or an empty range.
  ByteRange Load(const Instruction& load);
  /// The first micro-op of a GEMM or ALU instruction that was never loaded, or uop_end.
  int64_t FirstUnloaded(const Instruction& compute) const;
  /// The rows of a GEMM or ALU instruction whose micro-ops are loaded, valid until the next call.
  ComputeRows Rows(const Instruction& compute);

 private:
  int64_t CopyImage(int64_t address, std::span<std::byte> to) const;

  const Layout& layout_;
  const Launch& launch_;
  Kernels& kernels_;
  std::vector<const ImagePart*> parts_;  // by address
  UopMemory uops_;
};

}  // namespace vta::isa
