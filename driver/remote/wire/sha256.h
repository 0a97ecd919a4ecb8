// SHA-256 by OpenSSL, which has the CPU's instructions for it: packages are large.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace vta::driver::remote {

class Sha256Stream {
 public:
  Sha256Stream();
  void Add(std::span<const uint8_t> bytes);
  /// As sha256sum prints it; nothing is added any more.
  std::string Digest();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string QuickSha256(std::span<const uint8_t> bytes);

}  // namespace vta::driver::remote
