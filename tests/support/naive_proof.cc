#include "tests/support/naive_proof.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "isa/spec/requant.h"
#include "tests/support/reference_machine.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::Module;
using isa::Opcode;
using isa::Queue;

/// What an instruction touches: (memory, row) with memory a scratchpad's code, or kDram and a byte.
constexpr int kDram = 100;
using Place = std::pair<int, int64_t>;
struct Touched {
  std::set<Place> reads, writes;
};

class Unroller {
 public:
  explicit Unroller(const TestProgram& program)
      : program_(program), layout_(program.config), uops_(program.config.arch.uop_depth) {}

  /// Nothing where the instruction faults. To be called in program order.
  std::optional<Touched> Of(const Instruction& insn) {
    if (DecodeFault(program_.config, insn) != isa::Fault::kNone) return std::nullopt;
    touched_ = {};
    bool fits = true;
    if (insn.opcode <= static_cast<int64_t>(Opcode::kStore)) fits = Transfer(insn);
    if (insn.opcode == static_cast<int64_t>(Opcode::kGemm) ||
        insn.opcode == static_cast<int64_t>(Opcode::kAlu))
      fits = Loops(insn);
    if (!fits) return std::nullopt;
    return touched_;
  }

 private:
  bool Transfer(const Instruction& insn) {
    if (insn.x_size * insn.y_size == 0) return true;
    const isa::MemorySpec& memory = *FindMemory(program_.config.arch, insn.memory_type);
    const bool store = insn.opcode == static_cast<int64_t>(Opcode::kStore);
    const int pad = memory.code == isa::MemoryType::kAcc8 ? 3 : static_cast<int>(memory.code);
    const bool table = memory.code == isa::MemoryType::kLut;
    int64_t rows = insn.x_size * insn.y_size;
    if (!store)
      rows = (insn.x_pad_left + insn.x_size + insn.x_pad_right) *
             (insn.y_pad_top + insn.y_size + insn.y_pad_bottom);
    if (insn.sram_base + rows > (table ? 1 : program_.config.arch.*memory.depth)) return false;
    for (int64_t r = 0; r < rows; ++r)
      (store ? touched_.reads : touched_.writes).insert({pad, insn.sram_base + r});
    const int64_t bytes = memory.dram_element_bytes(program_.config);
    for (int64_t y = 0; y < insn.y_size; ++y)
      for (int64_t x = 0; x < insn.x_size; ++x) {
        const int64_t address =
            program_.bases[table ? 0 : pad] + (insn.dram_base + y * insn.x_stride + x) * bytes;
        if (address + bytes > std::ssize(program_.memory)) return false;
        for (int64_t b = 0; b < bytes; ++b)
          (store ? touched_.writes : touched_.reads).insert({kDram, address + b});
        if (memory.code == isa::MemoryType::kUop)
          std::copy_n(program_.memory.begin() + address, 4,
                      reinterpret_cast<uint8_t*>(&uops_[insn.sram_base + y * insn.x_size + x]));
      }
    return true;
  }

  bool Loops(const Instruction& insn) {
    const isa::Arch& arch = program_.config.arch;
    const bool gemm = insn.opcode == static_cast<int64_t>(Opcode::kGemm);
    const bool block = !gemm && !FindAluOp(arch, insn.alu_opcode)->apply;
    for (int64_t o = 0; o < insn.iter_out; ++o)
      for (int64_t i = 0; i < insn.iter_in; ++i)
        for (int64_t u = insn.uop_begin; u < insn.uop_end; ++u) {
          if (u >= arch.uop_depth) return false;
          touched_.reads.insert({0, u});
          const isa::Uop uop = DecodeUop(layout_, uops_[u]);
          const int64_t dst = uop.dst + o * insn.dst_factor_out + i * insn.dst_factor_in;
          const int64_t src = uop.src + o * insn.src_factor_out + i * insn.src_factor_in;
          const int64_t wgt = uop.wgt + o * insn.wgt_factor_out + i * insn.wgt_factor_in;
          if (dst >= arch.acc_depth) return false;
          if (!(gemm && (insn.reset || insn.overwrite))) Read(3, dst);
          if (gemm && !insn.reset) {
            if (src >= arch.inp_depth || wgt >= arch.wgt_depth) return false;
            Read(2, src), Read(1, wgt);
          }
          if (!gemm && !insn.use_imm)
            for (int64_t r = 0; r < (block ? isa::kRequantRows : 1); ++r) {
              if (src + r >= arch.acc_depth) return false;
              Read(3, src + r);
            }
          if (!gemm && insn.alu_opcode == static_cast<int64_t>(isa::AluOp::kLut))
            Read(static_cast<int>(isa::MemoryType::kLut), 0);
          touched_.writes.insert({3, dst}), touched_.writes.insert({4, dst});
        }
    return true;
  }

  /// A row that the same instruction wrote before is not read from outside.
  void Read(int pad, int64_t row) {
    if (!touched_.writes.contains({pad, row})) touched_.reads.insert({pad, row});
  }

  const TestProgram& program_;
  isa::Layout layout_;
  std::vector<uint32_t> uops_;
  Touched touched_;
};

/// One event of a module: a pop, the run itself, or a push.
struct Event {
  enum Kind { kPop, kRun, kPush } kind;
  Queue queue;
  int64_t instruction;
  bool finish = false;
};
using Position = std::array<int, isa::kModules>;

