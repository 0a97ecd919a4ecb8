#include "compiler/llvm/link.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <fstream>
#include <mutex>
#include <string>

#include "isa/support/error.h"
#include "isa/support/temporary.h"

LLD_HAS_DRIVER(elf)

namespace vta::compiler::llvm {

std::vector<uint8_t> Link(std::span<const std::vector<uint8_t>> objects) {
  // lld keeps what it does in globals.
  static std::mutex mutex;
  static bool can_run = true;
  const std::lock_guard lock(mutex);
  if (!can_run) throw Error("", "linker", "", "failed before and cannot run again");
  const Temporary folder(NewTemporaryFolder("vta-link"));
  const std::string out = folder.path() + "/kernels.so";
  std::vector<std::string> files;
  for (const std::vector<uint8_t>& object : objects) {
    const std::string& name =
        files.emplace_back(StrCat(folder.path(), "/kernels", files.size(), ".o"));
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(object.data()),
               static_cast<std::streamsize>(object.size()));
    file.close();
    if (!file) throw Error(name, "object", "", "cannot be written");
  }
  std::vector<const char*> args = {"ld.lld",
                                   "-shared",
                                   "--no-undefined",
                                   "-z",
                                   "text",
                                   "-z",
                                   "noexecstack",
                                   "-z",
                                   "norelro",
                                   "-z",
                                   "rodynamic",
                                   "--build-id=none",
                                   "--gc-sections",
                                   "--hash-style=sysv",
                                   "--strip-all",
                                   "--threads=1",
                                   "--color-diagnostics=never",
                                   "--soname=kernels",
                                   "-o",
                                   out.c_str()};
  for (const std::string& file : files) args.push_back(file.c_str());
  std::string said;
  ::llvm::raw_string_ostream stream(said);
  const lld::Result result =
      lld::lldMain(args, ::llvm::nulls(), stream, {{lld::Gnu, &lld::elf::link}});
  can_run = result.canRunAgain;
  if (result.retCode != 0) throw Error("", "kernels", "", "cannot be linked", stream.str());
  std::ifstream linked(out, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(linked), {}};
  if (bytes.empty()) throw Error(out, "module", "", "cannot be read");
  return bytes;
}

}  // namespace vta::compiler::llvm
