#include "tests/support/random_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "isa/spec/requant.h"
#include "tests/support/random_kernels.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

constexpr int64_t kRegions = 5;   // of data that tiles load and store
constexpr int64_t kMostRows = 8;  // of a slot, on a machine that the seed draws
constexpr int64_t kNever = -1000;

class Generator {
 public:
  Generator(const isa::Config* config, uint64_t seed, int64_t tiles, int64_t most_rows)
      : draw_(seed), tiles_(tiles), most_rows_(most_rows) {
    program_.config = config ? *config : RandomConfig(draw_);
    PlanMemory();
    for (uint8_t& byte : program_.memory) byte = static_cast<uint8_t>(draw_.UpTo(255));
    if (config && config->arch.requant) PlaceRequantBlock();
    for (int64_t& base : program_.bases) base = unit_ * draw_.UpTo(4);
    last_stored_.fill(kNever);
    PlanSlots();
  }

  TestProgram Run() && {
    for (int64_t tile = 0; tile < tiles_; ++tile) {
      LoadTile(tile);
      ComputeTile(tile);
      StoreTile(tile);
    }
    Instruction finish{.opcode = static_cast<int64_t>(Opcode::kFinish)};
    if (draw_.OneIn(2)) {
      lists_[2].back().push_prev = 1;
      finish.pop_next = 1;
    }
    lists_[1].push_back(finish);
    Merge();
    return std::move(program_);
  }

 private:
  std::vector<Instruction>& List(Module module) { return lists_[static_cast<int>(module)]; }

  // The bases, then constants, then the regions. A unit holds the largest element.
  void PlanMemory() {
    const isa::Config& c = program_.config;
    unit_ = std::max(
        {c.inp_bytes(), c.wgt_bytes(), c.acc_bytes(), c.arch.lut ? isa::kLutBytes : int64_t{1}});
    const int64_t element = std::max(c.inp_bytes(), c.acc_bytes());
    region_bytes_ = 2 * most_rows_ * element;
    constants_ = 5 * unit_;
    const int64_t bytes = std::max((most_rows_ + 3) * unit_, (2 * most_rows_ + 2) * element);
    first_region_ = constants_ + (bytes + unit_ - 1) / unit_ * unit_;
    program_.memory.resize(first_region_ + kRegions * region_bytes_);
  }

  // Parameters that bring sums of products into int8, with ties: random ones hardly ever do.
  void PlaceRequantBlock() {
    const int64_t row = program_.config.acc_bytes();
    for (int64_t at = constants_; at < constants_ + row; at += 4) {
      const isa::RequantLane lane{.bias = static_cast<int32_t>(draw_.UpTo(400) - 200),
                                  .multiplier = 0x40000000 >> draw_.UpTo(2),
                                  .exponent = static_cast<int8_t>(draw_.UpTo(12) - 11),
                                  .zero_point = static_cast<int8_t>(draw_.UpTo(20) - 10)};
      const int32_t words[] = {lane.bias, lane.multiplier, isa::PackRequant(lane)};
      for (int r = 0; r < isa::kRequantRows; ++r)
        std::memcpy(program_.memory.data() + at + r * row, &words[r], 4);
    }
  }

  void PlanSlots() {
    const isa::Arch& arch = program_.config.arch;
    // The parameter block of requant lies below the accumulator slots.
    constexpr int64_t kFirstAcc = isa::kRequantRows;
    inp_slots_ = 1 + draw_.UpTo(2);
    acc_slots_ = std::min(1 + draw_.UpTo(1), arch.acc_depth - kFirstAcc);
    resident_wgt_ = draw_.OneIn(3);
    const int64_t wgt_slots = resident_wgt_ ? 1 : inp_slots_;
    const auto rows = [&](int64_t most, int64_t room) {
      return 1 + draw_.UpTo(std::min(most, room) - 1);
    };
    inp_ = PlaceSlots(draw_, inp_slots_, rows(most_rows_, arch.inp_depth / inp_slots_), 0);
    wgt_ = PlaceSlots(draw_, wgt_slots, rows(most_rows_ / 2, arch.wgt_depth / wgt_slots), 0);
    acc_ = PlaceSlots(draw_, acc_slots_,
                      rows(most_rows_, (arch.acc_depth - kFirstAcc) / acc_slots_), kFirstAcc);
  }
  const Slot& Inp(int64_t tile) const { return inp_[tile % inp_slots_]; }
  const Slot& Wgt(int64_t tile) const { return wgt_[resident_wgt_ ? 0 : tile % inp_slots_]; }
  const Slot& Acc(int64_t tile) const { return acc_[tile % acc_slots_]; }

