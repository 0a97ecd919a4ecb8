#include "driver/code_cache.h"

#include <algorithm>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/sha256.h"

namespace vta::driver {
namespace {

constexpr size_t kSealBytes = 64;  // of a file the first: the SHA-256 of what follows

}  // namespace

std::string CodeCache::FileOf(std::span<const uint8_t> module) const {
  std::vector<uint8_t> key(made_by_.begin(), made_by_.end());
  key.push_back(0);
  key.insert(key.end(), module.begin(), module.end());
  return StrCat(folder_, "/gpu-", Sha256(key));
}

std::optional<std::vector<uint8_t>> CodeCache::Find(std::span<const uint8_t> module) const {
  std::error_code failed;
  const std::string file = folder_.empty() ? "" : FileOf(module);
  if (file.empty() || !std::filesystem::is_regular_file(file, failed)) return std::nullopt;
  try {
    std::vector<uint8_t> code = ReadFile(file);
    if (code.size() <= kSealBytes) return std::nullopt;
    const std::string seal(code.begin(), code.begin() + kSealBytes);
    code.erase(code.begin(), code.begin() + kSealBytes);
    if (Sha256(code) == seal) return code;
  } catch (const Error&) {
    // It is made anew.
  }
  return std::nullopt;
}

void CodeCache::Keep(std::span<const uint8_t> module, std::span<const uint8_t> code) const {
  if (folder_.empty() || code.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string seal = Sha256(code);
  std::vector<uint8_t> file(seal.begin(), seal.end());
  file.insert(file.end(), code.begin(), code.end());
  try {
    WriteFileAtomically(FileOf(module), file);
  } catch (const Error&) {
    // A folder that cannot be written costs the next load its time, no more.
  }
}

}  // namespace vta::driver
