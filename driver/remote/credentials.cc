#include <filesystem>

#include "driver/remote/client.h"
#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::driver::remote {
namespace {

constexpr int64_t kMostCredentialBytes = 1 << 20;

/// Empty where it is not there.
std::string ReadIfThere(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return "";
  return ReadTextFile(path, kMostCredentialBytes);
}

}  // namespace

Credentials ReadCredentials(const std::string& folder) {
  if (folder.empty()) return {};
  const std::filesystem::path path = folder;
  Credentials read{ReadIfThere(path / "token"), ReadIfThere(path / "ca.pem"),
                   ReadIfThere(path / "certificate.pem"), ReadIfThere(path / "key.pem")};
  while (read.token.ends_with('\n')) read.token.pop_back();
  if (read.token.empty() && read.ca.empty())
    throw Error(folder, "", "", "has no token and no ca.pem: it holds no credentials");
  if (read.certificate.empty() != read.key.empty())
    throw Error(folder, "", "", "must have certificate.pem and key.pem, or neither");
  return read;
}

}  // namespace vta::driver::remote
