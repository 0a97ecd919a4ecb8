#include "tools/vta/xclbin.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "driver/xrt/make_xclbin.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/options.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

struct Options {
  std::string config = "default", bitstream, output;
};

// How Xilinx's tools begin a .bit file.
constexpr uint8_t kBitBegin[] = {0x00, 0x09, 0x0f, 0xf0, 0x0f, 0xf0, 0x0f,
                                 0xf0, 0x0f, 0xf0, 0x00, 0x00, 0x01, 'a'};

std::vector<uint8_t> ReadBitstream(const std::string& file) {
  std::vector<uint8_t> bytes = ReadFile(file);
  if (bytes.size() < std::size(kBitBegin) ||
      !std::equal(std::begin(kBitBegin), std::end(kBitBegin), bytes.begin()))
    throw Error(file, "", "", "is no bitstream of Xilinx's tools (.bit)");
  return bytes;
}

int WriteXclbin(const Options& options) {
  const isa::Config config = FindConfig(options.config);
  isa::CheckHardware(config, options.config);
  const std::vector<uint8_t> bitstream =
      options.bitstream.empty() ? std::vector<uint8_t>() : ReadBitstream(options.bitstream);
  WriteFileAtomically(options.output, driver::MakeXclbin(config, bitstream));
  std::printf(
      "config %s: %s, arch hash %s, %s\n", config.name.c_str(), options.output.c_str(),
      Hex(isa::ArchHash(config), 16).c_str(),
      bitstream.empty() ? "without a bitstream: for the simulated device" : "with a bitstream");
  return 0;
}

}  // namespace

std::function<int()> AddXclbinCommand(CLI::App& hw) {
  auto options = std::make_shared<Options>();
  CLI::App* app = hw.add_subcommand("xclbin", "write the file that XRT loads");
  ReadsConfig(app->add_option("-c,--config", options->config,
                              "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  ReadsFile(app->add_option("--bitstream", options->bitstream,
                            "what Vivado made (.bit); without it the file is for the simulated "
                            "device alone"));
  WritesFile(app->add_option("-o,--output", options->output, "the file")->required());
  return [options] { return WriteXclbin(*options); };
}

}  // namespace vta::tools
