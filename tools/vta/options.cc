#include "tools/vta/options.h"

#include <filesystem>
#include <set>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

std::string Canonical(const std::string& path) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(path, failed), failed);
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
      throw Error(output, "output", "", "is also an input, which it would replace");
    if (!taken.insert(Canonical(output)).second)
      throw Error(output, "output", "", "is named twice");
  }
}

}  // namespace vta::tools
