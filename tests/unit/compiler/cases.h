// The folder of real models beside the checkout, where there is one (VTA_CASES names another).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "isa/support/file.h"
#include "tests/support/files.h"

namespace vta::cases {

inline std::filesystem::path CaseFolder(const std::string& name) {
  return CasesFolder() / "public" / name;
}

template <typename T>
std::vector<T> ReadArray(const std::filesystem::path& path) {
  const std::vector<uint8_t> bytes = ReadFile(path);
  const T* data = reinterpret_cast<const T*>(bytes.data());
  return {data, data + bytes.size() / sizeof(T)};
}

inline std::vector<int64_t> ReadLabels(const std::filesystem::path& path) {
  std::vector<int64_t> labels;
  const std::string text = ReadTextFile(path);
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    labels.push_back(std::stoll(text.substr(at)));
    if (text.find('\n', at) == std::string::npos) break;
  }
  return labels;
}

}  // namespace vta::cases

#define VTA_SKIP_WITHOUT_CASE(name)                             \
  if (!std::filesystem::exists(::vta::cases::CaseFolder(name))) \
  GTEST_SKIP() << "skipped: no case " << ::vta::cases::CaseFolder(name)
