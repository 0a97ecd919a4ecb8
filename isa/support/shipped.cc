#include "isa/support/shipped.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "isa/support/error.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

// The folder with such files that the shared object with this code is in, at most two folders up:
// lib/libvta_runtime.so, lib/x86_64-linux-gnu/libvta_runtime.so. Empty in a program.
fs::path OwnFolder() {
  Dl_info info = {};
  static const char own = 0;
  if (!dladdr(&own, &info) || !info.dli_fname) return {};
  fs::path folder = fs::path(info.dli_fname).parent_path();
  if (!folder.is_absolute()) return {};  // a program's may be any word
  constexpr int kUp = 2;
  for (int up = 0; up <= kUp; ++up, folder = folder.parent_path())
    if (std::error_code ignored; fs::exists(folder / "share/vta", ignored)) return folder;
  return {};
}

// What has lib/vta/ and share/vta/: that of this object or program, then those of this build.
std::vector<fs::path> Prefixes() {
  std::vector<fs::path> prefixes;
  if (const fs::path own = OwnFolder(); !own.empty()) prefixes.push_back(own);
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
