#include "tools/vta/common/python_tools.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/rtl/build.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGroup = "# group ";

// As folders of installed packages are named.
std::string Normalised(std::string name) {
  for (char& c : name)
    c = c == '-' || c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// What lies in an environment, by normalised name: folders NAME-VERSION.dist-info.
std::map<std::string, std::string> Installed(const std::string& folder) {
  constexpr std::string_view kEnding = ".dist-info";
  std::map<std::string, std::string> versions;
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(folder + "/lib", ignored))
    for (const auto& entry : fs::directory_iterator(python.path() / "site-packages", ignored)) {
      const std::string name = entry.path().filename().string();
      const size_t dash = name.find('-');
      if (name.ends_with(kEnding) && dash != std::string::npos)
        versions[Normalised(name.substr(0, dash))] =
            name.substr(dash + 1, name.size() - kEnding.size() - dash - 1);
    }
  return versions;
}

}  // namespace

std::vector<PythonPackage> PythonPackages(std::string_view text, const std::string& file,
                                          const std::string& group) {
  std::vector<PythonPackage> packages;
  std::istringstream lines{std::string(text)};
  bool is_in = false;
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(kGroup)) is_in = line.starts_with(StrCat(kGroup, group, ":"));
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string package, hash;
    words >> package >> hash;
    const size_t at = package.find("==");
    if (at == std::string::npos || !hash.starts_with("--hash=sha256:"))
      throw Error(file, StrCat("line ", number), "", "must be NAME==VERSION --hash=sha256:...");
    if (is_in) packages.push_back({package.substr(0, at), package.substr(at + 2)});
  }
  if (packages.empty()) throw Error(file, "", "", "has no group " + group);
  return packages;
}

const std::string& PythonTools::VersionOf(std::string_view name) const {
  const auto at = std::ranges::find(packages, name, &PythonPackage::name);
  VTA_CHECK(at != packages.end(), name);
  return at->version;
}

PythonTools FindPythonTools(const std::string& group, const std::string& command) {
  const std::string list = sim::HardwareSources() + "/tools/python.txt";
  PythonTools tools{StrCat(sim::CacheDir(), "/python-", group),
                    PythonPackages(ReadTextFile(list), list, group)};
  const auto installed = Installed(tools.folder);
  for (const PythonPackage& package : tools.packages) {
    const auto at = installed.find(Normalised(package.name));
    if (at == installed.end() || !fs::exists(tools.folder + "/bin/python"))
      throw Error(command, package.name, "",
                  StrCat("is not installed in ", tools.folder, "; './", command,
                         "' in the source tree installs what tools/python.txt lists"));
    if (at->second != package.version)
      throw Error(command, package.name, at->second,
                  StrCat("must be ", package.version, " of tools/python.txt; remove ", tools.folder,
                         ", then './", command, "' in the source tree installs it"));
  }
  return tools;
}

}  // namespace vta::tools