  /// The address of a data region that only tiles up to `newest_store` store to; -1 where there is
  /// none.
  int64_t Region(int64_t newest_store) {
    std::vector<int64_t> fit;
    for (int64_t r = 0; r < kRegions; ++r)
      if (last_stored_[r] <= newest_store) fit.push_back(r);
    return fit.empty() ? -1 : first_region_ + region_bytes_ * fit[draw_.UpTo(std::ssize(fit) - 1)];
  }

  /// The element of a type at a byte address.
  int64_t Element(MemoryType type, int64_t address) const {
    const int64_t bytes = isa::FindMemory(program_.config.arch, static_cast<int64_t>(type))
                              ->dram_element_bytes(program_.config);
    return (address - program_.bases[isa::BaseRegister(type)]) / bytes;
  }

  void LoadTile(int64_t tile) {
    std::vector<Instruction> ops;
    if (program_.config.arch.pad_value && draw_.OneIn(2))
      ops.push_back(Set(isa::Mode::kPadLoad, draw_.UpTo(255)));
    // A store of tile s reaches the load of tile s + acc slots + inp slots through compute.
    const int64_t region = Region(tile - acc_slots_ - inp_slots_);
    const int64_t from = region < 0 ? constants_ : region;
    for (const Instruction& op : LoadSlot(draw_, program_.config, MemoryType::kInp, Inp(tile),
                                          Element(MemoryType::kInp, from)))
      ops.push_back(op);
    if (!resident_wgt_ || tile == 0)
      for (const Instruction& op : LoadSlot(draw_, program_.config, MemoryType::kWgt, Wgt(tile),
                                            Element(MemoryType::kWgt, constants_)))
        ops.push_back(op);
    if (tile >= inp_slots_) PopAt(Module::kLoad, ops, 0, true);
    PushAt(Module::kLoad, ops, std::ssize(ops) - 1, true);
    Append(Module::kLoad, ops);
  }

  void ComputeTile(int64_t tile) {
    std::vector<Instruction> ops;
    KernelWriter writer{draw_, program_, uops_, ops};
    const isa::Arch& arch = program_.config.arch;
    if (tile == 0 && arch.requant)
      ops.push_back(
          LoadRows(MemoryType::kAcc, 0, isa::kRequantRows, Element(MemoryType::kAcc, constants_)));
    if (arch.lut && (tile == 0 || draw_.OneIn(4)))
      ops.push_back(
          LoadRows(MemoryType::kLut, 0, 1, Element(MemoryType::kLut, constants_) + draw_.UpTo(1)));
    if (arch.requant && draw_.OneIn(3)) ops.push_back(Set(isa::Mode::kRounding, draw_.UpTo(1)));
    if (arch.pad_value && draw_.OneIn(3))
      ops.push_back(Set(isa::Mode::kPadCompute, draw_.UpTo(255)));

    std::vector<bool> out_written(Acc(tile).rows, false);
    const int64_t first = std::ssize(ops);  // from here on acc and out are written
    const int64_t region = Region(tile - acc_slots_);
    const bool loads = region >= 0 && draw_.OneIn(2);
    const bool overwrites = !loads && arch.overwrite && draw_.OneIn(2);
    if (loads) {
      const MemoryType type = arch.acc8 && draw_.OneIn(2) ? MemoryType::kAcc8 : MemoryType::kAcc;
      for (const Instruction& op :
           LoadSlot(draw_, program_.config, type, Acc(tile), Element(type, region)))
        ops.push_back(op);
    } else {
      out_written.assign(out_written.size(), true);
      if (!overwrites) writer.Reset(Acc(tile));
    }
    const int64_t first_gemm = std::ssize(ops);
    if (overwrites) writer.Overwrite(Acc(tile), Inp(tile), Wgt(tile));
    for (int64_t n = 1 + draw_.UpTo(1); n > 0; --n)
      writer.Gemm(Acc(tile), Inp(tile), Wgt(tile), out_written);
    const int64_t last_gemm = std::ssize(ops) - 1;
    for (int64_t n = draw_.UpTo(2); n > 0; --n) writer.Alu(Acc(tile), out_written);
    if (!std::ranges::all_of(out_written, [](bool written) { return written; }))
      writer.ImmediateOnAll(Acc(tile));
    const int64_t last = std::ssize(ops) - 1;

    // From the back, because carriers shift what comes after them.
    PushAt(Module::kCompute, ops, last, true);
    if (tile + inp_slots_ < tiles_)
      PushAt(Module::kCompute, ops, last_gemm + draw_.UpTo(last - last_gemm), false);
    PopAt(Module::kCompute, ops, draw_.UpTo(first_gemm), false);
    if (tile >= acc_slots_) PopAt(Module::kCompute, ops, draw_.UpTo(first), true);
    Append(Module::kCompute, ops);
  }

