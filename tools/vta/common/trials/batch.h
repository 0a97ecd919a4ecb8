// Candidates that are measured elsewhere. A file of JSON lines: the first says what the others are
// and how many; each of these is a log's line with the candidate's package in the place of what it
// took. What comes back is a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tune/log.h"
#include "isa/package.h"

namespace vta::tools {

struct BatchLine {
  /// A failure: of one that has no package. A cost: of one that was measured, and is there for its
  /// outputs, those of its task. Nothing says yet what it is measured on.
  compiler::tune::LogEntry entry;
  int64_t macs = 0;  // of a step of its task
  std::optional<isa::Package> package = std::nullopt;
};

struct Batch {
  std::string model, target;     // of a GPU
  std::vector<BatchLine> lines;  // those of a task stand together
};

/// Errors: throws Error naming the file.
void WriteBatch(const Batch& batch, const std::string& path);
/// Errors: throws Error naming the file, the line, the value and the rule.
Batch ReadBatch(const std::string& path);

}  // namespace vta::tools
