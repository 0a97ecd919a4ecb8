#include "isa/gen/config_table.h"

#include "isa/gen/markdown.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

std::string Extensions(const Config& config) {
  std::string out;
  for (const Parameter<Arch>& row : kArchParameters) {
    if (row.kind != kFlag || !(config.arch.*row.member)) continue;
    out += StrCat(out.empty() ? "" : ", ", Code(row.key));
    if (row.member == &Arch::requant && config.arch.requant_multiplier_bits != 32)
      out += StrCat(" (", config.arch.requant_multiplier_bits, "-bit multiplier)");
  }
  return out;
}

std::string Buffers(const Config& config) {
  const Arch& arch = config.arch;
  std::string out;
  for (const int64_t bytes :
       {arch.uop_depth * kUopBits / 8, arch.inp_depth * config.inp_bytes(),
        arch.wgt_depth * config.wgt_bytes(), arch.acc_depth * config.acc_bytes()})
    out += StrCat(out.empty() ? "" : ", ", static_cast<double>(bytes) / 1024);
  return out;
}

}  // namespace

std::string ConfigTable(std::span<const Config> configs) {
  std::string out =
      "# Accelerator variants\n\n"
      "The shipped ones, which `-c NAME` takes; each is a file of `isa/configs/`. The block is "
      "batch "
      "x input lanes x output lanes; the buffers are those of micro-ops, inputs, weights and "
      "accumulators.\n\n" +
      Head({"name", "is", "ISA", "block", "buffers, KiB", "extensions", "bus, bits", "clock, MHz",
            "peak, GOP/s"});
  for (const Config& config : configs) {
    const Arch& arch = config.arch;
    out += Row(
        {Code(config.name), config.about, std::string(VersionName(config.version)),
         StrCat(arch.batch, "x", arch.block_in, "x", arch.block_out), Buffers(config),
         Extensions(config), StrCat(config.uarch.bus_bits), StrCat(config.uarch.clock_mhz),
         StrCat(static_cast<double>(2 * config.macs_per_cycle() * config.uarch.clock_mhz) / 1000)});
  }
  return out;
}

}  // namespace vta::isa