  void StoreTile(int64_t tile) {
    const int64_t region = draw_.UpTo(kRegions - 1);
    last_stored_[region] = tile;
    std::vector<Instruction> ops = StoreSlot(
        draw_, Acc(tile), Element(MemoryType::kOut, first_region_ + region_bytes_ * region));
    if (tile + acc_slots_ < tiles_) PushAt(Module::kStore, ops, std::ssize(ops) - 1, false);
    PopAt(Module::kStore, ops, 0, false);
    Append(Module::kStore, ops);
  }

  /// Sets the bit on ops[at], or on a no-op before it.
  void PopAt(Module module, std::vector<Instruction>& ops, int64_t at, bool next) {
    if (draw_.OneIn(6)) ops.insert(ops.begin() + at, Carrier(draw_, module));
    (next ? ops[at].pop_next : ops[at].pop_prev) = 1;
  }
  /// Sets the bit on ops[at], or on a no-op after it.
  void PushAt(Module module, std::vector<Instruction>& ops, int64_t at, bool next) {
    if (draw_.OneIn(6)) ops.insert(ops.begin() + ++at, Carrier(draw_, module));
    (next ? ops[at].push_next : ops[at].push_prev) = 1;
  }

  void Append(Module module, const std::vector<Instruction>& ops) {
    List(module).insert(List(module).end(), ops.begin(), ops.end());
  }

  /// One stream of the three lists, FINISH last: mostly serially legal, now and then any order.
  void Merge() {
    const bool serial = !draw_.OneIn(8);
    std::array<int64_t, isa::kModules> at = {};
    std::array<int64_t, isa::kQueues> tokens = {};
    const auto space = [&](bool push, Module module, bool next) {
      return !push || tokens[static_cast<int>(PushQueue(module, next))] <
                          program_.config.arch.token_capacity;
    };
    const auto ready = [&](int m) {
      if (at[m] == std::ssize(lists_[m])) return false;
      const Instruction& op = lists_[m][at[m]];
      if (op.opcode == static_cast<int64_t>(Opcode::kFinish) &&
          (at[0] < std::ssize(lists_[0]) || at[2] < std::ssize(lists_[2])))
        return false;
      const auto module = static_cast<Module>(m);
      return !serial || ((!op.pop_prev || tokens[static_cast<int>(PopQueue(module, false))] > 0) &&
                         (!op.pop_next || tokens[static_cast<int>(PopQueue(module, true))] > 0));
    };
    // In the order of a serial stream no push waits where another module can go on.
    const auto pushes = [&](int m) {
      const Instruction& op = lists_[m][at[m]];
      const auto module = static_cast<Module>(m);
      return space(op.push_prev, module, false) && space(op.push_next, module, true);
    };
    for (;;) {
      std::vector<int> fit, free;
      for (int m = 0; m < isa::kModules; ++m)
        if (ready(m)) fit.push_back(m);
      if (fit.empty()) return;
      std::ranges::copy_if(fit, std::back_inserter(free), pushes);
      if (serial && !free.empty()) fit = free;
      const int m = fit[draw_.UpTo(std::ssize(fit) - 1)];
      const Instruction& op = lists_[m][at[m]++];
      const auto module = static_cast<Module>(m);
      if (op.pop_prev) --tokens[static_cast<int>(PopQueue(module, false))];
      if (op.pop_next) --tokens[static_cast<int>(PopQueue(module, true))];
      if (op.push_prev) ++tokens[static_cast<int>(PushQueue(module, false))];
      if (op.push_next) ++tokens[static_cast<int>(PushQueue(module, true))];
      program_.instructions.push_back(op);
    }
  }

  Draw draw_;
  int64_t tiles_, most_rows_;
  TestProgram program_;
  int64_t unit_ = 0, constants_ = 0, first_region_ = 0, region_bytes_ = 0;
  int64_t inp_slots_ = 1, acc_slots_ = 1;
  bool resident_wgt_ = false;
  std::vector<Slot> inp_, wgt_, acc_;
  std::array<int64_t, kRegions> last_stored_;
  std::vector<std::optional<isa::Uop>> uops_;  // what the micro-op memory holds
  std::array<std::vector<Instruction>, isa::kModules> lists_;
};

}  // namespace

TestProgram RandomProgram(uint64_t seed, int64_t tiles) {
  return Generator(nullptr, seed, tiles, kMostRows).Run();
}
TestProgram RandomProgram(const isa::Config& config, uint64_t seed, int64_t tiles,
                          int64_t most_rows) {
  return Generator(&config, seed, tiles, most_rows).Run();
}

}  // namespace vta::test
