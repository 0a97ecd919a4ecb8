// The accelerator configs that the tool ships.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"

namespace vta::tools {

/// The names of the shipped accelerator variants, sorted.
std::vector<std::string> ShippedConfigs();

/// The file of a config that is named as a shipped variant ("default"), or by path (anything with a
/// '/' or a '.'). Errors: throws UsageError listing the shipped names.
std::string ConfigFile(const std::string& name_or_path);
/// Errors: as ConfigFile and isa::LoadConfig.
isa::Config FindConfig(const std::string& name_or_path);

}  // namespace vta::tools
