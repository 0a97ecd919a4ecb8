// Tables of vta bench seeds that a compile gives: nothing runs but, for hiding, the cycle model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/tune/chooser.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "runtime/memory_use.h"
#include "tools/report/layout_changes.h"
#include "tools/vta/bench/hiding_ways.h"
#include "tools/vta/bench/seeds/network.h"
#include "tools/vta/bench/seeds/seeds.h"

namespace vta::tools {
namespace {

const std::vector<std::string> kSeedsImageNetworks = {"resnet18",     "resnet50",   "mobilenet_v1",
                                                      "mobilenet_v2", "squeezenet", "densenet121",
                                                      "inception_v3", "vgg16"};

double PercentOf(int64_t part, int64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Takes the estimates' best of each space, and keeps what the space is.
class SpaceCollector : public compiler::tune::Chooser {
 public:
  struct Met {
    std::string step;
    int64_t steps = 0;
    int64_t choices = 0;
    double points = 0;
  };

  std::vector<compiler::tune::Offer> Choose(const std::string& step, int64_t,
                                            const compiler::tune::Space& space) override {
    const auto [place, is_new] = places_.try_emplace(space.Workload(), met_.size());
    if (is_new) met_.push_back({step, 0, std::ssize(space.Choices()), SizeOf(space)});
    ++met_[place->second].steps;
    return {{space.Cheapest(1)[0]}};
  }
  const std::vector<Met>& met() const { return met_; }

 private:
  std::map<std::string, size_t> places_;
  std::vector<Met> met_;
};

}  // namespace

SeedsTable SeedsHiding(const SeedsOptions& options, Progress& progress) {
  const isa::Config& config = options.config;
  SeedsTable table{{{"network", "network"},
                    {"layer", "layer"},
                    {"one", "one context, %", 1},
                    {"threads", "two threads, %", 1},
                    {"less", "less time, %", 1},
                    {"compiler", "the compiler's, %", 1}},
                   {}};
  double one_best = 0, threads_best = 0;
  int64_t one = 0, threads = 0;
  for (const std::string& name : SeedsNetworks(options, {"resnet18"})) {
    const HidingNetwork network = MeasureHiding(name, config, progress);
    for (const HidingLayer& layer : network.layers) {
      const auto share = [&](size_t way) -> SeedsCell {
        if (!layer.cycles[way]) return {};
        return 100 * ShareOfPeak(config, layer.macs, *layer.cycles[way]);
      };
      const auto& single = layer.cycles[kOneSlotWay];
      const auto& both = layer.cycles[kThreadsWay];
      table.rows.push_back(
          {name, layer.name, share(kOneSlotWay), share(kThreadsWay),
           single && both ? SeedsCell(100 - PercentOf(*both, *single)) : SeedsCell(),
           share(kFreeWay)});
      if (!single || !both) continue;
      one += *single, threads += *both;
      one_best = std::max(one_best, std::get<double>(share(kOneSlotWay)));
      threads_best = std::max(threads_best, std::get<double>(share(kThreadsWay)));
    }
  }
  table.notes = {
      StrCat("utilisation of the array of ", config.name, " by the cycle model, each layer alone"),
      "there, of ResNet's convolutions on VDLA: 52 % at best without and 74 % with two threads, "
      "each kernel 7 to 54 % quicker"};
  if (one == 0) {
    table.claims = {{14, "no layer has tilings of both ways"}};
    return table;
  }
  table.ratios = {{"cycles of two threads to those of one context",
                   static_cast<double>(threads) / static_cast<double>(one)},
                  {"share of the peak of the best layer with two threads", threads_best / 100}};
  table.claims = {{14,
                   fmt::format("the best layer with two virtual threads has {:.1f} % (with one "
                               "context {:.1f} %): more than 74 % is asked for",
                               threads_best, one_best),
                   threads_best > 74},
                  {14,
                   fmt::format("all layers take {} cycles with two virtual threads, {} with one "
                               "context",
                               WithCommas(threads), WithCommas(one)),
                   threads < one}};
  return table;
}

SeedsTable SeedsMemory(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"vta", "int8, planned"},
                    {"vta_sum", "all tensors"},
                    {"vta_share", "%", 1},
                    {"cpu", "float, planned"},
                    {"cpu_sum", "all tensors"},
                    {"cpu_share", "%", 1}},
                   {}};
  int64_t planned[2] = {}, sums[2] = {};  // in int8, in float
  for (const std::string& name : SeedsNetworks(options, kSeedsImageNetworks)) {
    std::vector<SeedsCell>& row = table.rows.emplace_back(1, name);
    for (const compiler::ModelType type :
         {compiler::ModelType::kInt8, compiler::ModelType::kFloat}) {
      progress.At(StrCat("memory, ", name));
      const bool is_int8 = type == compiler::ModelType::kInt8;
      const runtime::MemoryUse use = runtime::MemoryOf(
          PackageOf({name, type, is_int8 ? "vta,cpu" : "cpu", options.config}), 1);
      planned[is_int8 ? 0 : 1] += use.activations, sums[is_int8 ? 0 : 1] += use.tensors;
      row.insert(row.end(),
                 {use.activations, use.tensors, PercentOf(use.activations, use.tensors)});
      table.claims.push_back(
          {20,
           StrCat(name, is_int8 ? " in int8" : " in float", ": ", WithCommas(use.activations),
                  " bytes are planned, all tensors ", "take ", WithCommas(use.tensors)),
           use.activations < use.tensors});
    }
  }
  table.notes = {StrCat("bytes of activations, in int8 on ", options.config.name,
                        " and the CPU, in float on the CPU alone")};
  table.ratios = {{"planned to all tensors in int8", PercentOf(planned[0], sums[0]) / 100},
                  {"planned to all tensors in float", PercentOf(planned[1], sums[1]) / 100}};
  return table;
}

