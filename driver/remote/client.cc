#include "driver/remote/client.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "isa/support/error.h"
#include "isa/support/shipped.h"

namespace vta::driver::remote {

std::string ThisHolder() {
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"?"};
  const char* const user = std::getenv("USER");
  return StrCat(user ? StrCat(user, "@") : "", host.data(), " process ", getpid());
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
