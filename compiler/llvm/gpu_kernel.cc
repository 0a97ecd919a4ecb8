// Kernels of GPUs: blocks of threads, what they share, and where they wait for each other.
#include "compiler/llvm/body.h"

namespace vta::compiler::llvm {

using loop::As;
using loop::For;
using loop::Stmt;

void Body::EmitBlock(std::map<const loop::BufferNode*, Value> memory, Value task, Value thread) {
  TakeMemory(std::move(memory));
  for (const loop::Buffer& buffer : kernel_.parts) around_.own.insert(buffer.get());
  Stmt body = kernel_.function.body;
  while (const loop::Allocate* alloc = As<loop::Allocate>(body)) body = alloc->body;
  const For* tasks = As<For>(body);
  thread_in_block_ = thread;
  if (tasks && tasks->kind == loop::ForKind::kParallel) {
    loops_.push_back(body);
    around_.vars[tasks->var.get()] = task;
    body = tasks->body;
  }
  RunTogether(body);
}

void Body::RunTogether(const Stmt& stmt) {
  if (As<loop::Barrier>(stmt)) {
    c_.Intrinsic("llvm.nvvm.barrier0", {}, {});
  } else if (lower::IsThreads(stmt) || !lower::HasThreads(stmt)) {
    const int64_t threads = lower::ThreadsOf(stmt);
    c_.Where(threads < kernel_.threads
                 ? c_.Compare(Cmp::kUlt, thread_in_block_, c_.Int(64, threads))
                 : nullptr,
             [&] {
               thread_ = thread_in_block_;
               Run(stmt);
               thread_ = nullptr;
             });
  } else if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) RunTogether(s);
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    RunTogether(alloc->body);
  } else {
    loops_.push_back(stmt);
    RunLoop(stmt);
    loops_.pop_back();
  }
}

/// Of loops one in the other the innermost has the neighbours.
void Body::RunThread(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  around_.threads.insert(loop.var.get());
  const Value outer = thread_, inside = c_.Int(64, lower::ThreadsOf(loop.body));
  around_.vars[loop.var.get()] = loop.extent == 1 ? c_.Int(64, 0) : c_.UDiv(outer, inside);
  thread_ = c_.URem(outer, inside);
  Run(loop.body);
  thread_ = outer;
}

void EmitGpuKernel(Code& c, const lower::Kernel& kernel) {
  const std::string& name = kernel.function.name;
  lower::RequireSymbolName(name);
  const auto params = static_cast<int>(kernel.function.params.size());
  const Type byte = c.IntType(8);
  const Value function =
      c.NewKernel(name, std::vector<Type>(params + 1, c.PointerType()), kernel.threads);
  std::map<const loop::BufferNode*, Value> memory;
  for (int i = 0; i <= params; ++i) c.AddFlag(function, i + 1, "noalias");
  for (int i = 0; i < params; ++i)
    memory[kernel.function.params[i].get()] = Code::Param(function, i);
  const auto number = [&](const char* of) { return c.ZeroExtend(c.Intrinsic(of, {}, {}), 64); };
  const Value task = number("llvm.nvvm.read.ptx.sreg.ctaid.x");
  const Value own = c.Mul(task, c.Int(64, kernel.workspace_bytes));
  for (const lower::PlacedBuffer& placed : kernel.workspace)
    memory[placed.buffer.get()] = c.Offset(byte, c.Offset(byte, Code::Param(function, params), own),
                                           c.Int(64, placed.offset_bytes));
  if (kernel.shared_bytes > 0) {
    const Value shared = c.Shared(name + "_shared", kernel.shared_bytes,
                                  static_cast<int>(lower::kWorkspaceAlignment));
    for (const lower::PlacedBuffer& placed : kernel.shared)
      memory[placed.buffer.get()] = c.Offset(byte, shared, c.Int(64, placed.offset_bytes));
  }
  Body(c, kernel).EmitBlock(std::move(memory), task, number("llvm.nvvm.read.ptx.sreg.tid.x"));
  c.Return();
}

}  // namespace vta::compiler::llvm
