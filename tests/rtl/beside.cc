#include "tests/rtl/beside.h"

#include <algorithm>
#include <cstring>

#include "isa/spec/timing.h"
#include "tests/support/random_kernels.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

constexpr int64_t kMostTrips = 160, kShortTrips = 6;
constexpr int64_t kMostElements = 24;  // of a LOAD
constexpr int64_t kFarElement = 1 << 20;

// Where the rows of a kernel lie.
enum Place : uint8_t { kLow, kHigh, kBoth };
constexpr int kPlaces = 3;

class Generator {
 public:
  Generator(const isa::Config& config, uint64_t seed)
      : draw_(seed),
        half_(config.arch.acc_depth / 2),
        spread_(std::max<int64_t>(1, std::min<int64_t>(half_ / 4, 16))),
        kernel_(std::min<int64_t>(config.arch.uop_depth / (2 * kPlaces), 24)) {
    program_.config = config;
    const int64_t element = std::max({config.inp_bytes(), config.wgt_bytes(), config.acc_bytes()});
    program_.memory.resize(
        std::max((kMostElements + 1) * element, config.arch.lut ? 2 * isa::kLutBytes : 0));
    const bool requants = draw_.OneIn(2);
    for (size_t at = 0; at < program_.memory.size(); at += 4) {
      const int32_t word =
          requants ? RequantWord(draw_) : static_cast<int32_t>(draw_.UpTo(0xffffffff));
      std::memcpy(program_.memory.data() + at, &word, 4);
    }
    // Tables of micro-ops, an ALU's and a GEMM's for each place; one behind the other.
    for (int64_t& table : tables_) table = AppendUops(program_, Table());
  }

  TestProgram Run() && {
    Begin();
    const int64_t count = 12 + draw_.UpTo(30);
    const int64_t broken = draw_.OneIn(3) ? draw_.UpTo(count - 1) : -1;
    const int64_t lead = 1 + draw_.UpTo(1);
    for (int64_t n = 0; n < count; ++n) {
      if (n + lead == broken) {
        // What is broken meets its fault while a long one runs, and perhaps another one is held.
        AddWithTokens(Alu(static_cast<Place>(draw_.UpTo(1)), kMostTrips));
        continue;
      }
      const bool near = n == broken || n + 1 == broken;
      if (!near && draw_.OneIn(8)) {
        AddShortOnes();
        continue;
      }
      const bool alu = near ? n == broken && draw_.OneIn(3) : n % 4 == 0 || draw_.OneIn(5);
      Instruction insn = alu ? AnyAlu() : Follower(near);
      if (n == broken) Break(insn);
      AddWithTokens(insn);
    }
    if (!draw_.OneIn(12)) Add({.opcode = static_cast<int64_t>(Opcode::kFinish)});
    return std::move(program_);
  }

 private:
  const isa::Arch& arch() const { return program_.config.arch; }
  void Add(const Instruction& insn) { program_.instructions.push_back(insn); }

  // Some are the last ones of the lower bank, from where a step or a block reaches the upper one.
  int64_t Row(Place place) {
    if (place == kLow && draw_.OneIn(24))
      return half_ - 1 - draw_.UpTo(std::min<int64_t>(half_ - 1, 3));
    const int64_t row = draw_.UpTo(spread_ - 1);
    return place == kHigh || (place == kBoth && draw_.OneIn(2)) ? half_ + row : row;
  }

  std::vector<isa::Uop> Table() {
    std::vector<isa::Uop> uops;
    for (Place place : {kLow, kHigh, kBoth})
      for (int64_t u = 0; u < kernel_; ++u) uops.push_back({Row(place), Row(place), 0});
    // A GEMM's lie in the rows of an ALU's.
    for (int64_t u = 0; u < kPlaces * kernel_; ++u)
      uops.push_back({uops[u].dst, draw_.UpTo(std::min<int64_t>(arch().inp_depth, 8) - 1),
                      draw_.UpTo(std::min<int64_t>(arch().wgt_depth, 8) - 1)});
    return uops;
  }

