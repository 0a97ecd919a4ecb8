// The process in which a worker has what the jobs of one search have in common, and from which it
// begins a process for each few of them.
#pragma once

#include "tools/vta/common/engines.h"

namespace vta::tools {

/// Requests and answers are JSON objects, a line each:
///   {"do": "open", "kind": K, "facts": F, "folder": PATH, "limit_s": S, "memory_bytes": N} -> {}
///   {"do": "jobs", "jobs": [TEXT...]} ->
///       {"seconds": S, "answers": [{"said": TEXT} or {"ended": WHY}...]}
/// The folder has the search's files, and goes with this process. An answer holds "error" where a
/// request failed. Returns when there are no more. `engine`: what trials are measured on, where it
/// is named.
int ServeStudy(const EngineOptions& engine);

}  // namespace vta::tools
