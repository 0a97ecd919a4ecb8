#include "tools/vta/common/configs.h"

#include <algorithm>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/shipped.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigs = "isa/configs";

}  // namespace

std::vector<std::string> ShippedConfigs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ShippedPath(kConfigs)))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string ConfigFile(const std::string& name_or_path) {
  const bool is_path = name_or_path.find_first_of("/.") != std::string::npos;
  std::error_code ignored;
  if (is_path && (fs::exists(name_or_path, ignored) || name_or_path.find('/') != std::string::npos))
    return name_or_path;
  const std::string shipped = StrCat(ShippedPath(kConfigs), "/", name_or_path, ".json");
  if (fs::exists(shipped, ignored)) return shipped;
  const std::vector<std::string> shipped_names = ShippedConfigs();
  throw UsageError("config", "", name_or_path,
                   StrCat("must be the path of a file or one of ", Listed(shipped_names),
                          DidYouMean(name_or_path, shipped_names)));
}

isa::Config FindConfig(const std::string& name_or_path) {
  return isa::LoadConfig(ConfigFile(name_or_path));
}

}  // namespace vta::tools
