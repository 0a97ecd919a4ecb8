// vta hw lint|area|timing|pnr|selftest|package|bitstream|xclbin|xrt: the RTL of a config under
// Verilator's lint, its size after Yosys, its longest paths, its clock after place and route, and
// files made of it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "driver/serial/tty.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/area/area.h"
#include "tools/area/kept_area.h"
#include "tools/area/predict.h"
#include "tools/timing/calibration.h"
#include "tools/timing/estimates.h"
#include "tools/timing/kept_clocks.h"
#include "tools/timing/predict_clock.h"
#include "tools/timing/report.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/synthesis.h"
#include "tools/vta/hw/bitstream.h"
#include "tools/vta/hw/pnr.h"
#include "tools/vta/hw/selftest.h"
#include "tools/vta/hw/xrt.h"

namespace vta::tools {
namespace {

std::string YosysOn(const isa::Config& config) { return StrCat("yosys on config ", config.name); }

int Lint(const std::string& name, const std::string& board) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  if (!board.empty()) CheckBoard(config, board);
  const Temporary scratch(NewTemporaryFolder("vta-hw"));
  const Progress progress(StrCat("verilator on config ", config.name));
  RunScript("verilator", "lint.sh", config, scratch, board);
  std::printf("config %s: verilator -Wall has nothing to say\n", config.name.c_str());
  return 0;
}

// The part that is named, or else the one that the config's clock is kept for.
const Part& PartFor(const isa::Config& config, const std::string& name) {
  if (!name.empty()) return FindPart(name);
  const std::optional<ClockEstimate> estimate = EstimateOf(config);
  return estimate ? *estimate->part : FindPart("xc7z020");
}

struct AreaOptions {
  bool predict = false, keep = false;
};

int Area(const std::string& name, const std::string& part_name, const AreaOptions& options) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Part& part = PartFor(config, part_name);
  if (options.predict) {
    const ClockPrediction clock = PredictClock(config, part);
    std::printf(
        "%sClock %.0f MHz by the longest path, within %.1f %% of estimates of shipped configs; "
        "%.0f "
        "MHz with the error of\nestimates against it.\n",
        PredictionTable(config, part).c_str(), clock.mhz, 100 * clock.error, clock.with_error_mhz);
    return 0;
  }
  Progress progress(YosysOn(config));
  const CountedArea counted = CountArea(config, part);
  progress.Hide();
  std::printf("%s", AreaTable(config, part, counted.modules).c_str());
  if (options.keep) KeepArea(config, part, counted.modules, counted.yosys);
  return 0;
}

struct TimingOptions {
  std::string netlist;  // empty: synthesise
  int64_t paths = 20;
  bool json = false, keep = false;
};

int Timing(const std::string& name, const std::string& part_name, const TimingOptions& options) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Part& part = PartFor(config, part_name);
  const std::string& file = options.netlist;
  Progress progress(YosysOn(config));
  const auto [netlist, yosys] =
      file.empty() ? Synthesise(config, part)
                   : Synthesised{ReadNetlist(Json::Parse(ReadTextFile(file), file), file), ""};
  progress.Hide();
  const TimingGraph graph = BuildTimingGraph(netlist, FindDelays(part.family));
  const auto shown = static_cast<size_t>(options.paths);
  const std::vector<TimingPath> paths = LongestPaths(graph, shown);
  if (paths.empty())
    throw Error(file.empty() ? config.name : file, "", "", "has no path from register to register");
  const TimingReport report{
      config, part, netlist, graph, paths, shown, TimingError(CalibrationPoints())};
  std::printf(
      "%s", options.json ? (TimingJson(report).Dump() + "\n").c_str() : TimingText(report).c_str());
  if (options.keep)
    (ShippedNameOf(config) ? KeepEstimate : KeepClock)(config, part, report.FmaxMhz(), yosys);
  return 0;
}

int WriteSelftestFiles(const std::string& name, const std::string& folder, int64_t bit_cycles) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  CheckFolder(folder);
  std::filesystem::create_directories(folder);
  WriteSelftest(config, bit_cycles, folder);
  std::printf("config %s: files of vta_selftest in %s\n", config.name.c_str(), folder.c_str());
  return 0;
}

int Pnr(const std::string& name, PnrOptions options) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  if (!options.board.empty()) {
    CheckBoard(config, options.board);
    if (!options.freq_mhz) options.freq_mhz = kBoardMhz;
  }
  if (options.folder.empty()) options.folder = "pnr-" + BitstreamName(config, options);
  CheckFolder(options.folder);
  if (options.jobs == 0) options.jobs = std::max(1u, std::thread::hardware_concurrency());
  return PlaceAndRoute(config, options);
}

