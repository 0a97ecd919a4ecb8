// What a step has the machine do, whatever its tiling.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/config.h"

namespace vta::compiler::targets {

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Cycles that passes of the ALU take beyond one a vector because both operands are rows of the
/// accumulator, where that has one read port.
inline int64_t SecondReads(const isa::Config& config, int64_t passes) {
  return config.uarch.alu_read_ports == 1 ? passes : 0;
}

/// What memory moves in a cycle.
int64_t BusBytes(const isa::Config& config);

/// Of one lay-out of a step: how many vectors (rows of the accumulator) micro-ops pass over, a
/// cycle each, and what has to be moved: weights, parameters, the inputs that are read and the
/// outputs, each once.
struct Work {
  int64_t products = 0;      // of GEMM: weights of the step
  int64_t widenings = 0;     // of GEMM: diagonals, which make accumulators of codes
  int64_t resets = 0;        // of GEMM
  int64_t alu = 0;           // epilogues, sums, maxima
  int64_t border = 0;        // of the ALU: what pads would have added
  int64_t second_reads = 0;  // of the ALU: the second cycles of its passes over two rows
  int64_t bytes = 0;

  int64_t gemm_passes() const { return products + widenings + resets; }
  int64_t alu_passes() const { return alu + border + second_reads; }
  /// Of the compute module: GEMM and then the ALU, or both at once with a second bank of the
  /// accumulator.
  int64_t ComputeCycles(const isa::Config& config) const {
    return config.uarch.acc_banks > 1 ? std::max(gemm_passes(), alu_passes())
                                      : gemm_passes() + alu_passes();
  }
  int64_t BusCycles(const isa::Config& config) const { return CeilDiv(bytes, BusBytes(config)); }
  int64_t Cycles(const isa::Config& config) const {
    return std::max(ComputeCycles(config), BusCycles(config));
  }
  bool operator==(const Work&) const = default;
};

/// What the network asks of a step whose weights tell its channels: these weights, parameters,
/// inputs that windows read and outputs, each once.
struct Asked {
  int64_t bytes = 0;
  bool is_grouped = false;
  bool has_wide_weights = false;  // of more than 8 bits
};

/// Lines of an input that windows along an axis read.
/// Shape: `outputs` windows of `taps`, of which the first begins `pad` before the input.
int64_t LinesRead(int64_t outputs, int64_t inputs, int64_t stride, int64_t taps, int64_t dilation,
                  int64_t pad);

}  // namespace vta::compiler::targets
