#include "tools/vta/share.h"

#include <algorithm>
#include <filesystem>

#include "isa/support/error.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

// Where a shipped folder stands in the source tree.
struct Folder {
  std::string_view name, source;
};
constexpr Folder kFolders[] = {{"configs", "isa/configs"},
                               {"demo", "tools/demo"},
                               {"bench", "tools/bench"},
                               {"bitstreams", "bitstreams"}};

// A folder of what is installed with the tool.
std::vector<fs::path> Installed(const std::string& folder) {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (self.empty()) return {};
  return {self.parent_path().parent_path() / folder};
}

std::vector<fs::path> Candidates(const std::string& name) {
  std::vector<fs::path> out = Installed("share/vta/" + name);
  const size_t slash = name.find('/');
  for (const Folder& folder : kFolders)
    if (name.substr(0, slash) == folder.name)
      out.push_back(fs::path(VTA_SOURCE_DIR) / folder.source / name.substr(slash + 1));
  return out;
}

std::string FirstOf(const std::vector<fs::path>& candidates, const std::string& name) {
  std::string tried;
  for (const fs::path& path : candidates) {
    if (fs::exists(path)) return path.string();
    tried += StrCat(tried.empty() ? "" : " or ", path.string());
  }
  throw Error(name, "", "", StrCat("is shipped with vta but not at ", tried));
}

}  // namespace

std::string SharedFile(const std::string& name) { return FirstOf(Candidates(name), name); }

std::string LibraryFile(const std::string& name) {
  std::vector<fs::path> candidates = Installed("lib/vta/" + name);
  candidates.push_back(fs::path(VTA_LIBRARY_DIR) / name);
  return FirstOf(candidates, name);
}

std::vector<std::string> ShippedConfigs() {
  std::vector<std::string> names;
  const fs::path folder = fs::path(SharedFile("configs/default.json")).parent_path();
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string ConfigFile(const std::string& name_or_path) {
  const bool is_path = name_or_path.find_first_of("/.") != std::string::npos;
  std::error_code ignored;
  if (is_path && (fs::exists(name_or_path, ignored) || name_or_path.find('/') != std::string::npos))
    return name_or_path;
  const std::string folder = fs::path(SharedFile("configs/default.json")).parent_path().string();
  const std::string shipped = StrCat(folder, "/", name_or_path, ".json");
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
