// Code of a kernel's statements.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "compiler/llvm/intrinsics.h"
#include "compiler/llvm/values.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::llvm {

/// Adds the kernel to the module: an exported function with the kernel's name.
/// Errors: throws Error if the kernel's name cannot be that of a symbol.
void EmitKernel(Code& code, const lower::Kernel& kernel);
/// The same for a GPU, of a kernel with threads: one that is launched with the tensors' addresses
/// and that of the workspace.
void EmitGpuKernel(Code& code, const lower::Kernel& kernel);

class Body {
 public:
  Body(Code& code, const lower::Kernel& kernel) : c_(code), kernel_(kernel), calls_(code) {}

  /// `memory`: where the parameters and the buffers in the workspace lie.
  void Emit(std::map<const loop::BufferNode*, Value> memory, Value first_task, Value last_task);
  /// Of a GPU: a block's task, which of the team's blocks it is, the number of the thread in it,
  /// and where the team counts how many blocks have done their part.
  struct Block {
    Value task, member, thread, counter;
  };
  void EmitBlock(std::map<const loop::BufferNode*, Value> memory, const Block& block);

 private:
  void Run(const loop::Stmt& stmt);
  void TakeMemory(std::map<const loop::BufferNode*, Value> memory);
  /// What stands outside of all nests of thread loops, or is one.
  void RunTogether(const loop::Stmt& stmt);
  void RunThread(const loop::Stmt& stmt);
  void RunTeam(const loop::Seq& seq);
  void RunLoop(const loop::Stmt& stmt);
  void RunTasks(const loop::Stmt& stmt, Value first, Value last);
  void RunLanes(const loop::Stmt& stmt);
  void RunUnrolled(const loop::Stmt& stmt);
  /// for var in [first, last), which is not empty.
  void Count(const loop::Stmt& stmt, Value first, Value last);
  /// body(i) for i = first, first + step, ... below last, as `first` is.
  template <typename F>
  void Repeat(const std::string& name, Value first, Value last, int64_t step, F body);
  void RunBlock(const loop::Stmt& stmt);
  /// All of them at once: the values before the first is written.
  void RunStores(BlockFacts& facts, const std::vector<lower::Assignment>& stores, Value mask);

  Code& c_;
  const lower::Kernel& kernel_;
  Calls calls_;
  Surroundings around_;
  std::vector<loop::Stmt> loops_;
  std::map<const loop::Block*, std::unique_ptr<lower::PreparedBlock>> prepared_;
  std::map<const loop::Block*, loop::Stmt> expanded_;  // of calls
  int64_t copies_ = 1;                                 // of what is being written, by unrolling
  // Of a GPU: as Block has it; the loop of the team; and where loops of threads stand, inside of
  // the ones that are being written.
  Value thread_in_block_ = nullptr, member_ = nullptr, counter_ = nullptr;
  loop::Stmt team_;
  Value thread_ = nullptr;
};

}  // namespace vta::compiler::llvm
