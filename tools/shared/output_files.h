// Whether what a command line writes can be written, before long work.
#pragma once

#include <string>
#include <vector>

namespace vta::tools {

/// Refuses, before anything runs, what could not be written at the end.
/// Errors: throws UsageError naming an output file without a name, that is named twice, or is also
/// an input; and Error naming one that lies where nothing can be written.
void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Refuses, before anything runs, a folder that could not be made or written into.
/// Errors: throws UsageError for one without a name; and Error naming it.
void CheckFolder(const std::string& path);

}  // namespace vta::tools
