#include "driver/remote/client.h"

#include <dlfcn.h>

#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"

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

void* RemoteModuleSymbol(const char* name) {
  static void* const library = [] {
    const std::string file = ShippedLibrary(kModuleFile);
    void* const loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded) throw Error(file, "", "", StrCat("cannot be loaded: ", dlerror()));
    return loaded;
  }();
  void* const symbol = dlsym(library, name);
  if (!symbol) throw Error(kModuleFile, "", name, "is missing: the library is of another build");
  return symbol;
}

std::unique_ptr<Client> Connect(const Address& address, const Credentials& credentials,
                                const std::string& build) {
  const auto connect = reinterpret_cast<ConnectFunction*>(RemoteModuleSymbol(kConnectSymbol));
  return std::unique_ptr<Client>(connect(address, credentials, build));
}

}  // namespace vta::driver::remote
