#include "sim/hls/build.h"

#include <filesystem>

#include "isa/gen/c_header.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/shipped.h"
#include "sim/build/once.h"
#include "sim/build/shell.h"

namespace vta::sim {
namespace {

constexpr const char* kKernels[] = {"fetch", "load", "compute", "store", "monitor"};
constexpr const char* kHeaders[] = {
    "hw/hls/vta.h",          "hw/hls/vta_state.h",         "hw/hls/vta_module.h",
    "hw/hls/vta_transfer.h", "sim/hls/model/hls_stream.h", "sim/hls/model/abi.h"};
constexpr char kShell[] = "sim/hls/model/shell.cc";

std::vector<std::string> Sources() {
  std::vector<std::string> files = {kShell};
  for (const char* kernel : kKernels) files.push_back(StrCat("hw/hls/vta_", kernel, ".cc"));
  return files;
}

// It stands in the script, so a machine without it finds no object that needs it.
std::string MachineFlags() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return " -mavx2";
#endif
  return "";
}

std::string BuildScript(const std::string& headers) {
  // The vendor's streams are those for threads: of the others an empty one gives a word. What is
  // unique in a process would not be one machine's own.
  const std::string kind =
      headers.empty()
          ? StrCat(" -O3", MachineFlags(), " -I\"$SOURCE\"/sim/hls/model")
          : StrCat(
                " -O1 -fsanitize=undefined -fno-sanitize-recover=all -fno-gnu-unique "
                "-Wall -Wextra -Werror -Wno-unused-label -DHLS_STREAM_THREAD_SAFE -isystem '",
                std::filesystem::absolute(headers).string(), "'");
  std::string script = "set -e\nexport OBJCACHE=$(command -v ccache || true)\n";
  script += "for file in";
  for (const std::string& file : Sources()) script += StrCat(" ", file);
  script +=
      StrCat("; do\n$OBJCACHE c++ -std=c++14", kind,
             " -fPIC -fno-exceptions -Wno-unknown-pragmas -I. -I\"$SOURCE\" -c \"$SOURCE\"/$file "
             "-o $(basename $file).o\ndone\n");
  return script + StrCat("c++ -shared", headers.empty() ? "" : " -fsanitize=undefined",
                         " -Wl,-Bsymbolic *.o -o model.so\n");
}

}  // namespace

std::string BuildHls(const isa::Config& config, const HlsBuild& options) {
  isa::CheckHardware(config, config.name);
  std::string source_dir = options.source_dir;
  if (source_dir.empty()) {
    constexpr std::string_view kHeader = "/hw/hls/vta.h";
    const std::string header = ShippedPath(kHeader.substr(1));
    source_dir = header.substr(0, header.size() - kHeader.size());
  }
  const std::string header = isa::CHeader(config), script = BuildScript(options.headers);
  Hasher hasher;
  hasher.Text(header).Text(script);
  for (const std::string& file : Sources()) hasher.Text(ReadTextFile(source_dir + "/" + file));
  for (const char* file : kHeaders) hasher.Text(ReadTextFile(source_dir + "/" + file));
  if (!options.headers.empty()) hasher.Text(ReadTextFile(options.headers + "/hls_stream.h"));
  return BuildOnce({.kind = "hls",
                    .title = "HLS model",
                    .subject = StrCat("config ", config.name),
                    .hash = hasher.value(),
                    .cache_dir = options.cache_dir,
                    .on_wait = options.on_wait},
                   [&](const Builder& builder) {
                     if (!RunShell("command -v c++ >/dev/null 2>&1"))
                       throw Error("engine hls", "c++", "",
                                   "is not installed; on Debian: apt-get install g++");
                     builder.Write("vta_config.h", header);
                     builder.Run(source_dir, script);
                   });
}

}  // namespace vta::sim
