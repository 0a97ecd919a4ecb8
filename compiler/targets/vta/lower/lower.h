// From a scheduled, tensorized function of the loop IR to the task IR.
//
// Shapes are static, so loops outside the regions run at compile time: tails are clipped exactly
// and virtual threads interleave, each in its own scratchpad slots: what one module does in a row,
// one thread does, and then the next. What lies in each accumulator bank (scratchpad.h) is loaded
// where an instruction of that bank first reads it. The order for two banks, tokens and micro-op
// places come after.
#pragma once

#include <optional>

#include "compiler/loop/ir.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"
#include "compiler/targets/vta/tasks/task.h"
#include "isa/spec/requant.h"

namespace vta::compiler::targets {

/// The program of `function`, whose parameters become the DRAM tensors (at offset 0; of those in
/// `sparse` only what is stored; what it stores interleaved where `phases` are given), ended by
/// finish. Errors: throws Error naming block or buffer and
/// the rule where the function is no VTA program: something not tensorized, a copy that moves no
/// whole rows, a scratchpad that is full.
TaskProgram LowerTasks(const isa::Config& config, const loop::Function& function,
                       isa::Rounding rounding, const SparseConstants& sparse = {},
                       const std::optional<PhasePlaces>& phases = {});

}  // namespace vta::compiler::targets
