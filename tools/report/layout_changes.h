// What a package spends on laying activations out anew, between kernels and accelerator or between
// kernels that want them otherwise.
#pragma once

#include "isa/package.h"

namespace vta::tools {

/// Steps that compute nothing: count, and the bytes that they read and write in an inference.
struct LayoutChanges {
  int64_t count = 0, bytes = 0;
};

/// Whether a step only moves what others made.
bool IsLayoutChange(const isa::PackageStep& step);

LayoutChanges LayoutChangesOf(const isa::Package& package);

}  // namespace vta::tools
