// A function of the loop IR as code will run it: how it splits into tasks, and where its buffers
// lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::lower {

struct PlacedBuffer {
  loop::Buffer buffer;
  int64_t offset_bytes;  // in the workspace; a multiple of kWorkspaceAlignment
};

inline constexpr int64_t kWorkspaceAlignment = 64;

/// Parameters are tensors that the caller gives. A buffer is in registers, or in the workspace,
/// which a thread has to itself; buffers that do not live together may share it. Of a GPU a task is
/// a block of threads, which has the workspace and the shared memory, or a team of blocks, which
/// has the workspaces of all of them; registers are a thread's.
struct Kernel {
  loop::Function function;
  int64_t tasks = 1;
  int64_t workspace_bytes = 0;
  std::vector<PlacedBuffer> workspace;
  std::vector<loop::Buffer> registers;
  std::vector<loop::Buffer> parts;  // of registers those of which each thread has its part
  int64_t threads = 0;              // of a block; 0: of a CPU
  int64_t team = 1;                 // of a GPU: the blocks that do a task together
  int64_t shared_bytes = 0;
  std::vector<PlacedBuffer> shared;
  std::vector<loop::Buffer> copied;  // of shared: what threads fill with copies of parameters

  int64_t blocks() const { return tasks * team; }
  /// Of the shared memory what a launch has to give, since code may not say so much itself.
  int64_t launch_shared_bytes() const {
    return shared_bytes > isa::kMostStaticBytes ? shared_bytes : 0;
  }
};

int64_t SizeBytes(const loop::BufferNode& buffer);

/// Tasks: the iterations of the outermost loop, where it is parallel and all that the function
/// does; else one. Registers: buffers of scope "local", as long as they are small together. The
/// starts of reductions stand before the loops that reduce where that is possible, short last tiles
/// after the others.
/// Errors: throws Error if the function is not well formed, if iterations of a parallel loop
/// depend on each other, or if the workspace is larger than int64 can say.
Kernel PlanKernel(const loop::Function& function);

/// The same for a GPU. Threads: as many as the largest nest of thread loops has; in others the
/// first ones work. What stands in no such nest the first one does. Registers: what is allocated in
/// one, and of scope "local" what private.h tells: of that indices have no terms of threads. Shared
/// memory: scope "shared". Barriers stand where a thread may touch what another one wrote, or write
/// what another one touched. Team: as team.h has it. Errors: as PlanKernel; and where there are
/// more threads in a block, or more bytes of shared memory, than `gpu` may have, or threads in a
/// nest as one that cannot be.
Kernel PlanGpuKernel(const loop::Function& function, const isa::GpuRow& gpu = isa::kCudaGpu);

/// Errors: throws Error where no symbol can have the name.
void RequireSymbolName(const std::string& name);

/// Whether it is a loop whose iterations are threads, or has one inside.
bool IsThreads(const loop::Stmt& stmt);
bool HasThreads(const loop::Stmt& stmt);
/// The threads of a nest: of loops side by side the most.
int64_t ThreadsOf(const loop::Stmt& stmt);

}  // namespace vta::compiler::lower
