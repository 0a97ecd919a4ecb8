#include "tools/vta/hw/vivado_settings.h"

#include "isa/gen/host_registers.h"
#include "isa/gen/kernel_xml.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"
#include "tools/shared/document.h"
#include "tools/vta/hw/bitstreams.h"
#include "tools/vta/hw/hls_project.h"

namespace vta::tools {
namespace {

constexpr int64_t kControlBytes = int64_t{1} << isa::kRegisterAddressBits;

// A word of Tcl that means the text and nothing else.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : Visible(text)) {
    if (std::string_view("\\\"$[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + '"';
}

class Settings {
 public:
  void Text(std::string_view name, std::string_view value) {
    text_ += StrCat("set ", name, " ", Quoted(value), "\n");
  }
  void Number(std::string_view name, int64_t value) {
    text_ += StrCat("set ", name, " ", value, "\n");
  }
  void List(std::string_view name, const std::vector<std::string>& words) {
    text_ += StrCat("set ", name, " [list");
    for (const std::string& word : words) text_ += " \\\n  " + word;
    text_ += "]\n";
  }
  void Comment(std::string_view text) { text_ += StrCat("\n# ", text, "\n"); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Of kernels, nobody has estimated cycles.
uint64_t TimingHashOf(const isa::Config& config, Source source) {
  return source == Source::kRtl ? isa::TimingHash(config) : 0;
}

std::string_view AccessName(isa::Access access) {
  switch (access) {
    case isa::Access::kRead:
      return "read-only";
    case isa::Access::kWrite:
      return "write-only";
    case isa::Access::kReadWrite:
    case isa::Access::kWriteOneToClear:
      return "read-write";
  }
  return "";
}

std::vector<std::string> RegisterRows() {
  std::vector<std::string> rows;
  for (const isa::HostRegister& row : isa::HostRegisters())
    rows.push_back(StrCat("[list ", row.name, " ", Hex(static_cast<uint64_t>(row.offset_bytes), 3),
                          " ", row.bits, " ", AccessName(row.access), " ", row.is_address, " ",
                          Quoted(row.meaning), "]"));
  return rows;
}

std::vector<std::string> RangeRows(const Board& board) {
  std::vector<std::string> rows;
  for (const Board::Range& range : board.memory_ranges)
    rows.push_back(
        StrCat("[list ", range.segment, " ", Hex(range.address), " ", Hex(range.bytes), "]"));
  return rows;
}

std::vector<std::string> QuotedAll(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(Quoted(word));
  return out;
}

void WriteIp(const isa::Config& config, Settings& out) {
  out.Comment("The IP of the RTL, and what its memory port does.");
  out.Text("ip_name", isa::kIpName);
  out.Number("bus_bits", config.uarch.bus_bits);
  out.Number("max_burst_beats", config.uarch.max_burst_beats);
  constexpr int64_t kReadIds = 3;  // fetch, compute, load
  out.Number("reads_outstanding", kReadIds * config.uarch.outstanding_reads);
  out.Number("writes_outstanding", isa::timing::kOutstandingWrites);
  out.Comment("Its registers (isa/spec/registers.h): name, offset, bits, access, is an address.");
  out.List("registers", RegisterRows());
}

}  // namespace

std::string VivadoSettings(const isa::Config& config, const Board& board, Source source,
                           const std::vector<std::string>& rtl) {
  Settings out;
  out.Comment("What is built, and for which board.");
  out.Text("config", config.name);
  out.Text("arch_hash", Hex(isa::ArchHash(config), 16));
  out.Text("timing_hash", Hex(TimingHashOf(config, source), 16));
  out.Text("board", board.name);
  out.Text("part", board.vendor_part);
  out.Text("board_part", board.board_part);
  out.Text("processing_system", board.processing_system);
  out.Comment("What its IPs are called.");
  out.Text("ip_vendor", isa::kIpVendor);
  out.Text("ip_library", isa::kIpLibrary);
  out.Text("ip_version", isa::kIpVersion);
  out.Comment("The system round it. Addresses and sizes in bytes.");
  out.Number("clock_mhz", config.uarch.clock_mhz);
  out.Number("ps_clock_mhz", board.ps_clock_mhz);
  out.Text("control_port", board.control_port);
  out.Text("control_address", Hex(board.control_address));
  out.Number("control_bytes", kControlBytes);
  out.Text("memory_port", board.memory_port);
  out.Text("interrupt_port", board.interrupt_port);
  out.List("memory_ranges", RangeRows(board));
  out.Comment("The design, in order of its levels.");
  out.List("rtl_files", QuotedAll(rtl));
  if (source == Source::kRtl) WriteIp(config, out);
  return StrCat("# Written by `vta hw package`; the scripts beside it read it.\n", out.text(),
                source == Source::kHls ? HlsSettings(config, board) : "");
}

std::string ProjectJson(const isa::Config& config, const Board& board, Source source) {
  Json::Array ranges;
  for (const Board::Range& range : board.memory_ranges)
    ranges.push_back(Json()
                         .Set("segment", range.segment)
                         .Set("address", Hex(range.address))
                         .Set("bytes", Hex(range.bytes)));
  Json json = HeadOf(kProjectDocument);
  json.Set("board", board.name)
      .Set("about", board.about)
      .Set("vendor_part", board.vendor_part)
      .Set("processing_system", board.processing_system)
      .Set("config", config.name)
      .Set("arch_hash", Hex(isa::ArchHash(config), 16))
      .Set("timing_hash", Hex(TimingHashOf(config, source), 16))
      .Set("clock_mhz", config.uarch.clock_mhz)
      .Set("kernel", std::string(isa::kIpName))
      .Set("registers",
           Json().Set("address", Hex(board.control_address)).Set("bytes", Hex(kControlBytes)))
      .Set("interrupt", Json().Set("spi", board.interrupt_spi))
      .Set("memory", Json()
                         .Set("port", board.memory_port)
                         .Set("width_bits", config.uarch.bus_bits)
                         .Set("cache", board.memory_cache)
                         .Set("is_coherent", board.memory_is_coherent)
                         .Set("ranges", ranges))
      .Set("resources", source == Source::kRtl ? ResourcesJson(config, board) : Json());
  return json.Dump() + "\n";
}

}  // namespace vta::tools
