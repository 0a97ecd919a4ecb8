// The order of tasks for hardware with two accumulator banks.
#pragma once

#include "compiler/targets/vta/tasks/task.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// What follows an ALU instruction runs beside it where it works in the other bank
/// (isa/spec/timing.h), but an ALU instruction does not. So where a tile has several of them, one
/// behind the other, those after the first move behind instructions of the next tile, which works
/// in the other bank: each then has some that run beside it, of as many micro-ops as hide it. GEMM
/// instructions that are longer than that, where those behind them are needed as well, are cut, if
/// micro-op memory holds the micro-ops of the parts. No task moves past one that touches what it
/// touches. Micro-ops and tokens are not placed yet.
void InterleaveTiles(const isa::Config& config, TaskProgram* program);

}  // namespace vta::compiler::targets
