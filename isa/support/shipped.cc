#include "isa/support/shipped.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "isa/support/error.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

// What has bin/, lib/vta/ and share/vta/: that of this program, then those of this build.
std::vector<fs::path> Prefixes() {
  std::vector<fs::path> prefixes;
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (!self.empty()) prefixes.push_back(self.parent_path().parent_path());
#ifdef VTA_BUILD_PREFIX
  prefixes.emplace_back(VTA_BUILD_PREFIX);
#endif
  prefixes.emplace_back(VTA_INSTALL_PREFIX);
  return prefixes;
}

// $VTA_HOME; empty where it is not set.
fs::path Home() {
  const char* home = std::getenv("VTA_HOME");
  return home ? home : "";
}

std::string FirstWith(std::string_view name, const std::vector<fs::path>& places) {
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::exists(place / name, ignored)) return (place / name).string();
    tried += StrCat(tried.empty() ? "" : ", ", place.string());
  }
  throw Error(std::string(name), "", "", StrCat("is shipped with vta, and is in none of ", tried));
}

// A build folder has a link there: messages name the file that it leads to.
fs::path WithoutLinks(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  return error ? folder : whole;
}

}  // namespace

std::string ShippedPath(std::string_view name) {
  std::vector<fs::path> places;
  if (!Home().empty()) places.push_back(Home());
  for (const fs::path& prefix : Prefixes()) places.push_back(WithoutLinks(prefix / "share/vta"));
  return FirstWith(name, places);
}

std::string ShippedLibrary(std::string_view name) {
  std::vector<fs::path> places;
  if (!Home().empty()) places.push_back(Home() / "../../lib/vta");
  for (const fs::path& prefix : Prefixes()) places.push_back(prefix / "lib/vta");
  return FirstWith(name, places);
}

}  // namespace vta
