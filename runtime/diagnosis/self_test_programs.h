// The programs of the self-test.
#pragma once

#include <vector>

#include "runtime/diagnosis/self_test_writer.h"

namespace vta::runtime {

/// Small programs for each thing that the config has, by the rows of the spec: every memory type
/// with its largest tile, rows far apart, padding and addresses around a page; GEMM in its kinds;
/// every ALU operation; the modes; every token queue to its brim. What others rest on comes first.
/// They are free of races and deadlocks, and always the same of a config.
std::vector<SelfTestProgram> SelfTestPrograms(const isa::Config& config);

}  // namespace vta::runtime
