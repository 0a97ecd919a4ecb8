#include "compiler/llvm/body.h"

#include <algorithm>

#include "compiler/loop/independent.h"
#include "compiler/tensorize/expand.h"
#include "isa/support/error.h"

namespace vta::compiler::llvm {

using loop::Affine;
using loop::As;
using loop::Expr;
using loop::For;
using loop::ForKind;
using loop::Stmt;

namespace {

/// More copies than this of one block are loops again.
constexpr int64_t kMostCopies = 4096;
/// Longer vectors are several.
constexpr int64_t kMostLanes = 64;

}  // namespace

void Body::TakeMemory(std::map<const loop::BufferNode*, Value> memory) {
  around_.memory = std::move(memory);
  // Registers: in the entry, so that they become values once their indices are constants.
  for (const loop::Buffer& buffer : kernel_.registers)
    around_.memory[buffer.get()] = c_.Stack(MemoryType(c_, buffer->dtype), buffer->SizeElems(), 64);
}

void Body::Emit(std::map<const loop::BufferNode*, Value> memory, Value first_task,
                Value last_task) {
  TakeMemory(std::move(memory));
  const Stmt body = loop::WithoutAllocates(kernel_.function.body);
  const For* tasks = As<For>(body);
  if (tasks && tasks->kind == ForKind::kParallel)
    RunTasks(body, first_task, last_task);
  else
    c_.Where(c_.Compare(Cmp::kSlt, first_task, last_task), [&] { Run(body); });
}

void Body::Run(const Stmt& stmt) {
  if (thread_in_block_ && !thread_) return RunTogether(stmt);
  if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) Run(s);
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    Run(alloc->body);
  } else if (As<For>(stmt)) {
    loops_.push_back(stmt);
    RunLoop(stmt);
    loops_.pop_back();
  } else {
    RunBlock(stmt);
  }
}

void Body::RunLoop(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  if (loop.kind == ForKind::kThread && thread_) return RunThread(stmt);
  if (loop.extent == 1) {
    around_.vars[loop.var.get()] = c_.Int(64, 0);
    return Run(loop.body);
  }
  if (loop.kind == ForKind::kVectorize && !around_.lane) {
    const std::vector<Stmt> outside(loops_.begin(), loops_.end() - 1);
    if (loop::WhyNotLanes(stmt, outside).empty()) return RunLanes(stmt);
  }
  if (loop.kind == ForKind::kUnroll && copies_ * loop.extent <= kMostCopies)
    return RunUnrolled(stmt);
  Count(stmt, c_.Int(64, 0), c_.Int(64, loop.extent));
}

void Body::RunTasks(const Stmt& stmt, Value first, Value last) {
  loops_.push_back(stmt);
  c_.Where(c_.Compare(Cmp::kSlt, first, last), [&] { Count(stmt, first, last); });
  loops_.pop_back();
}

void Body::RunUnrolled(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  copies_ *= loop.extent;
  for (int64_t i = 0; i < loop.extent; ++i) {
    around_.vars[loop.var.get()] = c_.Int(64, i);
    Run(loop.body);
  }
  copies_ /= loop.extent;
}

/// Counters are narrow where that is enough: some machines count to more in two registers.
template <typename F>
void Body::Repeat(const std::string& name, Value first, Value last, int64_t step, F body) {
  int64_t end;
  const bool small = Code::IsConst(last, &end) && end <= INT32_MAX;
  const int bits = small ? c_.traits().counter_bits : 64;
  const Place before = c_.Here(), inside = c_.NewPlace(name);
  c_.Jump(inside);
  c_.At(inside);
  const Value var = c_.Phi(c_.IntType(bits), name);
  Code::Incoming(var, c_.Truncate(first, bits), before);
  body(c_.ZeroExtend(var, 64));
  const Value next = c_.Add(var, c_.Int(bits, step));
  Code::Incoming(var, next, c_.Here());
  const Place after = c_.NewPlace("after_" + name);
  c_.Branch(c_.Compare(Cmp::kSlt, next, c_.Truncate(last, bits)), inside, after);
  c_.At(after);
}

