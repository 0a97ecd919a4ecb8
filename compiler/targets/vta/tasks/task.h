// The task IR: the last text level of the VTA target. One task becomes one instruction; scratchpad
// rows, micro-op kernels and token bits are explicit, DRAM is named tensors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/config.h"
#include "isa/spec/instructions.h"

namespace vta::compiler::targets {

/// A DRAM array of scratchpad elements at a byte offset of the arena.
struct DramTensor {
  std::string name;
  isa::MemoryType element = isa::MemoryType::kInp;
  int64_t elems = 0;
  int64_t offset_bytes = 0;
  bool operator==(const DramTensor&) const = default;
};

/// load2d or store2d: y_size rows of x_size elements, with pads around them on the scratchpad side.
/// Units: everything counts elements; dram is relative to the tensor.
struct Dma {
  bool store = false;
  int64_t tensor = 0;  // index into TaskProgram::tensors
  int64_t sram = 0, dram = 0;
  int64_t y_size = 1, x_size = 0, x_stride = 0;
  int64_t y_pad_top = 0, y_pad_bottom = 0, x_pad_left = 0, x_pad_right = 0;
  bool pad_value = false;  // pad with the byte of SET instead of 0

  int64_t SramRow() const { return x_pad_left + x_size + x_pad_right; }
  int64_t SramRows() const { return (y_pad_top + y_size + y_pad_bottom) * SramRow(); }
  bool operator==(const Dma&) const = default;
};

/// Two hardware loops around a micro-op kernel.
struct LoopNest {
  int64_t kernel = 0;      // index into TaskProgram::kernels
  int64_t uop_begin = -1;  // where the kernel lies in micro-op memory; -1 before PlaceUops
  int64_t iter_out = 1, iter_in = 1;
  int64_t dst_out = 0, dst_in = 0, src_out = 0, src_in = 0, wgt_out = 0, wgt_in = 0;
  bool operator==(const LoopNest&) const = default;
};

enum class GemmWrites : uint8_t { kSum, kProduct, kZero };  // kProduct needs arch.overwrite

struct Gemm {
  LoopNest nest;
  GemmWrites writes = GemmWrites::kSum;
  bool operator==(const Gemm&) const = default;
};

struct Alu {
  LoopNest nest;
  isa::AluOp op = isa::AluOp::kAdd;
  bool use_imm = false;
  int64_t imm = 0;
  bool operator==(const Alu&) const = default;
};

/// Whether the operation makes codes of accumulators by a block of parameters, its second operand.
constexpr bool Requantises(isa::AluOp op) {
  return op == isa::AluOp::kRequant || op == isa::AluOp::kLut;
}

struct SetMode {
  isa::Mode mode = isa::Mode::kPadLoad;
  int64_t value = 0;
  bool operator==(const SetMode&) const = default;
};

/// Moves nothing: there only for its tokens.
struct Nop {
  bool operator==(const Nop&) const = default;
};

struct Finish {
  bool operator==(const Finish&) const = default;
};

struct Tokens {
  bool pop_prev = false, pop_next = false, push_prev = false, push_next = false;
  bool operator==(const Tokens&) const = default;
};

struct Task {
  std::variant<Dma, Gemm, Alu, SetMode, Nop, Finish> op;
  Tokens tokens;
  bool operator==(const Task&) const = default;
};

using UopKernel = std::vector<isa::Uop>;
struct UopKernelLess {
  bool operator()(const UopKernel& a, const UopKernel& b) const;
};

struct TaskProgram {
  std::string name;
  std::vector<DramTensor> tensors;
  std::vector<UopKernel> kernels;  // no two are equal
  std::vector<Task> tasks;
  bool operator==(const TaskProgram&) const = default;
};

/// Appends tasks; equal micro-op sequences become one kernel.
class TaskBuilder {
 public:
  explicit TaskBuilder(std::string name) { program_.name = std::move(name); }

  int64_t AddTensor(DramTensor tensor);
  int64_t Intern(const UopKernel& kernel);
  template <typename Op>
  void Add(Op op) {
    program_.tasks.push_back({std::move(op), {}});
  }
  const TaskProgram& program() const { return program_; }
  TaskProgram Take() && { return std::move(program_); }

 private:
  TaskProgram program_;
  std::map<UopKernel, int64_t, UopKernelLess> interned_;
};

/// The module that runs a task.
isa::Module ModuleOf(const TaskProgram& program, const Task& task);
/// The loop nest of a gemm or alu task, or nullptr.
const LoopNest* NestOf(const Task& task);
LoopNest* NestOf(Task& task);
const isa::MemorySpec& MemoryOf(const TaskProgram& program, const Dma& dma);
/// Of one of the tensor's elements in DRAM.
int64_t ElementBytes(const isa::Config& config, const DramTensor& tensor);

/// Text of a program; ParseTasks(PrintTasks(p)) == p.
std::string PrintTasks(const TaskProgram& program);
std::string PrintTask(const TaskProgram& program, const Task& task);
/// Errors: throws Error naming file and line, the word found and what is allowed there.
TaskProgram ParseTasks(std::string_view text, const std::string& file);

/// Every rule that one task has to keep on this config: ranges of fields, scratchpads and tensors,
/// existing operations. Tokens are not looked at.
/// Errors: throws Error naming the task, field, value and rule.
void VerifyTasks(const isa::Config& config, const TaskProgram& program);

}  // namespace vta::compiler::targets
