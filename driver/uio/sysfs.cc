#include "driver/uio/sysfs.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::driver::uio {
namespace {

// A file in sysfs says that it is as large as a page, which on ARM64 may be 64 KiB.
constexpr int64_t kMostText = 65536;

}  // namespace

std::string ReadSysfsLine(const std::string& path) {
  std::string line = ReadTextFile(path, kMostText);
  const bool ends = line.ends_with('\n');
  if (ends) line.pop_back();
  if (!ends || line.empty() || line.find('\n') != std::string::npos)
    throw Error(path, "", line, "must be one line");
  return line;
}

uint64_t ReadSysfsNumber(const std::string& path) {
  const std::string line = ReadSysfsLine(path);
  const bool is_hex = line.starts_with("0x");
  const char* const end = line.data() + line.size();
  uint64_t value = 0;
  const auto [stop, problem] =
      std::from_chars(line.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
  if (problem != std::errc() || stop != end)
    throw Error(path, "", line, "must be a number of at most 64 bits, decimal or 0x...");
  return value;
}

std::vector<std::string> ListSysfs(const std::string& folder) {
  DIR* const open = opendir(folder.c_str());
  if (!open) {
    if (errno == ENOENT) return {};
    throw Error(folder, "", "", StrCat("cannot read: ", std::strerror(errno)));
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(open))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(open);
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

}  // namespace vta::driver::uio
