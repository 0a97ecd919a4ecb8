#include "tools/farm/link.h"

#include <filesystem>

#include "driver/library.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"

namespace vta::farm {
namespace {

namespace remote = driver::remote;

constexpr std::string_view kPlain = "nats://", kSecure = "tls://";
constexpr int64_t kMostKeyBytes = 4096;

std::string TrimmedFile(const std::filesystem::path& path) {
  std::string text = ReadTextFile(path, kMostKeyBytes);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string Access::Name() const { return StrCat(tls ? kSecure : kPlain, address.HostPort()); }

Access ParseAccess(const std::string& url, const std::string& credentials,
                   const std::string& where) {
  Access access;
  access.tls = url.starts_with(kSecure);
  if (url.find('@') != std::string::npos)
    throw Error(where, "", "",
                "must hold no user and no token, which others would see in the list of "
                "processes: --credentials names a folder with what is shown");
  if (!access.tls && !url.starts_with(kPlain))
    throw Error(where, "", url, StrCat("must be ", kUrlUsage));
  try {
    access.address =
        remote::ParseHostPort(url.substr((access.tls ? kSecure : kPlain).size()), where);
  } catch (const Error& error) {
    throw Error(where, "", url, error.rule());
  }
  if (access.address.port == 0) throw Error(where, "", url, "must name a port, 1 to 65535");
  const std::filesystem::path folder = credentials;
  std::error_code ignored;
  if (!credentials.empty() && std::filesystem::exists(folder / "nkey", ignored)) {
    access.nkey = TrimmedFile(folder / "nkey");
    access.nkey_seed_file = folder / "nkey.seed";
    if (!std::filesystem::exists(access.nkey_seed_file, ignored))
      throw Error(credentials, "", "", "must have nkey.seed beside nkey");
    if (!std::filesystem::exists(folder / "ca.pem", ignored)) return access;
  }
  access.credentials = remote::ReadCredentials(credentials);
  access.tls = access.tls || !access.credentials.ca.empty();
  return access;
}

std::unique_ptr<Link> Connect(const Access& access, const std::string& who,
                              std::chrono::seconds patience) {
  static ConnectFunction* const connect = [] {
    const driver::Library library(ShippedLibrary(kModuleFile), "the library is of another build");
    ConnectFunction* found = nullptr;
    library.Find(found, kConnectSymbol);
    return found;
  }();
  return std::unique_ptr<Link>(connect(access, who, patience));
}

}  // namespace vta::farm
