// Tools that come from PyPI, each group in an environment of its own beside the RTL models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

struct PythonPackage {
  std::string name, version;
};

/// The packages of one group of tools/python.txt.
/// Errors: throws Error naming the line that is none of its forms; and where there is no such
/// group.
std::vector<PythonPackage> PythonPackages(std::string_view text, const std::string& file,
                                          const std::string& group);

struct PythonTools {
  std::string folder;  // programs lie in its bin/
  std::vector<PythonPackage> packages;
  /// Errors: aborts where the group has no such package.
  const std::string& VersionOf(std::string_view name) const;
};

/// The environment of a group, with every package in its version.
/// Errors: throws Error naming the first that is missing or of another version, and how to get it.
PythonTools FindPythonTools(const std::string& group, const std::string& command);

}  // namespace vta::tools
