// One launch in progress: the module queues, the token queues, and each module's place within its
// instruction.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "sim/functional/machine.h"

namespace vta::sim {

class Execution {
 public:
  Execution(const isa::Layout& layout, const MachineOptions& options,
            const isa::LaunchRequest& launch, std::span<uint8_t> dram, Scratchpads& pads,
            SimdEngine* simd);
  isa::LaunchResult Run();

 private:
  // What a module does next with the instruction at the head of its queue.
  enum class Stage : uint8_t { kDecode, kPopPrev, kPopNext, kExecute, kPushPrev, kPushNext };
  struct Queued {
    int64_t index;
    isa::Word word;
  };
  struct ModuleRun {
    std::vector<Queued> queue;  // all that the stream has for it
    size_t handed_on = 0;       // of these
    size_t head = 0;
    Stage stage = Stage::kDecode;
    isa::Instruction insn;  // of the head, once decoded
    isa::Fault fault = isa::Fault::kNone;
    bool drained() const { return head == handed_on; }
    size_t not_started() const { return handed_on - head - (stage > Stage::kPopNext ? 1 : 0); }
  };

  void ReadStream();
  /// Fetch: hands instructions on until one has no space in its module's command queue.
  void HandOn();
  ModuleRun& run(isa::Module module) { return runs_[static_cast<int>(module)]; }
  const ModuleRun& run(isa::Module module) const { return runs_[static_cast<int>(module)]; }
  int64_t& tokens(isa::Queue queue) { return tokens_[static_cast<int>(queue)]; }
  int64_t tokens(isa::Queue queue) const { return tokens_[static_cast<int>(queue)]; }
  uint64_t AddressOf(int64_t index) const {
    return launch_.instruction_address + static_cast<uint64_t>(index) * isa::kInstructionBytes;
  }

  /// What keeps the module from its next stage; `queue` is that of a token or space.
  isa::Wait Blocked(isa::Module module, isa::Queue* queue = nullptr) const;
  bool CanMove(isa::Module module) const;
  /// The module that moves next, by the order of the options; false when none can.
  bool Choose(isa::Module* module);
  /// Takes stages until the instruction is complete, or one of them has to wait.
  void Advance(isa::Module module);
  void TakeStage(isa::Module module);
  void Execute(isa::Module module);
  Progress RunInstruction(isa::Module module);
  Progress RunMemory(isa::Module module);
  Progress RunCompute(isa::Module module);
  Progress Gemm(const isa::Instruction& insn);
  Progress Alu(const isa::Instruction& insn);
  void Trace(isa::Module module, const Progress& progress);
  void CollectWrites(isa::Module module, const Progress& progress,
                     std::vector<Write>& writes) const;
  isa::FetchState ReportFetch() const;
  isa::LaunchResult Report() const;

  const isa::Layout& layout_;
  const MachineOptions& options_;
  const isa::LaunchRequest& launch_;
  std::span<uint8_t> dram_;
  Scratchpads& pads_;
  SimdEngine* simd_;  // or null
  Deadline deadline_;
  std::mt19937_64 random_;
  std::vector<isa::Module> stream_;  // where each instruction goes
  size_t handed_on_ = 0;             // of these
  bool past_memory_ = false;         // the launch asks for more than the memory holds
  std::array<ModuleRun, isa::kModules> runs_;
  std::array<int64_t, isa::kQueues> tokens_ = {};
  std::array<int64_t, isa::kModes> modes_ = {};
  isa::Counters counters_;
  bool finished_ = false, stopped_ = false;
};

}  // namespace vta::sim
