#include "sim/rtl/build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/shipped.h"
#include "isa/support/temporary.h"
#include "sim/rtl/shell.h"
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

// Holds others off while one process builds a model. The tools inherit it: where the process is
// killed, the next one waits until what it started has ended too.
class FileLock {
 public:
  FileLock(const std::string& path, const std::function<void(const std::string&)>& on_wait)
      : file_(open(path.c_str(), O_CREAT | O_RDWR, 0644)) {
    if (file_ < 0) throw Error(path, "cannot open", "", std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (on_wait) on_wait("waiting for another process that builds the model");
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { close(file_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

void RequireTools() {
  for (const char* tool : {"verilator", "make", "c++"})
    if (!RunShell(StrCat("command -v ", tool, " >/dev/null 2>&1")))
      throw Error("engine rtl", tool, "",
                  "is not installed; on Debian: apt-get install verilator make g++");
}

// Without links, from the root: the tools run in another folder.
std::string WholePath(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder, error);
  if (error) throw Error(folder, "", "", "cannot be read: " + error.message());
  return fs::absolute(path).string();
}

// Verilator's makefile is read by make, for which a space ends a name.
void RefuseSpaces(const std::string& folder) {
  if (folder.find_first_of(" \t\n") != std::string::npos)
    throw Error(
        folder, "Verilator model", "",
        "cannot be built in a folder with a space in its name; VTA_CACHE_DIR may name another");
}

// Where a build fails because there is no room, its tools say anything but that.
// Errors: throws Error naming the folder and the system's reason.
void RequireRoom(const std::string& folder) {
  constexpr size_t kBytes = 1 << 20;
  try {
    WriteFileAtomically(folder + "/room", std::string(kBytes, ' '));
  } catch (const Error& error) {
    throw Error(fs::path(folder).parent_path().string(), "Verilator model", "",
                "cannot be built there: " + error.rule());
  }
}

// A model in the cache ends with a hash of all before it: what was cut off or overwritten would
// crash whoever runs it. Loaders read nothing behind the sections.
constexpr std::string_view kSealMark = "\nvta model ";

std::string Seal(std::span<const uint8_t> model) {
  return StrCat(kSealMark, Hex(Hasher().Bytes(model).value(), 16));
}

bool IsWhole(const std::string& path) {
  if (!fs::exists(path)) return false;
  const std::vector<uint8_t> file = ReadFile(path);
  const size_t seal = Seal({}).size();
  if (file.size() < seal) return false;
  const std::span model = std::span(file).first(file.size() - seal);
  return std::ranges::equal(std::span(file).last(seal), Seal(model));
}

std::string Tail(const std::string& text) {
  constexpr size_t kBytes = 2000;
  return text.size() <= kBytes ? text : "..." + text.substr(text.size() - kBytes);
}

}  // namespace

std::string CacheDir(const ModelOptions& options) {
  if (!options.cache_dir.empty()) return options.cache_dir;
  if (std::string dir = Environment("VTA_CACHE_DIR"); !dir.empty()) return dir;
  if (std::string dir = Environment("XDG_CACHE_HOME"); !dir.empty()) return dir + "/vta";
  if (std::string dir = Environment("HOME"); !dir.empty()) return dir + "/.cache/vta";
  return TemporaryRoot() + "/vta";
}

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
  const std::string source_dir = HardwareSources(options), cache_dir = WholePath(CacheDir(options));
  const std::string script = BuildScript(config, options, source_dir);
  const std::string name = Hex(SourcesHash(config, options, source_dir, script), 16).substr(2);
  const std::string path = StrCat(cache_dir, "/rtl-", name, ".so");
  if (IsWhole(path)) return path;

  RefuseSpaces(cache_dir);
  std::error_code error;
  fs::create_directories(cache_dir, error);
  if (error) throw Error(cache_dir, "", "", "cannot be made: " + error.message());
  const FileLock lock(StrCat(cache_dir, "/rtl-", name, ".lock"), options.on_wait);
  if (IsWhole(path)) return path;
  RequireTools();
  const std::string log = StrCat(cache_dir, "/rtl-", name, ".log");
  if (options.on_wait)
    options.on_wait(StrCat("building the Verilator model of config ", config.name, ", log ", log));
  const Temporary work(StrCat(cache_dir, "/rtl-", name, ".build"));
  fs::remove_all(work.path(), error);  // of a build that was killed
  fs::create_directories(work.path());
  WriteFileAtomically(work.path() + "/vta_pkg.sv", isa::SystemVerilogPackage(config));
  const auto run = [&](const std::string& commands, const char* redirection) {
    WriteFileAtomically(work.path() + "/build.sh", commands);
    if (RunShell(StrCat("cd ", ShellQuoted(work.path()), " && SOURCE=", ShellQuoted(source_dir),
                        " sh -x ./build.sh ", redirection, ShellQuoted(log), " 2>&1")))
      return;
    RequireRoom(work.path());
    throw Error(StrCat("config ", config.name), "Verilator model", "",
                StrCat("the build failed; its log is ", log), ":\n" + Tail(ReadTextFile(log)));
  };
  run(script, ">");
  if (IsTrained(options)) {
    Train(config, work.path() + "/model.so");
    run(TrainedScript(), ">>");
  }
  std::vector<uint8_t> model = ReadFile(work.path() + "/model.so");
  const std::string seal = Seal(model);
  model.insert(model.end(), seal.begin(), seal.end());
  WriteFileAtomically(path, model);
  return path;
}

}  // namespace vta::sim
