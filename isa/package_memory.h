// Who writes a package's arena: what is known before a run stays as it is, and what a step takes is
// what was made for it.
#pragma once

#include <string>

#include "isa/package.h"

namespace vta::isa {

/// Goes through an inference: model inputs, steps in their order, model outputs.
/// Errors: throws Error naming file, tensor, bytes and rule where
/// - a model input or a step's output lies over the constants, which hold micro-ops and weights;
/// - model inputs lie over each other, or a step's output over another tensor of the step;
/// - a step takes, or the model gives, a tensor of which the constants have a part but not all;
/// - a step takes, or the model gives, a tensor that nothing in this inference has written, or that
///   another one was written over since.
void CheckPackageMemory(const Package& package, const std::string& file);

}  // namespace vta::isa