SeedsTable SeedsLayouts(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"operators", "operators"},
                    {"kernels", "kernels on the CPU"},
                    {"moves", "moves"},
                    {"moved", "moved bytes"},
                    {"programs", "programs in int8"},
                    {"vta_moves", "moves"},
                    {"vta_moved", "moved bytes"}},
                   {}};
  int64_t all_operators = 0, all_kernels = 0;
  for (const std::string& name : SeedsNetworks(options, kSeedsImageNetworks)) {
    progress.At(StrCat("layouts, ", name));
    const isa::Package cpu = PackageOf({name});
    const isa::Package vta =
        PackageOf({name, compiler::ModelType::kInt8, "vta,cpu", options.config});
    const LayoutChanges moves = LayoutChangesOf(cpu), vta_moves = LayoutChangesOf(vta);
    const int64_t operators = OperatorsOf(name, compiler::ModelType::kFloat);
    const int64_t kernels = std::ssize(cpu.steps) - moves.count;
    const int64_t programs =
        std::ranges::count(vta.steps, isa::PackageStep::Kind::kProgram, &isa::PackageStep::kind);
    table.rows.push_back({name, operators, kernels, moves.count, moves.bytes, programs,
                          vta_moves.count, vta_moves.bytes});
    all_operators += operators, all_kernels += kernels;
    table.claims.push_back({17,
                            StrCat(name, ": ", operators, " operators are ",
                                   Counted(kernels, "kernel"), " on the CPU"),
                            kernels < operators});
  }
  table.notes = {
      "operators of the float network's file, and the kernels that they are fused into on the CPU; "
      "moves: steps that only lay tensors out anew, with the bytes that they read and write"};
  table.ratios = {{"kernels to operators", PercentOf(all_kernels, all_operators) / 100}};
  return table;
}

SeedsTable SeedsSpaces(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"target", "target"},
                    {"task", "task"},
                    {"steps", "steps"},
                    {"choices", "choices"},
                    {"points", "points"}},
                   {}};
  for (const std::string& name : SeedsNetworks(options, {"resnet18"}))
    for (const char* const target : {"vta", "cpu", "cuda"}) {
      progress.At(StrCat("spaces, ", name, " on ", target));
      const bool is_vta = std::string(target) == "vta";
      SpaceCollector collector;
      PackageOf({.name = name,
                 .type = is_vta ? compiler::ModelType::kInt8 : compiler::ModelType::kFloat,
                 .targets = is_vta ? "vta,cpu" : target,
                 .config = options.config,
                 .cpus = is_vta ? "" : "native",
                 .chooser = &collector});
      double digits = 0;
      for (const SpaceCollector::Met& met : collector.met()) {
        digits += std::log10(met.points);
        table.rows.push_back(
            {name, target, met.step, met.steps, met.choices, static_cast<int64_t>(met.points)});
      }
      table.notes.push_back(fmt::format("{} on {}: {}, 10^{:.0f} networks", name, target,
                                        Counted(collector.met().size(), "task"), digits));
    }
  table.notes.emplace_back("there: \"billions of possible optimization choices\"");
  return table;
}

}  // namespace vta::tools
