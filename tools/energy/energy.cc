#include "tools/energy/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "isa/spec/modules.h"
#include "tools/area/predict.h"

namespace vta::tools {
namespace {

using isa::MemoryType;

constexpr char kMacs[] = "MACs", kAlu[] = "ALU", kPads[] = "scratchpads",
               kRegisters[] = "registers", kClock[] = "clock", kMemory[] = "DRAM",
               kStatic[] = "static";
constexpr int64_t kProductBits = isa::kInpBits + isa::kWgtBits;
/// What requant adds and compares: bias, rounding, zero point, two limits.
constexpr int kRequantAdds = 5;

double LanePj(const Technology& technology, const isa::Arch& arch, isa::AluOp op) {
  const double bits = static_cast<double>(arch.requant_multiplier_bits);
  switch (op) {
    case isa::AluOp::kMin:
    case isa::AluOp::kMax:
    case isa::AluOp::kAdd:
      return technology.add_pj;
    case isa::AluOp::kShr:
      return technology.shift_pj;
    case isa::AluOp::kMul:
      return technology.multiply_pj;
    case isa::AluOp::kRequant:
      return technology.multiply_pj * bits / isa::kAccBits + technology.shift_pj +
             kRequantAdds * technology.add_pj;
    case isa::AluOp::kLut:  // each lane reads its own table
      return LanePj(technology, arch, isa::AluOp::kRequant) +
             technology.sram_pj.OfRow(isa::kLutBytes, isa::kOutBits);
  }
  return 0;
}

int64_t RowBits(const isa::Config& config, MemoryType pad) {
  return 8 * isa::kMemories[static_cast<size_t>(pad)].dram_element_bytes(config);
}

int64_t RowsOf(const isa::Config& config, MemoryType pad) {
  return config.arch.*isa::kMemories[static_cast<size_t>(pad)].depth;
}

// Rows of one energy, in the order of reports.
class Rows {
 public:
  Rows(const EnergyModel& model, const isa::Config& config) : model_(model), config_(config) {}

  void Compute(const Events& events) {
    const Technology& technology = model_.technology;
    Add(kMacs, "MAC", "operation", events.macs, technology.mac_pj);
    for (const isa::AluOpSpec& op : isa::kAluOps)
      if (!op.flag || config_.arch.*op.flag)
        Add(kAlu, std::string(op.name), "operation", events.lanes[static_cast<size_t>(op.code)],
            LanePj(technology, config_.arch, op.code));
  }
  void Scratchpads(const Events& events) {
    int64_t bits = kProductBits * events.macs;
    for (size_t pad = 0; pad < kScratchpads; ++pad) {
      const auto type = static_cast<MemoryType>(pad);
      const int64_t row_bits = RowBits(config_, type);
      const double pj = model_.technology.sram_pj.OfRow(RowsOf(config_, type), row_bits);
      const std::string name(isa::kMemories[pad].name);
      Add(kPads, name + " read", "row", events.reads[pad], pj);
      Add(kPads, name + " written", "row", events.writes[pad], pj);
      bits += row_bits * (events.reads[pad] + events.writes[pad]);
    }
    Add(kRegisters, "pipeline", "bit", bits, model_.technology.register_write_pj);
  }
  void Dram(const Events& events) {
    Add(kMemory, "instructions read", "byte", events.instruction_bytes, model_.dram_pj());
    for (const isa::MemorySpec& memory : isa::kMemories)
      if (!memory.flag || config_.arch.*memory.flag)
        Add(kMemory, StrCat(memory.name, memory.storable ? " written" : " read"), "byte",
            events.bytes[static_cast<size_t>(memory.code)], model_.dram_pj());
  }
  void Cycles(const Clocking& clocking, const Resources& resources) {
    const Technology& technology = model_.technology;
    const double clock_pj = resources.ff * technology.register_clock_pj;
    Add(kClock, "compute busy", "cycle", clocking.busy, clock_pj);
    Add(kClock, "compute idle", "cycle", clocking.cycles - clocking.busy, clock_pj);
    const double logic_nw =
        static_cast<double>(config_.macs_per_cycle()) * technology.static_mac_nw +
        resources.ff * technology.static_flip_flop_nw + resources.lut * technology.static_lut_nw;
    // 1 nW for a cycle of 1 us is 0.001 pJ.
    const double pj = 1e-3 / clocking.mhz;
    Add(kStatic, "logic", "cycle", clocking.cycles, pj * logic_nw);
    Add(kStatic, "memories", "cycle", clocking.cycles,
        pj * static_cast<double>(ScratchpadBytes(config_)) * technology.static_sram_byte_nw);
  }
  std::vector<EnergyRow> Take() { return std::move(rows_); }

 private:
  void Add(const char* group, std::string name, const char* unit, int64_t count, double pj) {
    rows_.push_back({group, std::move(name), unit, count, pj});
  }

  const EnergyModel& model_;
  const isa::Config& config_;
  std::vector<EnergyRow> rows_;
};

}  // namespace

Clocking ClockingOf(const isa::Time& time, double mhz) {
  return {time.cycles, time.modules[static_cast<size_t>(isa::Module::kCompute)].busy, mhz};
}

double Energy::mj() const {
  double sum = 0;
  for (const EnergyRow& row : rows) sum += row.mj();
  return sum;
}

std::vector<std::pair<std::string, double>> Energy::Groups() const {
  std::vector<std::pair<std::string, double>> groups;
  for (const EnergyRow& row : rows) {
    if (groups.empty() || groups.back().first != row.group) groups.emplace_back(row.group, 0);
    groups.back().second += row.mj();
  }
  std::ranges::stable_sort(groups, std::greater<>(), &std::pair<std::string, double>::second);
  return groups;
}

Energy EnergyOf(const EnergyModel& model, const isa::Config& config, const Events& events,
                const Clocking& clocking, const Resources& resources) {
  Rows rows(model, config);
  rows.Compute(events);
  rows.Scratchpads(events);
  rows.Dram(events);
  rows.Cycles(clocking, resources);
  return {model.technology.name, model.dram,
          static_cast<double>(clocking.cycles) / (1000 * clocking.mhz), rows.Take()};
}

std::string EnergyLine(const Energy& energy) {
  const double all = energy.mj();
  std::string text =
      fmt::format("energy (a model: {}, {}): {:.3g} mJ, {:.3g} mW; dominated by ",
                  Visible(energy.technology), Visible(energy.dram), all, 1000 * all / energy.ms);
  const auto groups = energy.Groups();
  for (size_t i = 0; i < 2; ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", groups[i].first,
                        all > 0 ? 100 * groups[i].second / all : 0);
  return text;
}

Json EnergyJson(const Energy& energy) {
  Json::Array rows;
  for (const EnergyRow& row : energy.rows)
    rows.push_back(Json()
                       .Set("group", row.group)
                       .Set("name", row.name)
                       .Set("unit", row.unit)
                       .Set("count", row.count)
                       .Set("pj_each", row.pj)
                       .Set("mj", row.mj()));
  return Json()
      .Set("is_model", true)
      .Set("technology", energy.technology)
      .Set("dram", energy.dram)
      .Set("mj", energy.mj())
      .Set("mw", 1000 * energy.mj() / energy.ms)
      .Set("rows", std::move(rows));
}

}  // namespace vta::tools