std::vector<std::string> Texts(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

CLI::Option* AddBoard(CLI::App& command, std::string& board, const std::string& what) {
  const std::vector<std::string> boards(kPnrBoards.begin(), kPnrBoards.end());
  return command.add_option("--board", board, StrCat(what, ": ", Listed(boards)))
      ->check(OneOf(boards));
}

void AddPnrOptions(CLI::App& pnr, PnrOptions& options) {
  pnr.option_defaults()->group("Placing");
  pnr.add_option("--seeds", options.seeds, "tries, with seeds 1 to this")
      ->check(IntegerFrom(1, 1000))
      ->capture_default_str();
  pnr.add_option(
         "--freq", options.freq_mhz,
         StrCat("MHz to aim at and to reach; without it the board's clock, or ",
                static_cast<int>(kPnrTargetMhz), ", and the floor of the config is to be reached"))
      ->check(NumberFrom(1, 1000, "must be 1 to 1000 MHz"));
  pnr.add_option("--speed", options.speed, "speed grade of the part: 6, 7 or 8")
      ->check(IntegerFrom(6, 8))
      ->capture_default_str();
  const std::vector<std::string> packages(kPnrPackages.begin(), kPnrPackages.end());
  pnr.add_option("--package", options.package, StrCat("package of the part: ", Listed(packages)))
      ->check(OneOf(packages))
      ->capture_default_str();
  WritesFolder(pnr.add_option("-o,--output", options.folder,
                              "folder for bitstream and logs; without it pnr-NAME of the config"));
  pnr.add_option("--jobs", options.jobs, "seeds at a time, 1.1 GB each; without it one a processor")
      ->check(IntegerFrom(1, 1000));
  pnr.option_defaults()->group("Board");
  ReadsFile(pnr.add_option("--lpf", options.pins,
                           "where the board has the pins (LPF); without it anywhere"));
  CLI::Option* const board = AddBoard(pnr, options.board, "the bitstream of this board");
  pnr.add_option("--baud", options.baud, "of the board's serial line, at its 25 MHz")
      ->check(OneOf(Texts(driver::TtySpeeds())))
      ->capture_default_str()
      ->needs(board);
  pnr.add_flag("--selftest", options.selftest,
               "the self-test of vta_selftest instead of the core alone; UART 115,200 at 25 MHz")
      ->excludes(board);
  pnr.option_defaults()->group("Placing");
  pnr.add_flag("--strict", options.strict, "exit with 1 where the clock is not reached");
}

}  // namespace

std::function<int()> AddHwCommand(CLI::App& app) {
  struct Options {
    std::string config = "default", part;
    TimingOptions timing;
    PnrOptions pnr{.jobs = 0};
    std::string selftest_folder;
    int64_t bit_cycles = kBitCycles;
    std::string lint_board;
    AreaOptions area;
    int (*run)(const Options&) = [](const Options& o) { return Lint(o.config, o.lint_board); };
  };
  auto options = std::make_shared<Options>();
  app.require_subcommand(1);
  CLI::App* lint = app.add_subcommand("lint", "check the RTL of a config with Verilator");
  CLI::App* area = app.add_subcommand("area", "LUT, FF, DSP and BRAM of each module, by Yosys");
  CLI::App* timing = app.add_subcommand("timing", "the longest paths and the clock they allow");
  CLI::App* pnr = app.add_subcommand("pnr", "place, route and time it on an ECP5-85F: a bitstream");
  CLI::App* selftest =
      app.add_subcommand("selftest", "write what hw/synth/vta_selftest.sv is made of");
  for (CLI::App* command : {lint, area, timing, pnr, selftest})
    ReadsConfig(command->add_option("-c,--config", options->config,
                                    "accelerator variant: a shipped name or a file"))
        ->capture_default_str();
  for (CLI::App* command : {area, timing})
    command
        ->add_option(
            "--part", options->part,
            StrCat("one of ", Listed(PartNames()),
                   "; without it that of the config in hw/synth/estimates.txt, or xc7z020"))
        ->check(OneOf(PartNames()));
  CLI::Option* predict =
      area->add_flag("--predict", options->area.predict,
                     "in no time, from the designs whose areas are kept, instead of by Yosys");
  area->add_flag(
          "--keep", options->area.keep,
          "keep what the config takes in hw/synth/areas.jsonl, which predictions are made of")
      ->excludes(predict);
  timing->add_option("--paths", options->timing.paths, "how many, one a pair of registers")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  CLI::Option* netlist =
      ReadsFile(timing->add_option("--netlist", options->timing.netlist,
                                   "analyse this file of Yosys' write_json, synthesise nothing"));
  timing
      ->add_flag("--keep", options->timing.keep,
                 "keep the estimate: of a shipped config in hw/synth/estimates.txt, of others in "
                 "hw/synth/clocks.jsonl")
      ->excludes(netlist);
  timing->add_flag("--json", options->timing.json, "print for machines");
  AddBoard(*lint, options->lint_board, "the top of this board instead of the core alone");
  area->callback([options] {
    options->run = [](const Options& o) { return Area(o.config, o.part, o.area); };
  });
  timing->callback([options] {
    options->run = [](const Options& o) { return Timing(o.config, o.part, o.timing); };
  });
  AddPnrOptions(*pnr, options->pnr);
  pnr->callback(
      [options] { options->run = [](const Options& o) { return Pnr(o.config, o.pnr); }; });
  WritesFolder(
      selftest->add_option("-o,--output", options->selftest_folder, "folder for the files"))
      ->required();
  selftest->add_option("--bit-cycles", options->bit_cycles, "clocks a bit of the UART")
      ->check(IntegerFrom(4, 1000000))
      ->capture_default_str();
  selftest->callback([options] {
    options->run = [](const Options& o) {
      return WriteSelftestFiles(o.config, o.selftest_folder, o.bit_cycles);
    };
  });
  auto other = std::make_shared<std::function<int()>>();
  AddBitstreamCommands(app, other);
  AddXrtCommands(app, other);
  return [options, other] { return *other ? (*other)() : options->run(*options); };
}

}  // namespace vta::tools
