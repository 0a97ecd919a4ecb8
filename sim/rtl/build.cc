#include "sim/rtl/build.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/shipped.h"
#include "sim/build/once.h"
#include "sim/build/shell.h"
#include "sim/rtl/training.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

// Arrays beyond this many MACs get a module a lane: verilating them flat takes minutes.
constexpr int64_t kFlatMacs = 512;
constexpr char kCoverageDir[] = "VTA_COVERAGE_DIR", kBuildKind[] = "VTA_RTL_BUILD";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The files of a model, from the top of the sources.
std::vector<std::string> ModelFiles(const std::string& source_dir, const ModelOptions& options) {
  std::vector<std::string> files = DesignFiles(source_dir);
  if (options.top)
    files.insert(files.end(), options.top->files.begin(), options.top->files.end());
  else
    files.push_back("sim/rtl/model/vta_sim.sv");
  return files;
}

// What this machine has beyond the least of its kind, a tenth of the time: it stands in the script,
// so a machine without it finds no model that needs it. The tuning runs everywhere, and is worth a
// twentieth where that was measured, on Zen 4: samples of a run pile up behind instructions that
// read a byte and calculate with it, and with this there are fewer.
std::string MachineFlags() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return " -mavx2 -mbmi -mbmi2 -mtune=znver3";
#endif
  return "";
}

bool IsQuick(const ModelOptions& options) {
  return options.quick || Environment(kBuildKind) == "quick";
}

bool IsTrained(const ModelOptions& options) {
  return !IsQuick(options) && !options.waves && !options.top && Environment(kCoverageDir).empty();
}

// The code of a cycle hardly fits the instruction cache as it is: nothing is padded.
std::string FastFlags(const std::string& more) {
  return StrCat(
      "OPT_FAST='-O2 -falign-functions=1 -falign-jumps=1 -falign-loops=1 -falign-labels=1",
      MachineFlags(), " -include ../extend.h", more, "' OPT_SLOW=-O1");
}

// The generated files, and all together; make's flags and those of the link.
std::string Compile(const std::string& flags, const std::string& link) {
  return StrCat("make -s -C obj -f Vvta.mk -j2 Vvta__ALL.a ", flags,
                "\nc++ -shared -Wl,-Bsymbolic *.o obj/Vvta__ALL.a -o model.so -pthread", link,
                "\n");
}

// One shell script, so that the log says how to do it again. It names no place, so that equal
// sources in two places share their models.
std::string BuildScript(const isa::Config& config, const ModelOptions& options,
                        const std::string& source_dir) {
  std::string flags = "--cc --assert --x-assign fast --x-initial fast -O3 -Wno-fatal";
  std::string defines;
  if (config.macs_per_cycle() > kFlatMacs) flags += " -DVTA_SPLIT_LANES";
  if (options.waves) {
    flags += " --trace-fst --trace-structs";
    defines += " -DVTA_WAVES";
  }
  const bool coverage = !Environment(kCoverageDir).empty();
  if (coverage) {
    flags += " --coverage";
    defines += " -DVTA_COVERAGE -DVM_COVERAGE=1";
  }
  if (options.top) {
    flags += options.top->flags;
    defines += " -DVTA_BENCH";
  }
  std::string files;
  for (const std::string& file : ModelFiles(source_dir, options)) files += " \"$SOURCE\"/" + file;
  const std::string wave_libraries = options.waves ? " -lz" : "";
  std::string script = "set -e\n";
  script += StrCat(
      "verilator ", flags, " --top-module ", options.top ? options.top->module : "vta_sim",
      " --prefix Vvta -Mdir obj -CFLAGS '-fPIC -fno-plt -O2' \"$SOURCE\"/hw/synth/waivers.vlt "
      "vta_pkg.sv",
      files, "\n");
  script += "cp \"$SOURCE\"/sim/rtl/model/extend.h .\n";
  // Files that are the same in every model come from the compiler cache, where there is one.
  script += "export OBJCACHE=$(command -v ccache || true)\n";
  script += "root=$(verilator --getenv VERILATOR_ROOT)\n";
  script += StrCat(
      "for file in \"$SOURCE\"/sim/rtl/model/glue.cc $root/include/verilated.cpp "
      "$root/include/verilated_threads.cpp",
      options.waves ? " $root/include/verilated_fst_c.cpp" : "",
      coverage ? " $root/include/verilated_cov.cpp" : "", "; do\n");
  script +=
      StrCat("$OBJCACHE c++ -std=c++17 -O2 -fPIC -fno-plt -DVL_USER_STOP -DVL_USER_FATAL", defines,
             " -Iobj -I\"$SOURCE\" -I$root/include -I$root/include/vltstd -c \"$file\" "
             "-o $(basename \"$file\").o\ndone\n");
  if (IsQuick(options))  // one file: half the work
    return script + Compile("VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_SLOW=-O0", wave_libraries);
  if (coverage) return script + Compile("OPT_FAST=-O1 OPT_SLOW=-O0", wave_libraries);
  if (!IsTrained(options)) return script + Compile(FastFlags(""), wave_libraries);
  // What counts, and what counted, belongs to its place: nothing for a cache.
  return script + "export OBJCACHE=\n" +
         Compile(FastFlags(" -fprofile-generate"), " -lgcov -Wl,-u,__gcov_dump");
}

