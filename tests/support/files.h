// Where tests find this checkout's files and the real models beside it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace vta {

/// A file of this checkout, named from its root.
std::string SourcePath(std::string_view name);

/// The folder of real models: the one that VTA_CASES names, or else shared/cases beside the
/// checkout. It may not exist.
std::filesystem::path CasesFolder();

}  // namespace vta
