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

constexpr const char* kSources[] = {
    "hw/hls/vta_fetch.cc", "hw/hls/vta_load.cc",     "hw/hls/vta_compute.cc",
    "hw/hls/vta_store.cc", "hw/hls/vta_monitor.cc",  "hw/hls/vta.h",
    "hw/hls/vta_state.h",  "hw/hls/vta_module.h",    "hw/hls/vta_transfer.h",
    "hw/hls/vta_alu.h",    "sim/hls/model/shell.cc", "sim/hls/model/hls_stream.h",
    "sim/hls/model/abi.h", "sim/hls/model/cost.h"};

// It stands in the script, so a machine without it finds no object that needs it.
std::string MachineFlags() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return " -mavx2";
#endif
  return "";
}

// The kernels' pragmas become what cost.h says of them. With the vendor's headers the files stay
// what a synthesis tool reads, and take no more than a call.
std::string BuildScript(const std::string& headers) {
  const bool ours = headers.empty();
  const std::string kernels = ours ? R"(sed -E \
    -e 's/^#pragma HLS PIPELINE II=([A-Za-z0-9]+)$/vta_cost_of_call.interval(\1);/' \
    -e 's/^ *(read_burst|write_burst|micro_ops|pads)(_[a-z]+)?:$/vta_cost_of_call.\1();/')"
                                   : "cat";
  // The vendor's streams are those for threads: of the others an empty one gives a word. What is
  // unique in a process would not be one machine's own.
  const std::string kind =
      ours ? StrCat("-O3", MachineFlags(), " -I\"$SOURCE\"/sim/hls/model")
           : StrCat(
                 "-O1 -fsanitize=undefined -fno-sanitize-recover=all -fno-gnu-unique "
                 "-Wall -Wextra -Werror -Wno-unused-label -DHLS_STREAM_THREAD_SAFE -isystem '",
                 std::filesystem::absolute(headers).string(), "'");
  return StrCat(R"(set -e
export OBJCACHE=$(command -v ccache || true)
mkdir -p hw/hls
for file in "$SOURCE"/hw/hls/*.h "$SOURCE"/hw/hls/*.cc; do
  )",
                kernels, R"( "$file" > hw/hls/$(basename "$file")
done
for file in hw/hls/*.cc "$SOURCE"/sim/hls/model/shell.cc; do
  $OBJCACHE c++ -std=c++14 )",
                kind, R"( -fPIC -fno-exceptions -Wno-unknown-pragmas -I. -I"$SOURCE" \
    -include "$SOURCE"/sim/hls/model/cost.h -c "$file" -o $(basename "$file").o
done
c++ -shared )",
                ours ? "" : "-fsanitize=undefined ", R"(-Wl,-Bsymbolic *.o -o model.so
)");
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
  for (const char* file : kSources) hasher.Text(ReadTextFile(source_dir + "/" + file));
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
