#include "tools/vta/options.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
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

CLI::Validator Unsigned64(const std::string& what) {
  return CLI::Validator(
      [=](std::string& text) {
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
        uint64_t value = 0;
        const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
        return error == std::errc() && stop == end
                   ? std::string()
                   : StrCat(text, " must be ", what, ", 0 to 2^64 - 1, decimal or hex (0x...)");
      },
      "");
}

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
