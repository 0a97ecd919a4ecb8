// The files that the tool ships: accelerator configs, the demo's network, the other side of
// benchmarks.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"

namespace vta::tools {

/// The path of a shipped file such as "configs/default.json" or "demo/digits.json": beside an
/// installed tool in share/vta, otherwise in the source tree it was built from. Errors: throws
/// Error naming the file where neither place has it.
std::string SharedFile(const std::string& name);
/// The same for a shared library that is a part of the tool.
std::string LibraryFile(const std::string& name);

/// The names of the shipped accelerator variants, sorted.
std::vector<std::string> ShippedConfigs();

/// The file of a config that is named as a shipped variant ("default"), or by path (anything with a
/// '/' or a '.'). Errors: throws UsageError listing the shipped names.
std::string ConfigFile(const std::string& name_or_path);
/// Errors: as ConfigFile and isa::LoadConfig.
isa::Config FindConfig(const std::string& name_or_path);

}  // namespace vta::tools
