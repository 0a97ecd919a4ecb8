#include "tools/shared/native_options.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <sstream>

#include "isa/package_set.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/sha256.h"
#include "tools/shared/validators.h"

namespace vta::tools {
namespace {

constexpr size_t kDigits = 64;
constexpr size_t kShown = 100;  // bytes of a line that is none of a list: it may be any file

// As Sha256 writes it; empty where it is none.
std::string Digest(std::string_view text) {
  std::string digest(text);
  for (char& c : digest) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool good =
      digest.size() == kDigits && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? digest : "";
}

CLI::Validator IsDigest() {
  return CLI::Validator(
      [](std::string& text) {
        const std::string digest = Digest(text);
        if (digest.empty()) return text + " must be a SHA-256, 64 hexadecimal digits";
        text = digest;
        return std::string();
      },
      "");
}

// Lines of a digest, two blanks (or a blank and a star), and a name, which says nothing here. A
// line begins with a backslash where the name has characters that sha256sum writes by others.
std::set<std::string> ReadList(const std::string& path) {
  std::set<std::string> digests;
  std::istringstream lines(ReadTextFile(path));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view entry = std::string_view(line).substr(line.starts_with('\\'));
    const std::string digest = Digest(entry.substr(0, kDigits));
    const std::string_view rest = entry.substr(std::min(kDigits, entry.size()));
    if (digest.empty() || rest.size() < 3 || rest[0] != ' ' || (rest[1] != ' ' && rest[1] != '*'))
      throw Error(path, StrCat("line ", number), line.substr(0, kShown),
                  "must be a SHA-256 and a name, as sha256sum prints them");
    digests.insert(digest);
  }
  return digests;
}

}  // namespace

CLI::Option* NativeOptions::AddTo(CLI::App& app) {
  app.option_defaults()->group("Native code");
  app.add_option("--native", native,
                 "whose kernels run: any; those of trusted packages; or refuse all. What is not "
                 "trusted runs in a process of its own. What was compiled here is trusted")
      ->check(OneOf({"any", "trusted", "refuse"}))
      ->capture_default_str();
  CLI::Option* list = app.add_option(
      "--trusted", trusted, "packages that are trusted: lines of SHA-256 and name, by sha256sum");
  CLI::Option* hash =
      app.add_option("--expect-hash", expect_hash,
                     "the package's SHA-256: it is trusted then; another one is refused")
          ->transform(IsDigest());
  pins = {list, hash};
  app.add_flag("--sandbox", sandbox,
               "run kernels in a process that can make no system calls: no files, no network, no "
               "programs");
  app.add_option("--kernel-limit", kernel_limit_s, "seconds that one kernel may run")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"))
      ->capture_default_str();
  return list;
}

isa::Package NativeOptions::Read(const std::string& path, runtime::KernelOptions* kernels,
                                 const Choice& choose) const {
  const std::set<std::string> listed =
      trusted.empty() ? std::set<std::string>() : ReadList(trusted);
  const std::vector<uint8_t> bytes = ReadFile(path);
  std::vector<isa::Package> packages = isa::ParsePackages(bytes, path);
  const auto without_gpu = std::ranges::find(packages, nullptr, &isa::Package::Gpu);
  const size_t chosen = choose                          ? choose(packages)
                        : without_gpu == packages.end() ? 0
                                                        : without_gpu - packages.begin();
  isa::Package package = std::move(packages.at(chosen));
  bool is_trusted = false;
  if (!trusted.empty() || !expect_hash.empty() || native == "trusted") {
    const std::string digest = Sha256(bytes);
    if (!expect_hash.empty() && digest != expect_hash)
      throw Error(path, "SHA-256", digest, StrCat("must be ", expect_hash, ", by --expect-hash"));
    is_trusted = !expect_hash.empty() || listed.contains(digest);
    if (native == "trusted" && !is_trusted && !package.modules.empty())
      throw Error(path, "SHA-256", digest,
                  "is not trusted: neither --expect-hash nor a list, --trusted, has it");
  }
  *kernels = {
      .confinement = is_trusted ? runtime::Confinement::kGuarded : runtime::Confinement::kProcess,
      .limit = std::chrono::nanoseconds(static_cast<int64_t>(kernel_limit_s * 1e9))};
  if (sandbox) kernels->confinement = runtime::Confinement::kSandboxed;
  return package;
}

runtime::KernelOptions NativeOptions::ForCompiled() const {
  for (const CLI::Option* pin : pins)
    if (pin->count() > 0)
      throw UsageError(pin->get_name(), "", "", "is for a package; a model is compiled here");
  return {
      .confinement = sandbox ? runtime::Confinement::kSandboxed : runtime::Confinement::kGuarded,
      .limit = std::chrono::nanoseconds(static_cast<int64_t>(kernel_limit_s * 1e9))};
}

}  // namespace vta::tools
