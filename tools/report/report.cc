#include "tools/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "runtime/pipeline.h"
#include "tools/report/flight.h"
#include "tools/report/hosts.h"
#include "tools/report/table.h"
#include "tools/report/why.h"
#include "tools/shared/inferences.h"

namespace vta::tools {
namespace {

template <typename Array>
int64_t Sum(const Array& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

// How much of the multiplications that the accelerator did were the layer's own, in percent.
double Useful(const LayerReport& layer) {
  return 100.0 * static_cast<double>(layer.facts.macs) / static_cast<double>(layer.counters.macs);
}

std::string UsefulText(const LayerReport& layer) {
  return layer.counters.macs > 0 ? fmt::format("{:.1f}", Useful(layer)) : "";
}

// "a" to "z", "aa", "ab", ...
std::string Letters(size_t index) {
  const std::string last(1, static_cast<char>('a' + index % 26));
  return index < 26 ? last : Letters(index / 26 - 1) + last;
}

// Marks the layers that the accelerator does not take with a letter for each reason; the reasons, a
// line each.
std::string MarkReasons(std::vector<LayerReport>& layers) {
  std::map<std::string, std::string> letters;
  std::string text;
  for (LayerReport& layer : layers) {
    if (OnVta(layer) || layer.facts.why.empty()) continue;
    const auto [entry, fresh] = letters.try_emplace(layer.facts.why, Letters(letters.size()));
    layer.where += " " + entry->second;
    if (fresh) text += StrCat(layer.where, ": ", Visible(layer.facts.why), "\n");
  }
  return text;
}

// A letter for each reason why bounds are well above the ideal line; the reasons, a line each.
struct Losses {
  std::map<std::string, std::string> letters;
  std::string text;

  explicit Losses(const std::vector<LayerReport>& layers) {
    for (const LayerReport& layer : layers) {
      if (!layer.facts.bounds || layer.facts.bounds->lost_to.empty()) continue;
      const std::string& lost_to = layer.facts.bounds->lost_to;
      const auto [entry, fresh] = letters.try_emplace(lost_to, Letters(letters.size()));
      if (fresh)
        text += StrCat("bound ", entry->second, ": well above the ideal line, for ",
                       Visible(lost_to), "\n");
    }
  }
  std::string Cell(const LayerReport& layer) const {
    const std::optional<double> share = BoundShare(layer);
    if (!share) return "";
    const auto letter = letters.find(layer.facts.bounds->lost_to);
    return fmt::format("{:.1f}{}", 100 * *share,
                       letter != letters.end() ? " " + letter->second
                       : letters.empty()       ? ""
                                               : "  ");
  }
};

// What "bound %" is of, and why bounds are high.
std::string BoundText(const LayerReport& total, const Losses& losses) {
  if (!BoundShare(total)) return "";
  return fmt::format(
             "bound %: of the cycles those that passes and bytes need, {} in all; the ideal line "
             "of MACs and bytes: {}\n",
             WithCommas(total.facts.bounds->machine), WithCommas(total.facts.bounds->ideal)) +
         losses.text;
}

// Who runs layers beside the accelerator: "cpu", "cuda", "cuda and cpu".
std::string OthersText(const RunReport& report) {
  if (report.gpu.empty()) return "cpu";
  return report.gpu + (std::ranges::any_of(report.layers, OnCpu) ? " and cpu" : "");
}

// The accelerator's share of the layers and of the work.
std::string ShareText(const RunReport& report, const LayerReport& vta, const LayerReport& total) {
  if (!report.has_accelerator())
    return fmt::format("{}: {}, {:.2f} GMAC/s\n", OthersText(report),
                       Counted(total.layers, "layer"),
                       static_cast<double>(total.facts.macs) / (1e6 * total.wall_ms));
  std::string text =
      fmt::format("vta: {} of {}, {:.1f} % of the MACs", vta.layers, Counted(total.layers, "layer"),
                  100.0 * static_cast<double>(vta.facts.macs) /
                      static_cast<double>(std::max<int64_t>(1, total.facts.macs)));
  if (vta.counters.macs > 0)
    text += fmt::format("; {} at {:.2f} GMAC/s, padding included",
                        report.is_simulated ? "simulated" : "run",
                        static_cast<double>(vta.counters.macs) / (1e6 * vta.wall_ms));
  if (report.is_float)
    text += StrCat("; the model is float, not int8: it runs on ", report.gpu.empty() ? "the " : "",
                   OthersText(report));
  if (report.batch > 1) text += fmt::format("; a run is {}", Counted(report.batch, "inference"));
  return text + "\n";
}

// What the borders of a GPU's memory took.
std::string LoadText(const RunReport& report) {
  if (!report.load) return "";
  return fmt::format(
      "loaded on {} in {:.3f} s, {}; the first run took {:.3f} ms\n", Visible(report.load->gpu),
      report.load->load_ms / 1e3,
      report.load->is_from_cache ? "with code from the cache" : "with code that its driver made",
      report.load->first_ms);
}
std::string CopiesText(const RunReport& report) {
  const LayerReport copies = Total(report, "copies", IsCopy);
  if (copies.layers == 0) return "";
  return fmt::format("copies to and from {}: {}, {} in {:.3f} ms\n", report.gpu, copies.layers,
                     CountedWithCommas(copies.kernel_bytes, "byte"), copies.wall_ms);
}

// "52/30/18": percent of the cycles in which a module was busy, waited for a token, for memory.
std::string ModuleText(const isa::ModuleCycles& spent, int64_t all) {
  const auto percent = [&](int64_t cycles) {
    return 100.0 * static_cast<double>(cycles) / static_cast<double>(all);
  };
  return fmt::format("{:.0f}/{:.0f}/{:.0f}", percent(spent.busy), percent(spent.wait_token),
                     percent(spent.wait_memory));
}

/// Of kernels that are far from what this CPU could do, the dearest.
std::string SlowText(const RunReport& report) {
  constexpr size_t kMost = 5;
  std::vector<const LayerReport*> slow;
  for (const LayerReport& layer : report.layers)
    if (layer.slow) slow.push_back(&layer);
  if (slow.empty()) return "";
  std::ranges::stable_sort(slow, std::ranges::greater(),
                           [](auto* layer) { return layer->slow->ms; });
  std::string text =
      StrCat(Counted(std::ssize(slow), "step"),
             " below a tenth of what this CPU can do, by the quickest of warm runs:\n");
  for (const LayerReport* layer : std::span(slow).first(std::min(slow.size(), kMost))) {
    const auto [ms, least_ms] = *layer->slow;
    text += fmt::format("  {}, {}: {:.1f} us where {:.1f} would do", Visible(layer->name),
                        Visible(layer->facts.op), 1e3 * ms, 1e3 * least_ms);
    if (layer->facts.macs > 0)
      text += fmt::format(", {:.1f} GMAC/s", static_cast<double>(layer->facts.macs) / (1e6 * ms));
    text += fmt::format(", {:.1f} GB/s\n", static_cast<double>(layer->kernel_bytes) / (1e6 * ms));
  }
  return slow.size() > kMost ? text + StrCat("  and ", slow.size() - kMost, " more\n") : text;
}

// What a session takes, and what its tensors would take if they shared nothing.
std::string MemoryText(const runtime::MemoryUse& use) {
  std::string text = fmt::format("memory: {}: {} of constants, {} of code, ",
                                 CountedWithCommas(use.peak(), "byte"), WithCommas(use.constants),
                                 WithCommas(use.code));
  if (use.workspace > 0)
    text += fmt::format("{} of workspace for {}, ", WithCommas(use.workspace),
                        Counted(use.threads, "thread"));
  return text +
         fmt::format("and\n{} of activations, which would be {} if they shared nothing\n",
                     WithCommas(use.activations), WithCommas(use.tensors)) +
         (use.gpu > 0 ? fmt::format("in the GPU's memory: {} of constants and activations\n",
                                    CountedWithCommas(use.gpu, "byte"))
                      : "");
}

struct Column {
  std::string title;
  bool right;
  std::function<std::string(const LayerReport&)> cell;
};

std::vector<Column> WorkColumns() {
  const auto if_any = [](int64_t (LayerReport::*member)() const) {
    return [member](const LayerReport& layer) {
      return layer.instructions() > 0 ? WithCommas((layer.*member)()) : "";
    };
  };
  return {
      {"op", false, [](const LayerReport& layer) { return layer.facts.op; }},
      {"shape", false, [](const LayerReport& layer) { return layer.facts.shape; }},
      {"MACs", true, [](const LayerReport& layer) { return WithCommas(layer.facts.macs); }},
      {"useful %", true, UsefulText},
      {"bytes", true,
       [](const LayerReport& layer) {
         return WithCommas(layer.dram_bytes() + layer.kernel_bytes);
       }},
      {"insns", true, if_any(&LayerReport::instructions)},
      {"uops", true, if_any(&LayerReport::uops)},
      {"where", false, [](const LayerReport& layer) { return layer.where; }},
      {"ms", true, [](const LayerReport& layer) { return fmt::format("{:.3f}", layer.wall_ms); }}};
}

// What the clock says; of what the CPU does, what a model does.
// `shares`: of the critical path.
std::vector<Column> TimeColumns(const RunReport& report, const Losses& losses, bool explained,
                                bool wide, size_t shares) {
  const auto timed = [](auto text) {
    return [text](const LayerReport& layer) { return layer.time() ? text(layer) : ""; };
  };
  std::vector<Column> columns = {
      {"cycles", true,
       timed([](const LayerReport& layer) { return WithCommas(layer.time()->cycles); })},
      {"ms@clock", true, [&report, wide](const LayerReport& layer) {
         if (layer.time())
           return fmt::format("{:.3f}", ClockMilliseconds(report, layer.time()->cycles));
         return wide || layer.host_ms.empty() ? "" : fmt::format("~{:.3f}", layer.host_ms[0]);
       }}};
  if (wide)
    for (size_t i = 0; i < report.hosts.size(); ++i)
      columns.push_back(
          {StrCat("~ms ", report.hosts[i].cpu.name), true, [i](const LayerReport& layer) {
             return layer.host_ms.empty() ? "" : fmt::format("~{:.3f}", layer.host_ms[i]);
           }});
  if (wide || !explained)
    columns.push_back({"fps", true, timed([&report](const LayerReport& layer) {
                         const double fps = FramesPerSecond(report, layer.time()->cycles);
                         return fmt::format("{:.{}f}", fps, fps < 1000 ? 1 : 0);
                       })});
  columns.push_back({"peak %", true, timed([&report](const LayerReport& layer) {
                       return layer.facts.macs > 0
                                  ? fmt::format("{:.1f}", 100 * PeakShare(report, layer))
                                  : "";
                     })});
  const auto bounded = [](auto text) {
    return [text](const LayerReport& layer) { return BoundShare(layer) ? text(layer) : ""; };
  };
  if (std::ranges::any_of(report.layers,
                          [](const LayerReport& one) { return BoundShare(one).has_value(); }))
    columns.push_back(
        {"bound %", true, [&losses](const LayerReport& layer) { return losses.Cell(layer); }});
  if (wide) {
    columns.push_back({"bound", true, bounded([](const LayerReport& layer) {
                         return WithCommas(layer.facts.bounds->machine);
                       })});
    columns.push_back({"ideal", true, bounded([](const LayerReport& layer) {
                         return WithCommas(layer.facts.bounds->ideal);
                       })});
    columns.push_back({"lost to", false, bounded(LostTo)});
  }
  if (explained)
    columns.push_back({"critical path %", false, [shares](const LayerReport& layer) {
                         return layer.counters.causes ? PathText(*layer.counters.causes, shares)
                                                      : "";
                       }});
  if (explained && !wide) return columns;
  if (wide)
    columns.push_back({"fetch", true, timed([](const LayerReport& layer) {
                         return layer.shares_launch
                                    ? ""
                                    : ModuleText(layer.time()->fetch, layer.time()->cycles);
                       })});
  for (const isa::ModuleSpec& module : isa::kModuleTable)
    columns.push_back({std::string(module.name), true, timed([&module](const LayerReport& layer) {
                         return ModuleText(layer.time()->modules[static_cast<size_t>(module.code)],
                                           layer.time()->cycles);
                       })});
  return columns;
}

std::vector<Column> Columns(const RunReport& report, const Losses& losses,
                            const isa::Counters& total, bool wide, size_t shares) {
  std::vector<Column> columns = WorkColumns();
  if (total.estimated_cycles)
    columns.push_back({"est. cycles", true, [](const LayerReport& layer) {
                         const auto& cycles = layer.counters.estimated_cycles;
                         return cycles ? WithCommas(*cycles) : "";
                       }});
  if (!total.time) return columns;
  if (!wide)
    std::erase_if(columns, [](const Column& column) {
      return column.title != "op" && column.title != "bytes" && column.title != "where";
    });
  for (Column& column : TimeColumns(report, losses, total.causes.has_value(), wide, shares))
    columns.push_back(std::move(column));
  return columns;
}

// Characters that are shown of a layer's name and of its operators.
struct MostShown {
  size_t name, op;
};

std::string Table(const std::vector<LayerReport>& layers, const std::vector<Column>& columns,
                  const MostShown& most, std::optional<size_t> width) {
  std::vector<std::vector<std::string>> rows = {{"layer"}};
  std::vector<bool> right = {false};
  for (const Column& column : columns) {
    rows[0].push_back(column.title);
    right.push_back(column.right);
  }
  std::vector<std::string> names, ops;
  for (const LayerReport& layer : layers) names.push_back(Visible(layer.name));
  for (const LayerReport& layer : layers) ops.push_back(layer.facts.op);
  names = Abbreviated(std::move(names), most.name);
  ops = Abbreviated(std::move(ops), most.op);
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(names[i]);
    for (const Column& column : columns)
      row.push_back(column.title == "op" && layers[i].layers == 1 ? ops[i]
                                                                  : column.cell(layers[i]));
  }
  return FormatTable(std::move(rows), right, width);
}

int64_t WidthOf(const std::string& table) {
  const size_t rule = table.find('\n') + 1;  // the line under the titles is as wide as the table
  return static_cast<int64_t>(table.find('\n', rule) - rule);
}

// Where the table is wider than the terminal the second share of the critical path gives way, then
// names do, then operators.
std::string FittedTable(const std::vector<LayerReport>& layers,
                        const std::function<std::vector<Column>(size_t shares)>& columns,
                        bool wide) {
  constexpr int64_t kMostName = 40, kLeastName = 12;
  constexpr MostShown kAll{kMostName, kMostName};
  constexpr size_t kLeastOp = 16;  // of a convolution and a sum
  int64_t longest = 0;
  for (const LayerReport& layer : layers)
    longest = std::max(longest, static_cast<int64_t>(Visible(layer.name).size()));
  const int64_t most = std::min(longest, kMostName);
  const std::optional<size_t> terminal = StdoutColumns();
  const auto room = static_cast<int64_t>(terminal.value_or(kTableColumns));
  if (wide) return Table(layers, columns(2), kAll, terminal);
  std::string text = Table(layers, columns(2), kAll, {});
  if (WidthOf(text) <= room) return text;
  text = Table(layers, columns(1), kAll, {});
  const int64_t width = WidthOf(text);
  if (width <= room) return text;
  const int64_t name = most - (width - room);
  if (name >= kLeastName)
    return Table(layers, columns(1), {static_cast<size_t>(name), kMostName}, terminal);
  return Table(layers, columns(1), {kLeastName, kLeastOp}, terminal);
}

bool IsAbove(int64_t cycles, int64_t bound, double share) {
  return static_cast<double>(cycles - bound) > share * static_cast<double>(bound);
}

}  // namespace

int64_t LayerReport::dram_bytes() const { return Sum(counters.bytes); }
int64_t LayerReport::instructions() const { return Sum(counters.instructions); }

double Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

double ClockMilliseconds(const RunReport& report, int64_t cycles) {
  return static_cast<double>(cycles) / (1000.0 * report.clock_mhz);
}

double FramesPerSecond(const RunReport& report, int64_t cycles) {
  return 1000.0 * static_cast<double>(report.batch) / ClockMilliseconds(report, cycles);
}

double PeakShare(const RunReport& report, const LayerReport& layer) {
  return static_cast<double>(layer.facts.macs) /
         (static_cast<double>(layer.time()->cycles) * static_cast<double>(report.macs_per_cycle));
}

std::optional<double> BoundShare(const LayerReport& layer) {
  if (!layer.time() || !layer.facts.bounds) return {};
  if (layer.time()->cycles < layer.facts.bounds->machine)
    return layer.shares_launch ? std::optional(1.0) : std::nullopt;
  return static_cast<double>(layer.facts.bounds->machine) /
         static_cast<double>(layer.time()->cycles);
}

std::string LostTo(const LayerReport& layer) {
  std::string text = layer.facts.bounds ? layer.facts.bounds->lost_to : "";
  if (!BoundShare(layer) || !layer.counters.causes) return text;
  const int64_t bound = layer.facts.bounds->machine;
  if (!IsAbove(layer.time()->cycles, bound, kFarFromBound)) return text;
  const std::string beyond = BeyondText(*layer.counters.causes, bound);
  return StrCat(text, text.empty() || beyond.empty() ? "" : "; ", beyond);
}

bool IsFarFromBound(int64_t cycles, int64_t bound) {
  return cycles < kShortLayer ? cycles - bound > kShortFarCycles
                              : IsAbove(cycles, bound, kFarFromBound);
}

std::string ReportTable(const RunReport& report, bool wide) {
  const LayerReport total = Total(report, "total", Anywhere);
  const LayerReport vta = Total(report, "on vta", OnVta);
  std::vector<LayerReport> rows = report.layers;
  const std::string reasons = MarkReasons(rows);
  const Losses losses(report.layers);
  std::vector<LayerReport> sums = {vta, Total(report, "on " + report.gpu, OnGpu),
                                   Total(report, "copies", IsCopy), Total(report, "on cpu", OnCpu)};
  std::erase_if(sums, [](const LayerReport& sum) { return sum.layers == 0; });
  if (sums.size() > 1) rows.insert(rows.end(), sums.begin(), sums.end());
  rows.push_back(total);
  std::string text = FittedTable(
      rows, [&](size_t shares) { return Columns(report, losses, total.counters, wide, shares); },
      wide);
  text += reasons + BoundText(total, losses) + ShareText(report, vta, total);
  if (report.assumed) text += TextOf(*report.assumed) + ": outputs mean nothing\n";
  text += SlowText(report);
  if (report.inexact) text += TextOf(*report.inexact) + "\n";
  text += LoadText(report) + CopiesText(report) + MemoryText(report.memory);
  const bool explained = total.counters.causes.has_value();
  if (explained)
    text += "critical path: what the run waited for, by unit and cause; a unit alone was busy\n";
  if (total.time() && (wide || !explained))
    text += fmt::format(
        "load, compute, store: % of cycles busy/waiting for a token/waiting for memory; else idle\n"
        "fetch: {}, where it waits for space in a module's queue instead of a token\n",
        ModuleText(total.time()->fetch, total.time()->cycles));
  if (total.time())
    text += fmt::format(
        "{} on the accelerator: {:.3f} ms, {:.1f} inferences/s at {:g} MHz{}\n",
        CountedWithCommas(total.time()->cycles, "cycle"),
        ClockMilliseconds(report, total.time()->cycles),
        FramesPerSecond(report, total.time()->cycles), report.clock_mhz,
        report.timing_hash ? StrCat("; timing hash ", Hex(*report.timing_hash, 16)) : "");
  if (report.energy) text += EnergyLine(*report.energy) + "\n";
  if (const auto& cycles = total.counters.estimated_cycles)
    text +=
        fmt::format("est. cycles: by the intervals that the kernels' pragmas ask for; {} in all\n",
                    WithCommas(*cycles));
  if (report.between_launches.value_or(0) > 0)
    text += fmt::format(
        "the timeline has {} more, between launches, in which the host reads and writes "
        "registers\n",
        WithCommas(*report.between_launches));
  text += FlightText(report) + HostsText(report);
  if (std::ranges::any_of(report.layers, [](const auto& layer) { return layer.layers > 1; }))
    text += StrCat("the layers of a launch are not told apart by ", report.engine,
                   "; --apart runs each alone\n");
  const std::string note = report.estimate ? ClockNote(*report.estimate) : "";
  return note.empty() ? text : text + note + "\n";
}

}  // namespace vta::tools