// The second compilation, of what has counted. Copies of blocks along hot paths (GCC's tracer) cost
// more than they save: the code of a cycle hardly fits the instruction cache as it is.
std::string TrainedScript() {
  return StrCat("set -e\nls obj/*.gcda\nrm obj/*.o obj/*.a\nexport OBJCACHE=\n",
                Compile(FastFlags(" -fprofile-use -fno-tracer"), ""));
}

uint64_t SourcesHash(const isa::Config& config, const ModelOptions& options,
                     const std::string& source_dir, const std::string& script) {
  Hasher hasher;
  hasher.Text(isa::SystemVerilogPackage(config)).Text(script);
  if (IsTrained(options)) hasher.Text(TrainedScript()).Bytes(MakeTrainingLaunch(config).dram);
  for (const std::string& file : ModelFiles(source_dir, options))
    hasher.Text(ReadTextFile(source_dir + "/" + file));
  for (const char* file : {"/hw/synth/waivers.vlt", "/sim/rtl/model/abi.h",
                           "/sim/rtl/model/extend.h", "/sim/rtl/model/glue.cc"})
    hasher.Text(ReadTextFile(source_dir + file));
  return hasher.value();
}

void RequireTools() {
  for (const char* tool : {"verilator", "make", "c++"})
    if (!RunShell(StrCat("command -v ", tool, " >/dev/null 2>&1")))
      throw Error("engine rtl", tool, "",
                  "is not installed; on Debian: apt-get install verilator make g++");
}

// Verilator's makefile is read by make, for which a space ends a name.
void RefuseSpaces(const std::string& folder) {
  if (folder.find_first_of(" \t\n") != std::string::npos)
    throw Error(
        folder, "Verilator model", "",
        "cannot be built in a folder with a space in its name; VTA_CACHE_DIR may name another");
}

}  // namespace

std::string CacheDir(const ModelOptions& options) { return CacheFolder(options.cache_dir); }

std::string HardwareSources(const ModelOptions& options) {
  if (!options.source_dir.empty()) return options.source_dir;
  constexpr std::string_view kList = "/hw/vta.f";
  const std::string list = ShippedPath(kList.substr(1));
  return list.substr(0, list.size() - kList.size());
}

std::vector<std::string> DesignFiles(const std::string& source_dir) {
  std::vector<std::string> files;
  const std::string list = ReadTextFile(source_dir + "/hw/vta.f");
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find('\n', at), list.size());
    const std::string line = list.substr(at, end - at);
    if (!line.empty() && line[0] != '#') files.push_back("hw/" + line);
    at = end + 1;
  }
  return files;
}

std::string BuildModel(const isa::Config& config, const ModelOptions& options) {
  if (!options.model.empty()) return options.model;
  isa::CheckHardware(config, config.name);
  if (const std::string dir = Environment(kCoverageDir); !dir.empty() && !fs::is_directory(dir))
    throw Error(kCoverageDir, "", dir, "is not a folder");
  if (const std::string kind = Environment(kBuildKind);
      !kind.empty() && kind != "quick" && kind != "fast")
    throw Error(kBuildKind, "", kind, "must be quick or fast");
  const std::string source_dir = HardwareSources(options);
  const std::string script = BuildScript(config, options, source_dir);
  RefuseSpaces(WholePath(CacheDir(options)));
  return BuildOnce({.kind = "rtl",
                    .title = "Verilator model",
                    .subject = StrCat("config ", config.name),
                    .hash = SourcesHash(config, options, source_dir, script),
                    .cache_dir = options.cache_dir,
                    .on_wait = options.on_wait},
                   [&](const Builder& builder) {
                     RequireTools();
                     builder.Write("vta_pkg.sv", isa::SystemVerilogPackage(config));
                     builder.Run(source_dir, script);
                     if (!IsTrained(options)) return;
                     Train(config, builder.folder() + "/model.so");
                     builder.Run(source_dir, TrainedScript());
                   });
}

}  // namespace vta::sim