void Body::Count(const Stmt& stmt, Value first, Value last) {
  const For& loop = *As<For>(stmt);
  Repeat(loop.var->name, first, last, 1, [&](Value var) {
    around_.vars[loop.var.get()] = var;
    Run(loop.body);
  });
}

void Body::RunLanes(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  const int64_t width = loop.extent <= kMostLanes ? loop.extent : c_.machine().vector_bits / 32;
  const auto run = [&](Value base, int64_t lanes) {
    around_.vars[loop.var.get()] = base;
    if (lanes > 1) around_.lane = loop.var, around_.lanes = static_cast<int>(lanes);
    Run(loop.body);
    around_.lane = nullptr;
    around_.lanes = 0;
  };
  const int64_t whole = loop.extent / width, rest = loop.extent % width;
  if (whole == 1)
    run(c_.Int(64, 0), width);
  else
    Repeat(loop.var->name, c_.Int(64, 0), c_.Int(64, whole * width), width,
           [&](Value base) { run(base, width); });
  if (rest) run(c_.Int(64, whole * width), rest);
}

void Body::RunStores(BlockFacts& facts, const std::vector<lower::Assignment>& stores, Value mask) {
  BlockFacts::Context& context = facts.everywhere();
  Values values(c_, around_, facts);
  struct Ready {
    Value value;
    Values::Index index;
  };
  const bool aside = c_.traits().copies_aside && !mask &&
                     std::ranges::count(kernel_.copied, stores[0].store.buffer) > 0;
  if (aside && values.CopyAside(stores[0].store, stores[0].flat)) return;
  std::vector<Ready> ready;
  for (const lower::Assignment& one : stores) {
    Value value;
    if (one.contract) {
      Value a = values.Emit(one.left, mask, context), b = values.Emit(one.right, mask, context),
            sum = values.Emit(one.sum, mask, context);
      const int lanes = std::max({Code::Lanes(a), Code::Lanes(b), Code::Lanes(sum)});
      value = c_.Intrinsic("llvm.fmuladd",
                           {c_.Splat(a, lanes), c_.Splat(b, lanes), c_.Splat(sum, lanes)});
    } else {
      value = values.Emit(one.store.value, mask, context);
    }
    ready.push_back({value, values.IndexIn(one.store.buffer, one.flat, mask, context)});
  }
  for (size_t i = 0; i < stores.size(); ++i)
    values.Store(stores[i].store.buffer, ready[i].index, ready[i].value, mask);
}

void Body::RunBlock(const Stmt& stmt) {
  const loop::Block& block = *As<loop::Block>(stmt);
  if (As<loop::Call>(block.body)) {
    if (calls_.Emit(around_, block, loops_)) return;
    Stmt& nest = expanded_[&block];
    if (!nest) nest = tensorize::ExpandCalls(block);
    return Run(nest);
  }
  std::unique_ptr<lower::PreparedBlock>& found = prepared_[&block];
  if (!found) found = std::make_unique<lower::PreparedBlock>(lower::Prepare(block, loops_));
  lower::PreparedBlock& p = *found;
  BlockFacts::Context& context = p.facts.everywhere();
  // A guard is seen as where it is tested: the ones before it hold.
  Values values(c_, around_, p.facts);
  Value condition = nullptr, mask = nullptr;
  for (const Expr& guard : p.facts.guards()) {
    const Value holds = values.Emit(guard, nullptr, p.facts.outside());
    Value& all = Code::Lanes(holds) ? mask : condition;
    all = all ? c_.And(all, holds) : holds;
  }
  c_.Where(condition, [&] {
    if (!p.init.empty()) {
      Value first = nullptr;
      for (const Affine& reduce : p.reduce) {
        const Value zero =
            c_.Compare(Cmp::kEq, values.Sum(reduce, nullptr, context), c_.Int(64, 0));
        first = first ? c_.And(first, zero) : zero;
      }
      c_.Where(first, [&] { RunStores(p.facts, p.init, mask); });
    }
    RunStores(p.facts, p.body, mask);
  });
}

}  // namespace vta::compiler::llvm
