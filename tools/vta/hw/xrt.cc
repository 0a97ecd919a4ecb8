#include "tools/vta/hw/xrt.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "driver/xrt/writer/make_xclbin.h"
#include "driver/xrt/xrt_device.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/hw/bit_file.h"
#include "tools/vta/hw/board.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

struct XclbinOptions {
  std::string config = "default", board = "ultra96", bitstream, output;
};

// Without what only some names of a part have: zu3eg of xczu3eg-sbva484-1-e.
std::string DeviceOf(const Board& board) {
  const std::string_view part = board.part->name;
  return std::string(part.starts_with("xc") ? part.substr(2) : part);
}

int WriteXclbin(const XclbinOptions& options) {
  const isa::Config config = FindConfig(options.config);
  isa::CheckHardware(config, options.config);
  const Board board = FindBoard(options.board);
  const std::vector<uint8_t> bitstream = options.bitstream.empty()
                                             ? std::vector<uint8_t>()
                                             : ReadBitFile(options.bitstream, DeviceOf(board));
  const Board::Range& memory = board.memory_ranges.front();
  WriteFileAtomically(options.output,
                      driver::MakeXclbin(config, bitstream,
                                         {.control_address = board.control_address,
                                          .memory_address = memory.address,
                                          .memory_bytes = static_cast<int64_t>(memory.bytes)}));
  std::printf(
      "config %s: %s, arch hash %s, %s\n", config.name.c_str(), options.output.c_str(),
      Hex(isa::ArchHash(config), 16).c_str(),
      bitstream.empty() ? "without a bitstream: for the simulated device" : "with a bitstream");
  return 0;
}

// A folder as XILINX_XRT names it: in lib, under the name of XRT's driver, a simulated device.
int MakeXrtRoot(const std::string& output) {
  driver::RequireXrt("vta hw xrt");
  const fs::path driver = fs::absolute(ShippedLibrary("libvta_xrt.so")),
                 lib = fs::absolute(output) / "lib", link = lib / "libxrt_core.so.2";
  std::error_code error, ignored;
  fs::create_directories(lib, error);
  if (error) throw Error(lib.string(), "cannot be made", "", error.message());
  // A link to something else, as to XRT's own driver, stays.
  if (fs::read_symlink(link, ignored).filename() == driver.filename()) fs::remove(link, error);
  if (!error) fs::create_symlink(driver, link, error);
  if (error) throw Error(link.string(), "cannot be made", "", error.message());
  std::printf("%s: XRT finds a simulated device there, by XILINX_XRT=%s\n", output.c_str(),
              fs::canonical(output).c_str());
  return 0;
}

}  // namespace

void AddXrtCommands(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen) {
  auto options = std::make_shared<XclbinOptions>();
  CLI::App* xclbin = hw.add_subcommand("xclbin", "write the file that XRT loads");
  ReadsConfig(xclbin->add_option("-c,--config", options->config,
                                 "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  xclbin
      ->add_option("--board", options->board,
                   StrCat("where registers and memory lie: ", Listed(BoardNames())))
      ->check(OneOf(BoardNames()))
      ->capture_default_str();
  ReadsFile(xclbin->add_option("--bitstream", options->bitstream,
                               "what Vivado made (.bit); without it the file is for the simulated "
                               "device alone"));
  WritesFile(xclbin->add_option("-o,--output", options->output, "the file")->required());
  xclbin->callback([chosen, options] { *chosen = [options] { return WriteXclbin(*options); }; });

  auto folder = std::make_shared<std::string>();
  CLI::App* xrt = hw.add_subcommand("xrt", "make a folder in which XRT finds a simulated device");
  WritesFolder(xrt->add_option("-o,--output", *folder, "the folder, for XILINX_XRT to name"))
      ->required();
  xrt->callback([chosen, folder] { *chosen = [folder] { return MakeXrtRoot(*folder); }; });
}

}  // namespace vta::tools
