#include "tools/shared/output_files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

std::string Canonical(const std::string& path) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(LinkTarget(path), failed), failed);
  return failed ? path : canonical.string();
}

// A pipe or a device takes any number of outputs.
bool IsStream(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && fs::is_other(path, ignored);
}

}  // namespace

void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::set<std::string> taken, read;
  for (const std::string& input : inputs) read.insert(Canonical(input));
  for (const std::string& output : outputs) {
    RequireWritable(output);
    if (IsStream(output)) continue;
    if (read.contains(Canonical(output)))
      throw UsageError(output, "output", "", "is also an input, which it would replace");
    if (!taken.insert(Canonical(output)).second)
      throw UsageError(output, "output", "", "is named twice");
  }
}

void CheckFolder(const std::string& path) {
  fs::path folder = Canonical(path);
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  const bool is_folder = fs::is_directory(folder, ignored);
  if (!is_folder || access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(path, is_folder ? "cannot write" : "cannot create", "",
                std::strerror(is_folder ? errno : ENOTDIR));
}

}  // namespace vta::tools
