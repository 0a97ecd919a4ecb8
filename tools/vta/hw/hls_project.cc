#include "tools/vta/hw/hls_project.h"

#include <algorithm>
#include <bit>

#include "hw/hls/vta_state.h"
#include "isa/gen/c_header.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/shipped.h"
#include "tools/vta/hw/hls_launches.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

// Of an AXI4-Stream FIFO (PG085).
constexpr int64_t kLeastFifoWords = 16, kMostFifoWords = 32768;
constexpr std::string_view kKernels[] = {"fetch", "load", "compute", "store", "monitor"};

int64_t FifoWords(int64_t words) {
  return std::max(kLeastFifoWords,
                  static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(words))));
}

void Copy(const std::string& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  WriteFileAtomically(to.string(), ReadTextFile(ShippedPath(from)));
}

}  // namespace

void CheckHls(const isa::Config& config, const Board& board) {
  if (const int64_t tokens = config.arch.token_capacity; FifoWords(tokens) > kMostFifoWords)
    throw Error(
        StrCat("config ", config.name, " on board ", board.name), "arch.token_capacity",
        std::to_string(tokens),
        StrCat("the FIFO between two HLS kernels holds ", kMostFifoWords, " words at most"));
}

std::vector<std::string> WriteHls(const isa::Config& config, const fs::path& folder) {
  for (const char* header : {"vta.h", "vta_alu.h", "vta_module.h", "vta_state.h", "vta_transfer.h"})
    Copy(StrCat("hw/hls/", header), folder / "hls" / header);
  for (const std::string_view kernel : kKernels)
    Copy(StrCat("hw/hls/vta_", kernel, ".cc"), folder / "hls" / StrCat("vta_", kernel, ".cc"));
  WriteFileAtomically((folder / "hls/vta_config.h").string(), isa::CHeader(config));
  WriteFileAtomically((folder / "launches.txt").string(), HlsLaunches(config));
  std::vector<std::string> rtl;
  for (const char* file :
       {"hw/rtl/vta_regs.sv", "hw/hls/rtl/vta_host.sv", "hw/hls/rtl/vta_host_ip.v",
        "hw/hls/rtl/vta_hold.v", "hw/hls/rtl/vta_scratchpad.v"}) {
    rtl.push_back(StrCat("rtl/", fs::path(file).filename().string()));
    Copy(file, folder / rtl.back());
  }
  // No estimate is of these cycles.
  rtl.insert(rtl.begin(), "rtl/vta_pkg.sv");
  WriteFileAtomically((folder / rtl.front()).string(), isa::SystemVerilogPackage(config, 0));
  return rtl;
}

std::string HlsSettings(const isa::Config& config, const Board& board) {
  std::string text = "\n# The kernels, and what lies between them.\nset kernels [list";
  for (const std::string_view kernel : kKernels) text += StrCat(" vta_", kernel);
  text += "]\n";
  const auto set = [&](std::string_view name, const auto& value) {
    text += StrCat("set ", name, " ", value, "\n");
  };
  constexpr size_t kByteBits = 8;
  text += StrCat("set published_bits [dict create fetch ", kByteBits * sizeof(vta_fetch_state));
  for (const char* kernel : {"load", "compute", "store"})
    text += StrCat(" ", kernel, " ", kByteBits * sizeof(vta_state));
  text += StrCat(" monitor ", kByteBits * sizeof(vta_result), "]\n");
  set("command_fifo_words", FifoWords(config.uarch.command_queue_depth));
  set("token_fifo_words", FifoWords(config.arch.token_capacity));
  set("inp_row_bytes", config.inp_bytes());
  set("inp_rows", config.arch.inp_depth);
  set("wgt_row_bytes", config.wgt_bytes());
  set("wgt_rows", config.arch.wgt_depth);
  set("out_row_bytes", config.out_bytes());
  set("out_rows", config.arch.acc_depth);
  uint64_t end = 0;
  for (const Board::Range& range : board.memory_ranges)
    end = std::max(end, range.address + range.bytes);
  constexpr int kMibBits = 20;
  text += "# Where the board's memory ends; what lies behind is refused.\n";
  set("memory_mib", end >> kMibBits);
  return text;
}

}  // namespace vta::tools