  void Begin() {
    Add(LoadRows(MemoryType::kInp, 0, std::min<int64_t>(arch().inp_depth, kMostElements), 0));
    Add(LoadRows(MemoryType::kWgt, 0, std::min<int64_t>(arch().wgt_depth, kMostElements), 0));
    program_.instructions.back().push_next = 1;
    Add(LoadUops());
    program_.instructions.back().pop_prev = 1;
    if (arch().lut) Add(LoadRows(MemoryType::kLut, 0, 1, 0));
    for (Place place : {kLow, kHigh})
      Add(LoadRows(MemoryType::kAcc, place == kHigh ? half_ : 0,
                   std::min<int64_t>(half_, kMostElements), 0));
  }

  Instruction LoadUops() {
    return LoadRows(MemoryType::kUop, 0, 2 * kPlaces * kernel_, tables_[draw_.UpTo(1)]);
  }

  // Steps that walk over so many rows, at most; a loop of one trip takes any step.
  void Walk(Instruction& insn, int64_t Instruction::*in, int64_t Instruction::*out, int64_t rows) {
    const auto factor = [&](int64_t trips) {
      return trips > 1 ? std::min<int64_t>(rows / (trips - 1), draw_.UpTo(2)) : draw_.UpTo(2);
    };
    insn.*in = factor(insn.iter_in);
    rows -= insn.*in * (insn.iter_in - 1);
    insn.*out = factor(insn.iter_out);
  }

  // A part of the table's kernel, with trips that mostly stay in the place.
  Instruction Loop(Opcode opcode, Place place, int64_t most_trips) {
    const bool gemm = opcode == Opcode::kGemm;
    const int64_t first = ((gemm ? kPlaces : 0) + int64_t{place}) * kernel_;
    Instruction insn{.opcode = static_cast<int64_t>(opcode)};
    insn.uop_begin = first + draw_.UpTo(kernel_ - 1);
    const int64_t most = draw_.OneIn(3) ? kernel_ : 3;
    insn.uop_end = std::min(first + kernel_, insn.uop_begin + 1 + draw_.UpTo(most - 1));
    const int64_t uops = insn.uop_end - insn.uop_begin;
    insn.iter_in = 1 + draw_.UpTo(std::max<int64_t>(1, most_trips / uops) - 1);
    insn.iter_out = draw_.OneIn(3) ? 1 + draw_.UpTo(2) : 1;
    // Of the lower bank's, some walk into the upper one.
    const int64_t rows = place == kLow && draw_.OneIn(8) ? half_ : half_ - spread_;
    Walk(insn, &Instruction::dst_factor_in, &Instruction::dst_factor_out, rows);
    return insn;
  }

  // ALU instructions of a micro-op each on one row, and a GEMM that reads what they wrote.
  void AddShortOnes() {
    const auto place = static_cast<Place>(draw_.UpTo(1));
    const int64_t at = draw_.UpTo(kernel_ - 1);
    const auto add = [&](Instruction insn, int64_t first) {
      insn.uop_begin = first + at, insn.uop_end = insn.uop_begin + 1;
      insn.iter_in = insn.iter_out = 1;
      draw_.OneIn(6) ? AddWithTokens(insn) : Add(insn);
    };
    for (int64_t n = draw_.UpTo(2); n >= 0; --n) add(Alu(place, 1), place * kernel_);
    add(Loop(Opcode::kGemm, place, 1), (kPlaces + place) * kernel_);
  }

  Instruction AnyAlu() {
    const auto place = static_cast<Place>(draw_.OneIn(8) ? int64_t{kBoth} : draw_.UpTo(1));
    return Alu(place, draw_.OneIn(4) ? kShortTrips : kMostTrips);
  }

  Instruction Alu(Place place, int64_t most_trips) {
    Instruction insn = Loop(Opcode::kAlu, place, most_trips);
    do {
      insn.alu_opcode = draw_.UpTo(static_cast<int64_t>(LastAluOp(arch())));
    } while (!isa::FindAluOp(arch(), insn.alu_opcode));
    const bool requant = !isa::FindAluOp(arch(), insn.alu_opcode)->apply;
    insn.use_imm = requant ? 0 : draw_.UpTo(1);
    insn.imm = draw_.UpTo(40) - 20;
    if (!insn.use_imm && !requant && draw_.OneIn(2)) {
      insn.src_factor_in = insn.dst_factor_in;
      insn.src_factor_out = insn.dst_factor_out;
    } else if (draw_.OneIn(4)) {
      // Also where nothing is read from src.
      Walk(insn, &Instruction::src_factor_in, &Instruction::src_factor_out,
           std::max<int64_t>(0, half_ - spread_ - (requant ? 2 : 0)));
    }
    return insn;
  }

