#include "tools/vta/host_kernels.h"

#include "compiler/compile.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

/// A package of some kilobytes must not take the whole machine.
constexpr int64_t kMostLocalBytes = int64_t{1} << 30;

}  // namespace

std::vector<std::string_view> SplitFunctions(std::span<const uint8_t> host) {
  constexpr std::string_view kStart = "\nfunc ";
  std::string_view text(reinterpret_cast<const char*>(host.data()), host.size());
  std::vector<std::string_view> functions;
  while (!text.empty()) {
    const size_t next = text.find(kStart);
    const size_t end = next == std::string_view::npos ? text.size() : next + 1;
    functions.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return functions;
}

HostKernels::HostKernels(const isa::Package& package, const std::string& file) {
  if (package.host_format != compiler::kHostFormat)
    throw Error(file, "host_format", package.host_format,
                StrCat("this tool runs \"", compiler::kHostFormat, "\""));
  int64_t local_bytes = 0;
  for (std::string_view function : SplitFunctions(package.host)) {
    try {
      const compiler::loop::Function parsed = compiler::loop::Parse(function);
      compiler::loop::Verify(parsed);
      const int64_t bytes = compiler::loop::LocalBytes(parsed);
      if (bytes > kMostLocalBytes - local_bytes)
        throw Error(StrCat("func ", parsed.name), "local buffers", StrCat(bytes, " bytes"),
                    StrCat("those of all kernels must be at most ", kMostLocalBytes, " bytes"));
      local_bytes += bytes;
      if (!kernels_.try_emplace(parsed.name, compiler::loop::Interpreter(parsed)).second)
        throw Error("", "func", parsed.name, "stands twice");
    } catch (const Error& e) {
      throw e.In(StrCat(file, ": host section"));
    }
  }
}

bool HostKernels::Has(const std::string& kernel) const { return kernels_.contains(kernel); }

bool HostKernels::Run(const std::string& kernel, std::span<const std::span<uint8_t>> arguments,
                      Deadline deadline) {
  std::vector<std::span<std::byte>> bytes;
  for (std::span<uint8_t> argument : arguments) bytes.push_back(std::as_writable_bytes(argument));
  return kernels_.at(kernel).Run(bytes, deadline);
}

}  // namespace vta::tools
