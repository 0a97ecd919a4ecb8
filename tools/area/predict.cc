#include "tools/area/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "tools/area/families.h"
#include "tools/area/kept_area.h"
#include "tools/area/least_squares.h"
#include "tools/area/memories.h"
#include "tools/timing/estimates.h"

namespace vta::tools {
namespace {

constexpr char kMemories[] = "vta_ram";

// What modules grow with.
struct Figures {
  double beyond;  // products, of the sums of more than 16
  double lanes, products, second_bank, units, read_ports, wider_bus, acc8, mul, tables;
  double dsp, packed, lut;                     // which multiplier, 0 or 1
  double long_stages, more_than_8_bits, wide;  // of the long ALU operations
  double acc_bits, out_bits;
};

Figures FiguresOf(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  const isa::Uarch& uarch = config.uarch;
  const auto number = [](auto value) { return static_cast<double>(value); };
  const bool has_long = arch.mul || arch.requant;
  const int64_t bits = arch.requant ? arch.requant_multiplier_bits : 0;
  constexpr int64_t kShort = 16;
  return {
      .beyond = number(arch.batch * arch.block_out * std::max<int64_t>(arch.block_in - kShort, 0)),
      .lanes = number(arch.batch * arch.block_out),
      .products = number(config.macs_per_cycle()),
      .second_bank = number(uarch.acc_banks - 1),
      .units = number(uarch.acc_banks),
      .read_ports = number(uarch.alu_read_ports),
      .wider_bus = number(uarch.bus_bits) / 64 - 1,
      .acc8 = number(arch.acc8),
      .mul = number(arch.mul),
      .tables = number(arch.lut),
      .dsp = number(uarch.multiplier == 0),
      .packed = number(uarch.multiplier == 1),
      .lut = number(uarch.multiplier == 2),
      .long_stages = number(has_long),
      .more_than_8_bits = number(bits > 8),
      .wide = number(arch.mul || bits > 16),
      .acc_bits = number(config.acc_bytes() * 8),
      .out_bits = number(config.out_bytes() * 8)};
}

// Modules whose sum grows with the same terms.
struct Group {
  std::vector<std::string> modules;  // none: all that no group names
  std::vector<double> (*terms)(const Figures& of);
};

const std::vector<Group>& Groups() {
  static const std::vector<Group> groups = {
      {{"vta_alu"}, [](const Figures& of) { return std::vector{of.lanes}; }},
      {{"vta_alu_long", "vta_long"},
       [](const Figures& of) {
         const double lanes = of.lanes * of.long_stages;
         return std::vector{lanes, lanes * of.mul, lanes * of.more_than_8_bits, lanes * of.wide,
                            lanes * of.tables};
       }},
      {{"vta_lut"}, [](const Figures& of) { return std::vector{of.lanes * of.tables}; }},
      {{"vta_mac", "vta_mac_lane", "vta_multiplier"},
       [](const Figures& of) {
         return std::vector{of.dsp * of.lanes, of.dsp * of.products, of.dsp * of.beyond,
                            of.lut * of.lanes, of.lut * of.products, of.lut * of.beyond};
       }},
      {{"vta_mac_pair", "vta_mac_excess"},
       [](const Figures& of) {
         return std::vector{of.packed * of.lanes, of.packed * of.products, of.packed * of.beyond};
       }},
      {{"vta_execute"},
       [](const Figures& of) {
         const double lanes = of.lanes * of.units, holds = of.read_ports == 1 ? lanes : 0;
         return std::vector{
             1.0, lanes, lanes * of.long_stages, holds, of.lanes * of.second_bank, lanes * of.mul};
       }},
      {{"vta_banks"},
       [](const Figures& of) {
         return std::vector{of.second_bank,
                            of.second_bank * (of.acc_bits * of.read_ports + of.out_bits)};
       }},
      {{},
       [](const Figures& of) {
         return std::vector{1.0,
                            of.wider_bus,
                            of.second_bank,
                            of.lanes,
                            of.lanes * of.second_bank,
                            of.lanes * of.acc8};
       }},
  };
  return groups;
}

// What the modules of a group take; the memories are in none.
Resources SumOf(const KeptArea& area, const Group& group) {
  Resources sum;
  for (const auto& [name, takes] : area.modules) {
    const bool is_named = name == kMemories || std::ranges::any_of(Groups(), [&](const Group& one) {
                            return std::ranges::count(one.modules, name) > 0;
                          });
    if (group.modules.empty() ? !is_named : std::ranges::count(group.modules, name) > 0)
      sum += takes;
  }
  return sum;
}

double DspBlocks(const isa::Config& config, std::string_view family) {
  const isa::Arch& arch = config.arch;
  // The multipliers of an ECP5 are too narrow for two products.
  const double products_of_a_block[] = {1, family == "ecp5" ? 1.0 : 2.0, 0};  // uarch.multiplier
  const double of_a_block = products_of_a_block[config.uarch.multiplier];
  // A factor of 32 bits is four products of halves, one of 16 two.
  const bool has_wide_factor = arch.mul || (arch.requant && arch.requant_multiplier_bits == 32);
  const double blocks_of_a_lane = has_wide_factor ? 4 : arch.requant ? 2 : 0;
  return (of_a_block > 0 ? static_cast<double>(config.macs_per_cycle()) / of_a_block : 0) +
         blocks_of_a_lane * static_cast<double>(arch.batch * arch.block_out);
}

// Of a family.
struct Fit {
  std::vector<std::vector<double>> lut, ff;  // factors, by group
  double lut_error = 0, ff_error = 0;
};

Resources Predicted(const isa::Config& config, std::string_view family, const Fit& fit) {
  const auto sum = [](const std::vector<double>& terms, const std::vector<double>& factors) {
    double value = 0;
    for (size_t i = 0; i < terms.size(); ++i) value += terms[i] * factors[i];
    return value;
  };
  Resources takes{.dsp = DspBlocks(config, family)};
  const Figures figures = FiguresOf(config);
  for (size_t g = 0; g < Groups().size(); ++g) {
    const std::vector<double> terms = Groups()[g].terms(figures);
    takes += {.lut = sum(terms, fit.lut[g]), .ff = sum(terms, fit.ff[g])};
  }
  for (const CoreMemory& memory : CoreMemories(config)) takes += ResourcesOf(memory, family);
  return takes;
}

Fit FitOf(std::string_view family) {
  std::vector<const KeptArea*> designs, shipped;
  for (const KeptArea& area : KeptAreas())
    if (area.family == family) (ShippedNameOf(area.config) ? shipped : designs).push_back(&area);
  if (designs.empty())
    throw Error("hw/synth/areas.jsonl", "family", std::string(family),
                "has no design that is no shipped config");
  Fit fit;
  for (const Group& group : Groups()) {
    std::vector<Sample> lut, ff;
    for (const KeptArea* const design : designs) {
      const Resources all = design->takes(), own = SumOf(*design, group);
      const std::vector<double> terms = group.terms(FiguresOf(design->config));
      lut.push_back({terms, own.lut, all.lut});
      ff.push_back({terms, own.ff, all.ff});
    }
    fit.lut.push_back(LeastSquares(lut));
    fit.ff.push_back(LeastSquares(ff));
  }
  for (const KeptArea* const area : shipped) {
    const Resources said = Predicted(area->config, family, fit), is = area->takes();
    fit.lut_error = std::max(fit.lut_error, std::abs(said.lut / is.lut - 1));
    fit.ff_error = std::max(fit.ff_error, std::abs(said.ff / is.ff - 1));
  }
  return fit;
}

}  // namespace

Resources FittedResources(const isa::Config& config, std::string_view family) {
  return Predicted(config, family, OfFamily<FitOf>(family));
}

Resources ResourcesOf(const isa::Config& config) {
  for (const std::string& part : PartNames())
    if (const auto kept = AreaEstimateOf(config, FindPart(part))) return kept->resources;
  return FittedResources(config);
}

AreaPrediction PredictArea(const isa::Config& config, const Part& part) {
  const Fit& fit = OfFamily<FitOf>(part.family);
  Resources resources = Predicted(config, part.family, fit);
  resources.lut = std::round(resources.lut), resources.ff = std::round(resources.ff);
  return {resources, fit.lut_error, fit.ff_error};
}

std::string PredictionTable(const isa::Config& config, const Part& part) {
  const AreaPrediction predicted = PredictArea(config, part);
  std::string text =
      fmt::format("config {}, part {} ({})\n\n{:<16}", config.name, part.name, part.board, "");
  for (const ResourceKind& kind : kResourceKinds) text += fmt::format(" {:>9}", kind.name);
  const auto row = [&](std::string_view what, const auto& cell_of) {
    text += fmt::format("\n{:<16}", what);
    for (const ResourceKind& kind : kResourceKinds) text += fmt::format(" {:>9}", cell_of(kind.of));
  };
  const auto counts = [](const Resources& resources) {
    return [&resources](double Resources::*of) {
      return of == &Resources::bram ? fmt::format("{:.1f}", resources.*of)
                                    : fmt::format("{:.0f}", resources.*of);
    };
  };
  row("predicted", counts(predicted.resources));
  const std::optional<AreaEstimate> counted = AreaEstimateOf(config, part);
  if (counted) row("counted", counts(counted->resources));
  row("the part offers", counts(part.offers));
  row("taken", [&](double Resources::*of) {
    return fmt::format("{:.0f} %", 100 * predicted.resources.*of / part.offers.*of);
  });
  text += fmt::format(
      "\n\nLUT within {:.1f} % and FF within {:.1f} % of Yosys' counts of the shipped configs, "
      "which "
      "had no say; DSP and BRAM\nby arithmetic.",
      100 * predicted.lut_error, 100 * predicted.ff_error);
  if (std::ranges::any_of(KeptAreas(), [&](const KeptArea& area) {
        return area.family == part.family && !area.IsCurrent();
      }))
    text += " Some designs are of an older RTL.";
  if (counted)
    text += fmt::format(" Counted by Yosys {}{}.", counted->yosys,
                        counted->is_current ? "" : ", of an older RTL");
  return text + "\n";
}

Resources LeastResources(const isa::Config& config) {
  constexpr double kBlockBits = 36 * 1024;
  return {.dsp = DspBlocks(config, "xc7"),
          .bram = static_cast<double>(ScratchpadBytes(config)) * 8 / kBlockBits};
}

}  // namespace vta::tools
