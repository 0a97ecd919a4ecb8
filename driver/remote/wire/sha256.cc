#include "driver/remote/wire/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "isa/support/error.h"

namespace vta::driver::remote {

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  VTA_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256Stream::Add(std::span<const uint8_t> bytes) {
  VTA_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256Stream::Digest() {
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest = {};
  unsigned size = 0;
  VTA_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += Hex(digest[i], 2).substr(2);
  return text;
}

std::string QuickSha256(std::span<const uint8_t> bytes) {
  Sha256Stream stream;
  stream.Add(bytes);
  return stream.Digest();
}

}  // namespace vta::driver::remote