  Instruction Follower(bool is_short) {
    const int64_t percent = draw_.UpTo(99);
    if (percent < 60) {
      Instruction insn = Loop(Opcode::kGemm, static_cast<Place>(draw_.UpTo(kBoth)),
                              !is_short && draw_.OneIn(3) ? kMostTrips : kShortTrips);
      insn.reset = draw_.OneIn(4);
      insn.overwrite = arch().overwrite && draw_.OneIn(4);
      return insn;
    }
    if (arch().lut && percent < 68) return LoadRows(MemoryType::kLut, 0, 1, draw_.UpTo(1));
    if (percent < 80) return LoadAcc();
    if (percent < 86) return LoadUops();
    if (percent < 93) return Carrier(draw_, Module::kCompute);
    return SetMode();
  }

  Instruction LoadAcc() {
    const MemoryType type = arch().acc8 && draw_.OneIn(2) ? MemoryType::kAcc8 : MemoryType::kAcc;
    const int64_t row = draw_.UpTo(arch().acc_depth - 1);
    const int64_t room = arch().acc_depth - row;
    Instruction insn =
        LoadRows(type, row, 1 + draw_.UpTo(std::min<int64_t>(room, 4) - 1), draw_.UpTo(4));
    insn.y_pad_top = draw_.UpTo((room - insn.x_size) / insn.x_size > 0 ? 1 : 0);
    insn.pad_select = draw_.UpTo(1);
    return insn;
  }

  Instruction SetMode() {
    for (const isa::ModeSpec& mode : isa::kModeTable)
      if (mode.module == Module::kCompute && arch().*mode.flag && draw_.OneIn(2))
        return Set(mode.code, draw_.UpTo(mode.high));
    return Carrier(draw_, Module::kCompute);
  }

  // Late in what the instruction does, where it does something.
  void Break(Instruction& insn) {
    const auto opcode = static_cast<Opcode>(insn.opcode);
    if (draw_.OneIn(5)) {
      insn = {.opcode = 7};
    } else if (opcode == Opcode::kLoad && draw_.OneIn(2)) {
      insn.dram_base = kFarElement;
    } else if (opcode == Opcode::kLoad) {
      insn.sram_base = 65535;
    } else if (insn.iter_in > 1 && !draw_.OneIn(4)) {
      const bool src = opcode == Opcode::kAlu && !insn.use_imm && draw_.OneIn(2);
      int64_t& factor = src ? insn.src_factor_in : insn.dst_factor_in;
      // By the steps alone, or by them and the micro-op in the upper bank.
      const int64_t rows = draw_.OneIn(2) ? arch().acc_depth : half_;
      factor = (rows + insn.iter_in - 2) / (insn.iter_in - 1);
      factor = std::min(factor, arch().acc_depth - 1);
    } else {
      if (draw_.OneIn(2))
        insn.uop_begin = arch().uop_depth - 1 - draw_.UpTo(isa::timing::kKernelUops - 2);
      insn.uop_end = arch().uop_depth + 1;
    }
  }

  // Load and store give what it takes, before it, and take what it gives, mostly.
  void AddWithTokens(Instruction insn) {
    const auto carry = [&](Module module, int64_t Instruction::*bit) {
      Instruction carrier = Carrier(draw_, module);
      carrier.*bit = 1;
      Add(carrier);
    };
    insn.pop_prev = draw_.OneIn(6), insn.pop_next = draw_.OneIn(6);
    insn.push_prev = draw_.OneIn(3), insn.push_next = draw_.OneIn(3);
    if (insn.pop_prev) carry(Module::kLoad, &Instruction::push_next);
    if (insn.pop_next) carry(Module::kStore, &Instruction::push_prev);
    Add(insn);
    if (insn.push_prev && !draw_.OneIn(40)) carry(Module::kLoad, &Instruction::pop_next);
    if (insn.push_next && !draw_.OneIn(40)) carry(Module::kStore, &Instruction::pop_prev);
  }

  Draw draw_;
  int64_t half_, spread_, kernel_;
  TestProgram program_;
  int64_t tables_[2] = {};
};

}  // namespace

TestProgram BesideProgram(const isa::Config& config, uint64_t seed) {
  return Generator(config, seed).Run();
}

}  // namespace vta::test
