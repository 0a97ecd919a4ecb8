// Code that drivers of GPUs have made of modules, kept from one process to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vta::driver {

class CodeCache {
 public:
  /// In a folder, which is made when something is kept; empty: nothing is kept. `made_by`: all that
  /// code depends on besides the module: driver, its version, device, options.
  CodeCache(std::string folder, std::string made_by)
      : folder_(std::move(folder)), made_by_(std::move(made_by)) {}

  /// What was kept of a module; nothing where that is not there, or damaged.
  std::optional<std::vector<uint8_t>> Find(std::span<const uint8_t> module) const;
  /// Where it cannot be kept, it is not.
  void Keep(std::span<const uint8_t> module, std::span<const uint8_t> code) const;

 private:
  std::string FileOf(std::span<const uint8_t> module) const;

  std::string folder_, made_by_;
};

}  // namespace vta::driver