class Machine {
 public:
  Machine(const TestProgram& program, std::optional<int64_t> capacity) : capacity_(capacity) {
    for (int64_t i = 0; i < std::ssize(program.instructions); ++i) {
      const Instruction& insn = program.instructions[i];
      const Module module = Route(program.config, insn);
      std::vector<Event>& list = events_[static_cast<int>(module)];
      const bool finish = insn.opcode == static_cast<int64_t>(Opcode::kFinish);
      if (insn.pop_prev) list.push_back({Event::kPop, PopQueue(module, false), i});
      if (insn.pop_next) list.push_back({Event::kPop, PopQueue(module, true), i});
      list.push_back({Event::kRun, {}, i, finish});
      if (insn.push_prev) list.push_back({Event::kPush, PushQueue(module, false), i});
      if (insn.push_next) list.push_back({Event::kPush, PushQueue(module, true), i});
      if (finish) break;
    }
  }

  const Event* Next(const Position& at, int m) const {
    return at[m] < std::ssize(events_[m]) ? &events_[m][at[m]] : nullptr;
  }
  int64_t Tokens(const Position& at, Queue queue) const {
    int64_t tokens = 0;
    for (int m = 0; m < isa::kModules; ++m)
      for (int e = 0; e < at[m]; ++e)
        if (events_[m][e].kind != Event::kRun && events_[m][e].queue == queue)
          tokens += events_[m][e].kind == Event::kPush ? 1 : -1;
    return tokens;
  }
  bool Enabled(const Position& at, int m) const {
    const Event* event = Next(at, m);
    if (!event) return false;
    if (event->kind == Event::kPop) return Tokens(at, event->queue) > 0;
    if (event->kind == Event::kPush) return !capacity_ || Tokens(at, event->queue) < *capacity_;
    if (!event->finish) return true;
    for (int other = 0; other < isa::kModules; ++other)
      if (const Event* before = Next(at, other); before && before->instruction < event->instruction)
        return false;
    return true;
  }

  template <typename Visit>
  void VisitReachable(Visit visit) const {
    std::set<Position> seen = {{}};
    std::vector<Position> open = {{}};
    while (!open.empty()) {
      const Position at = open.back();
      open.pop_back();
      visit(at);
      for (int m = 0; m < isa::kModules; ++m) {
        if (!Enabled(at, m)) continue;
        Position next = at;
        ++next[m];
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }

 private:
  std::optional<int64_t> capacity_;
  std::array<std::vector<Event>, isa::kModules> events_;
};

bool Meet(const std::set<Place>& a, const std::set<Place>& b) {
  return std::ranges::any_of(a, [&](const Place& place) { return b.contains(place); });
}

}  // namespace

bool NaiveVerdict::ok(int64_t token_capacity) const {
  return !deadlock && std::ranges::max(occupancy) <= token_capacity && races.empty() &&
         uninitialised.empty() && overwritten_uops.empty();
}

std::optional<NaiveVerdict> NaiveProve(const TestProgram& program,
                                       std::optional<int64_t> capacity) {
  std::vector<Touched> touched;
  Unroller unroller(program);
  for (const Instruction& insn : program.instructions) {
    std::optional<Touched> of = unroller.Of(insn);
    if (!of) return std::nullopt;
    touched.push_back(*of);
    if (insn.opcode == static_cast<int64_t>(Opcode::kFinish)) break;
  }
  const auto count = std::ssize(touched);

  NaiveVerdict verdict;
  const Machine machine(program, capacity);
  // [i][j]: in some reachable state j is about to run, or running, and i has not ended.
  std::vector<std::vector<bool>> open_when(count, std::vector<bool>(count, false));
  machine.VisitReachable([&](const Position& at) {
    bool stuck = true, complete = true;
    for (int m = 0; m < isa::kModules; ++m) {
      stuck &= !machine.Enabled(at, m);
      const Event* event = machine.Next(at, m);
      if (!event) continue;
      complete = false;
      if (event->kind != Event::kRun || !machine.Enabled(at, m)) continue;
      for (int other = 0; other < isa::kModules; ++other) {
        const Event* late = machine.Next(at, other);
        if (!late || other == m) continue;
        // An instruction whose run is behind it only has pushes left: its effect is visible.
        const bool ran = late->kind == Event::kPush;
        for (int64_t i = late->instruction + (ran ? 1 : 0); i < count; ++i)
          if (static_cast<int>(Route(program.config, program.instructions[i])) == other)
            open_when[i][event->instruction] = true;
      }
    }
    verdict.deadlock |= stuck && !complete;
    for (int q = 0; q < isa::kQueues; ++q)
      verdict.occupancy[q] =
          std::max(verdict.occupancy[q], machine.Tokens(at, static_cast<Queue>(q)));
  });
  if (verdict.deadlock) return verdict;

  auto module = [&](int64_t i) { return Route(program.config, program.instructions[i]); };
  auto before = [&](int64_t i, int64_t j) {
    return module(i) == module(j) ? i < j : !open_when[i][j];
  };
  for (int64_t i = 0; i < count; ++i) {
    const Instruction& insn = program.instructions[i];
    const bool loads_uops = insn.opcode == static_cast<int64_t>(Opcode::kLoad) &&
                            insn.memory_type == static_cast<int64_t>(isa::MemoryType::kUop);
    for (int64_t j = 0; j < count; ++j) {
      if (loads_uops && module(j) == Module::kStore && !before(i, j) &&
          Meet(touched[i].reads, touched[j].writes))
        verdict.overwritten_uops.insert(i);
      if (i >= j || before(i, j) || before(j, i)) continue;
      if (Meet(touched[i].writes, touched[j].writes) || Meet(touched[i].writes, touched[j].reads) ||
          Meet(touched[i].reads, touched[j].writes))
        verdict.races.insert({i, j});
    }
    for (const Place& place : touched[i].reads) {
      bool written = place.first == kDram;
      for (int64_t j = 0; j < count && !written; ++j)
        written = before(j, i) && touched[j].writes.contains(place);
      if (!written) verdict.uninitialised.insert(i);
    }
  }
  return verdict;
}

}  // namespace vta::test
