#include "tools/vta/hw/vivado_project.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "isa/gen/kernel_xml.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "isa/support/temporary.h"
#include "sim/rtl/build.h"
#include "tools/area/kept_area.h"
#include "tools/area/predict.h"
#include "tools/shared/usage.h"
#include "tools/timing/estimates.h"
#include "tools/vta/hw/bitstreams.h"
#include "tools/vta/hw/hls_project.h"
#include "tools/vta/hw/vivado_settings.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostAxi3Beats = 16;

Error Unfit(const isa::Config& config, const Board& board, const std::string& what,
            const std::string& value, const std::string& rule) {
  return {StrCat("config ", config.name, " on board ", board.name), what, value, rule};
}

// The resource of which a config takes more than the part offers.
void RequireResources(const isa::Config& config, const Board& board, const Resources& takes,
                      const std::string& by) {
  const Resources& offers = board.part->offers;
  for (const ResourceKind& kind : kResourceKinds)
    if (takes.*kind.of > offers.*kind.of)
      throw Unfit(
          config, board, std::string(kind.name), fmt::format("{:.1f}", takes.*kind.of),
          fmt::format("the part {} offers {:.0f} ({})", board.part->name, offers.*kind.of, by));
}

std::string BeatsWarning(const isa::Config& config, const Board& board) {
  return fmt::format(
      "warning: bursts of {} beats on port {}: AXI3 has {} at most, so each is split",
      config.uarch.max_burst_beats, board.memory_port, kMostAxi3Beats);
}

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  WriteFileAtomically(path.string(), text);
}

// The design's files, as they are named below the project: rtl/vta_core.sv.
std::vector<std::string> WriteRtl(const isa::Config& config, const fs::path& folder) {
  const std::string sources = sim::HardwareSources();
  std::vector<std::string> files = {"rtl/vta_pkg.sv"};
  Write(folder / files.front(), isa::SystemVerilogPackage(config));
  constexpr std::string_view kFolder = "hw/", kDesign = "hw/rtl/";
  for (const std::string& file : sim::DesignFiles(sources)) {
    if (!file.starts_with(kDesign)) continue;
    files.push_back(file.substr(kFolder.size()));
    Write(folder / files.back(), ReadTextFile(StrCat(sources, "/", file)));
  }
  return files;
}

// Those of every project, and those of its kind.
void WriteScripts(Source source, const fs::path& folder) {
  for (const std::string& kind :
       {std::string(), std::string(source == Source::kHls ? "/hls" : "/rtl")})
    for (const auto& entry : fs::directory_iterator(ShippedPath("bitstreams/vivado" + kind))) {
      if (entry.is_directory()) continue;
      const fs::path to = folder / entry.path().filename();
      Write(to, ReadTextFile(entry.path()));
      fs::permissions(to, fs::status(entry.path()).permissions());
    }
}

// Where the project goes: what a link leads to, without a slash at the end.
fs::path Target(const std::string& folder) {
  fs::path path = fs::path(LinkTarget(folder)).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && !fs::is_empty(path, ignored))
    throw Error(folder, "", "", "is a folder that is not empty");
  return path;
}

}  // namespace

std::vector<std::string> CheckFits(const isa::Config& config, const std::string& named,
                                   const Board& board, Source source) {
  const isa::Uarch& uarch = config.uarch;
  const std::vector<int64_t>& widths = board.memory_widths_bits;
  if (std::ranges::find(widths, uarch.bus_bits) == widths.end())
    throw Unfit(
        config, board, "uarch.bus_bits", std::to_string(uarch.bus_bits),
        fmt::format("must be a width of port {}: {}", board.memory_port, fmt::join(widths, ", ")));
  if (uarch.clock_mhz > board.most_clock_mhz)
    throw Unfit(
        config, board, "uarch.clock_mhz", std::to_string(uarch.clock_mhz),
        fmt::format("port {} takes {} MHz at most", board.memory_port, board.most_clock_mhz));
  if (source == Source::kHls) CheckHls(config, board);
  std::vector<std::string> warnings;
  if (board.memory_protocol == "AXI3" && uarch.max_burst_beats > kMostAxi3Beats)
    warnings.push_back(BeatsWarning(config, board));
  RequireResources(config, board, LeastResources(config), "products and scratchpads alone");
  if (source == Source::kHls) return warnings;  // what follows was estimated of the RTL
  if (const auto area = AreaEstimateOf(config, *board.part))
    RequireResources(config, board, area->resources, "by Yosys " + area->yosys);
  else
    warnings.push_back(StrCat("warning: whether it fits is not known: vta hw area -c ", named,
                              " --part ", board.part->name, " says so"));
  const std::optional<ClockEstimate> clock = EstimateOf(config);
  if (clock && clock->part == board.part && !ClockNote(*clock).empty())
    warnings.push_back(ClockNote(*clock));
  return warnings;
}

void WriteVivadoProject(const isa::Config& config, const Board& board, Source source,
                        const std::string& folder) {
  const fs::path target = Target(folder);
  const Temporary made(StrCat(target.string(), ".part-", getpid()));
  const fs::path path = made.path();
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) throw Error(folder, "cannot create", "", failed.message());
  const bool is_rtl = source == Source::kRtl;
  const std::vector<std::string> rtl = is_rtl ? WriteRtl(config, path) : WriteHls(config, path);
  if (is_rtl) Write(path / "kernel.xml", isa::KernelXml(config));
  Write(path / "config.json", isa::ConfigToJson(config));
  Write(path / "settings.tcl", VivadoSettings(config, board, source, rtl));
  Write(path / "project.json", ProjectJson(config, board, source));
  WriteScripts(source, path);
  fs::rename(path, target, failed);
  if (failed) throw Error(folder, "cannot create", "", failed.message());
}

}  // namespace vta::tools
