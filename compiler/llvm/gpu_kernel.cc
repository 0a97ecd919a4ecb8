// Kernels of GPUs: blocks of threads, what they share, and where they wait for each other.
#include "compiler/llvm/body.h"
#include "compiler/lower/team.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::llvm {

using loop::As;
using loop::For;
using loop::Stmt;

void Body::EmitBlock(std::map<const loop::BufferNode*, Value> memory, const Block& block) {
  TakeMemory(std::move(memory));
  thread_in_block_ = block.thread;
  member_ = block.member;
  counter_ = block.counter;
  for (const loop::Buffer& buffer : kernel_.parts) around_.own.insert(buffer.get());
  Stmt body = loop::WithoutAllocates(kernel_.function.body);
  const For* tasks = As<For>(body);
  if (kernel_.team > 1) team_ = lower::FindTeam(kernel_.function.body)->loop;
  if (tasks && tasks->kind == loop::ForKind::kParallel) {
    loops_.push_back(body);
    around_.vars[tasks->var.get()] = block.task;
    body = tasks->body;
  }
  RunTogether(body);
}

void Body::RunTogether(const Stmt& stmt) {
  if (const auto* barrier = As<loop::Barrier>(stmt)) {
    if (c_.traits().copies_aside && !kernel_.copied.empty()) c_.WaitForCopies(barrier->pending);
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
    if (seq->stmts[0] == team_) return RunTeam(*seq);
    for (const Stmt& s : seq->stmts) RunTogether(s);
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    RunTogether(alloc->body);
  } else {
    loops_.push_back(stmt);
    RunLoop(stmt);
    loops_.pop_back();
  }
}

/// Its own iteration of the first statement; the others where it is the last block of the team.
void Body::RunTeam(const loop::Seq& seq) {
  const For& loop = *As<For>(seq.stmts[0]);
  loops_.push_back(seq.stmts[0]);
  around_.vars[loop.var.get()] = member_;
  RunTogether(loop.body);
  loops_.pop_back();
  c_.Intrinsic("llvm.nvvm.membar.gl", {}, {});
  c_.Intrinsic("llvm.nvvm.barrier0", {}, {});
  const Place before = c_.Here();
  Value is_last = nullptr;
  Place counted = nullptr;
  c_.Where(c_.Compare(Cmp::kEq, thread_in_block_, c_.Int(64, 0)), [&] {
    const Value last = c_.Int(32, loop.extent - 1);
    is_last = c_.ZeroExtend(c_.Compare(Cmp::kEq, c_.CountUpTo(counter_, last), last), 32);
    counted = c_.Here();
  });
  const Value first_knows = c_.Phi(c_.IntType(32), "is_last");
  Code::Incoming(first_knows, c_.Int(32, 0), before);
  Code::Incoming(first_knows, is_last, counted);
  const Value all_know = c_.Intrinsic("llvm.nvvm.barrier0.or", {}, {first_knows});
  c_.Where(c_.Compare(Cmp::kNe, all_know, c_.Int(32, 0)), [&] {
    c_.Intrinsic("llvm.nvvm.membar.gl", {}, {});
    for (size_t i = 1; i < seq.stmts.size(); ++i) RunTogether(seq.stmts[i]);
  });
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
  const Value number_of_all = number("llvm.nvvm.read.ptx.sreg.ctaid.x");
  const Value team = c.Int(64, kernel.team), all = Code::Param(function, params);
  const Body::Block block{.task = c.UDiv(number_of_all, team),
                          .member = c.URem(number_of_all, team),
                          .thread = number("llvm.nvvm.read.ptx.sreg.tid.x"),
                          .counter = c.Offset(c.IntType(32), all, c.UDiv(number_of_all, team))};
  const Value own = c.Mul(block.task, c.Int(64, kernel.team * kernel.workspace_bytes));
  for (const lower::PlacedBuffer& placed : kernel.workspace)
    memory[placed.buffer.get()] = c.Offset(byte, c.Offset(byte, all, own),
                                           c.Int(64, isa::kGpuCounterBytes + placed.offset_bytes));
  if (kernel.shared_bytes > 0) {
    const bool is_given = kernel.launch_shared_bytes() > 0;
    const Value shared =
        c.Shared(name + "_shared", is_given ? std::nullopt : std::optional(kernel.shared_bytes),
                 static_cast<int>(lower::kWorkspaceAlignment));
    for (const lower::PlacedBuffer& placed : kernel.shared)
      memory[placed.buffer.get()] = c.Offset(byte, shared, c.Int(64, placed.offset_bytes));
  }
  Body(c, kernel).EmitBlock(std::move(memory), block);
  c.Return();
}

}  // namespace vta::compiler::llvm
