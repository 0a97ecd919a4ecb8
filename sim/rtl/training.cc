#include "sim/rtl/training.h"

#include <algorithm>
#include <cstring>

#include "isa/codec.h"
#include "isa/support/error.h"
#include "sim/rtl/machine.h"

namespace vta::sim {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

constexpr int64_t kTiles = 12, kSteps = 8;  // GEMMs of a tile
constexpr int64_t kCycleLimit = 200'000;
constexpr int64_t kPageBytes = 4096, kUopBytes = 4;
constexpr int64_t kSlotBytes = 8192;  // of data in memory

// Elements of a slot: two slots fill a scratchpad, unless it is large.
int64_t SlotOf(int64_t depth, int64_t bytes) {
  return std::min({depth / 2, int64_t{256}, std::max<int64_t>(kSlotBytes / bytes, 1)});
}

class Writer {
 public:
  explicit Writer(const isa::Config& config)
      : layout_(config),
        inp_(SlotOf(config.arch.inp_depth, config.inp_bytes())),
        wgt_(SlotOf(config.arch.wgt_depth, config.wgt_bytes())),
        acc_(SlotOf(config.arch.acc_depth, config.out_bytes())),
        uops_(std::min<int64_t>(config.arch.uop_depth / 4, 32)) {}

  TrainingLaunch Run() && {
    LoadKernels();
    for (int64_t tile = 0; tile < kTiles; ++tile) Tile(tile);
    Add({.opcode = static_cast<int64_t>(Opcode::kFinish)});
    return Place();
  }

 private:
  Instruction& Add(const Instruction& insn) {
    program_.push_back(insn);
    return program_.back();
  }

  // Consecutive elements from the first of their memory's base on.
  static Instruction Move(Opcode opcode, MemoryType type, int64_t row, int64_t rows) {
    return {.opcode = static_cast<int64_t>(opcode),
            .memory_type = static_cast<int64_t>(type),
            .sram_base = row,
            .y_size = 1,
            .x_size = rows,
            .x_stride = rows};
  }

  // A kernel of products for each pair of slots.
  void LoadKernels() {
    for (int64_t slot = 0; slot < 4; ++slot)
      for (int64_t u = 0; u < uops_; ++u)
        kernels_.push_back({.dst = slot / 2 * acc_ + u % acc_,
                            .src = slot % 2 * inp_ + u % inp_,
                            .wgt = slot % 2 * wgt_ + u % wgt_});
    Add(Move(Opcode::kLoad, MemoryType::kUop, 0, std::ssize(kernels_)));
  }

  Instruction Loop(Opcode opcode, int64_t slot, int64_t trips) const {
    return {.opcode = static_cast<int64_t>(opcode),
            .uop_begin = slot * uops_,
            .uop_end = (slot + 1) * uops_,
            .iter_out = 1,
            .iter_in = trips};
  }

  void Tile(int64_t tile) {
    const int64_t acc = tile % 2;
    Instruction reset = Loop(Opcode::kGemm, 2 * acc, 1);
    reset.reset = 1;
    reset.pop_next = tile >= 2;  // the STORE of what this slot held
    Add(reset);
    for (int64_t step = 0; step < kSteps; ++step) Step(acc);
    for (isa::AluOp op : {isa::AluOp::kAdd, isa::AluOp::kShr, isa::AluOp::kMax, isa::AluOp::kMin}) {
      Instruction alu = Loop(Opcode::kAlu, 2 * acc, 2);
      alu.alu_opcode = static_cast<int64_t>(op);
      alu.use_imm = 1, alu.imm = 3;
      Add(alu);
    }
    program_.back().push_next = 1;
    Instruction& store = Add(Move(Opcode::kStore, MemoryType::kOut, acc * acc_, acc_));
    store.pop_prev = 1;
    store.push_prev = tile + 2 < kTiles;
  }

  void Load(int64_t step) {
    const int64_t slot = step % 2;
    Add(Move(Opcode::kLoad, MemoryType::kInp, slot * inp_, inp_)).pop_next = step >= 2;
    Add(Move(Opcode::kLoad, MemoryType::kWgt, slot * wgt_, wgt_)).push_next = 1;
  }

  // The next one's LOADs come first: so one token a queue will do, and short command queues.
  void Step(int64_t acc) {
    if (steps_ == 0) Load(0);
    if (steps_ + 1 < kTiles * kSteps) Load(steps_ + 1);
    Instruction gemm = Loop(Opcode::kGemm, 2 * acc + steps_ % 2, 24);
    gemm.pop_prev = 1;
    gemm.push_prev = steps_ + 2 < kTiles * kSteps;
    Add(gemm);
    ++steps_;
  }

  // The program, its micro-ops, and behind them what LOADs read and STOREs write.
  TrainingLaunch Place() const {
    const auto on_pages = [](int64_t bytes) {
      return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    };
    const isa::Config& config = layout_.config();
    const int64_t code = on_pages(std::ssize(program_) * isa::kInstructionBytes);
    const int64_t uops = on_pages(std::ssize(kernels_) * kUopBytes);
    const int64_t data =
        std::max({inp_ * config.inp_bytes(), wgt_ * config.wgt_bytes(), acc_ * config.out_bytes()});
    TrainingLaunch result;
    result.dram.resize(static_cast<size_t>(code + uops + on_pages(data)));
    for (size_t i = 0; i < result.dram.size(); ++i) result.dram[i] = static_cast<uint8_t>(i * 37);
    for (size_t i = 0; i < program_.size(); ++i)
      isa::StoreWord(isa::Encode(layout_, program_[i]),
                     result.dram.data() + i * isa::kInstructionBytes);
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const uint32_t word = isa::EncodeUop(layout_, kernels_[i]);
      std::memcpy(result.dram.data() + code + i * kUopBytes, &word, kUopBytes);
    }
    result.launch.instruction_count = std::ssize(program_);
    result.launch.base.fill(static_cast<uint64_t>(code + uops));
    result.launch.base[isa::BaseRegister(MemoryType::kUop)] = static_cast<uint64_t>(code);
    return result;
  }

  isa::Layout layout_;
  int64_t inp_, wgt_, acc_;  // elements of a slot
  int64_t uops_;             // of a kernel
  std::vector<isa::Uop> kernels_;
  std::vector<Instruction> program_;
  int64_t steps_ = 0;
};

}  // namespace

TrainingLaunch MakeTrainingLaunch(const isa::Config& config) { return Writer(config).Run(); }

void Train(const isa::Config& config, const std::string& model) {
  TrainingLaunch training = MakeTrainingLaunch(config);
  try {
    RtlMachine machine(config, {.cycle_limit = kCycleLimit}, {.model = model});
    machine.Run(training.launch, training.dram);
  } catch (const Error&) {
  }
}

}  // namespace vta::sim
