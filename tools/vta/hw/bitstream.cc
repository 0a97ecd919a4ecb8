// vta hw package: a Vivado project for a board, or the manifest of the boards' bitstreams.
// vta hw bitstream: which bitstream a package runs on.
#include "tools/vta/hw/bitstream.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "isa/gen/systemverilog.h"
#include "isa/package.h"
#include "isa/support/error.h"
#include "isa/support/shipped.h"
#include "tools/shared/log.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/hw/bitstreams.h"
#include "tools/vta/hw/vivado_project.h"

namespace vta::tools {
namespace {

CLI::Option* AddBoard(CLI::App& command, std::string& board) {
  return command.add_option("--board", board, "the board: a folder of bitstreams/boards");
}

struct PackageOptions {
  std::string board, config, folder;
  bool manifest = false, hls = false;
};

int WriteProject(const PackageOptions& options) {
  if (options.manifest) {
    std::fputs(ManifestText().c_str(), stdout);
    return 0;
  }
  const Board board = FindBoard(options.board);
  const std::string& name = options.config.empty() ? board.config : options.config;
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Source source = options.hls ? Source::kHls : Source::kRtl;
  CheckFolder(options.folder);
  for (const std::string& warning : CheckFits(config, name, board, source))
    Log(LogLevel::kWarning, warning);
  WriteVivadoProject(config, board, source, options.folder);
  std::printf("config %s on board %s: project in %s; where %s installed, run %s\n",
              config.name.c_str(), board.name.c_str(), options.folder.c_str(),
              options.hls ? "Vitis HLS and Vivado are" : "Vivado is",
              (std::filesystem::path(options.folder) / "build.sh").c_str());
  return 0;
}

void AddPackage(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen) {
  auto options = std::make_shared<PackageOptions>();
  CLI::App* command =
      hw.add_subcommand("package", "write a Vivado project that builds a board's bitstream");
  CLI::Option* board = AddBoard(*command, options->board);
  CLI::Option* config = ReadsConfig(command->add_option(
      "-c,--config", options->config,
      "accelerator variant: a shipped name or a file; without it the one that fits the board"));
  CLI::Option* folder = WritesFolder(
      command->add_option("-o,--output", options->folder, "folder for it, new or empty"));
  CLI::Option* hls =
      command->add_flag("--hls", options->hls,
                        "of the kernels for high-level synthesis (hw/hls) in place of the RTL");
  command
      ->add_flag("--manifest", options->manifest,
                 "print the manifest of all boards' bitstreams (bitstreams/manifest.json)")
      ->excludes(board)
      ->excludes(config)
      ->excludes(folder)
      ->excludes(hls);
  command->callback([options, chosen, board, folder] {
    for (const CLI::Option* needed : {board, folder})
      if (!options->manifest && needed->count() == 0) throw CLI::RequiredError(needed->get_name());
    *chosen = [options] { return WriteProject(*options); };
  });
}

struct BitstreamOptions {
  std::string board, config, package, manifest;
};

int PrintBitstream(const BitstreamOptions& options) {
  const std::string manifest =
      options.manifest.empty() ? ShippedPath("bitstreams/manifest.json") : options.manifest;
  const Board board = FindBoard(options.board);
  isa::Config config;
  if (options.package.empty()) {
    config = FindConfig(options.config.empty() ? board.config : options.config);
  } else {
    const isa::Package package = isa::ReadPackage(options.package);
    if (!package.config)
      throw Error(options.package, "", "", "has no accelerator program, so it needs no bitstream");
    config = *package.config;
  }
  std::printf("%s\n", RequireBitstreamFor(config, board.name, manifest).c_str());
  return 0;
}

void AddBitstream(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen) {
  auto options = std::make_shared<BitstreamOptions>();
  CLI::App* command = hw.add_subcommand(
      "bitstream", "print where the bitstream lies that a package runs on, or why there is none");
  AddBoard(*command, options->board)->required();
  CLI::Option* package =
      ReadsFile(command->add_option("--package", options->package, "for programs of this package"));
  ReadsConfig(command->add_option("-c,--config", options->config,
                                  "for programs of this variant: a shipped name or a file; without "
                                  "either, the board's own"))
      ->excludes(package);
  ReadsFile(command->add_option("--manifest", options->manifest,
                                "the list of bitstreams; without it the shipped one"));
  command->callback(
      [options, chosen] { *chosen = [options] { return PrintBitstream(*options); }; });
}

}  // namespace

void AddBitstreamCommands(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen) {
  AddPackage(hw, chosen);
  AddBitstream(hw, chosen);
}

}  // namespace vta::tools
