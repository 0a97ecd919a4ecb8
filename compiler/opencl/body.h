// A kernel's function.
#pragma once

#include <string>
#include <vector>

#include "compiler/lower/kernel.h"
#include "compiler/opencl/values.h"

namespace vta::compiler::opencl {

class Body {
 public:
  explicit Body(const lower::Kernel& kernel) : kernel_(kernel) {}

  /// All of it, from `__kernel` on.
  Writer Write();

 private:
  void WriteOnce();
  /// The lines that say where tensors, shared buffers, registers and the workspace are.
  void WriteHead();
  void WriteMemory();
  /// What stands outside of all nests of thread loops, or is one.
  void RunTogether(const loop::Stmt& stmt);
  /// What threads do that have numbers of their own in it: `thread`.
  void Run(const loop::Stmt& stmt);
  void RunThread(const loop::Stmt& stmt);
  void RunLoop(const loop::Stmt& stmt, void (Body::*run)(const loop::Stmt&));
  /// Some iterations at once; false where they cannot be written so, and nothing is.
  bool RunLanes(const loop::Stmt& stmt);
  void RunBlock(const loop::Stmt& stmt);
  /// All of them at once: the values before the first is written.
  void RunStores(lower::BlockFacts& facts, const std::vector<lower::Assignment>& stores);

  /// A constant of that value: its name.
  std::string Named(std::string_view like, std::string_view type, const std::string& value);

  Writer out_;
  const lower::Kernel& kernel_;
  Surroundings around_;
  std::vector<loop::Stmt> loops_;
  Text thread_;  // the number in the thread loops that are yet to come
};

}  // namespace vta::compiler::opencl
