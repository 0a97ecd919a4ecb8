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

/// The value is the element that is written + a product of floats.
bool IsSumOfProducts(const loop::Store& store, Expr* sum, Expr* left, Expr* right) {
  const Expr& value = store.value;
  if (value.op() != loop::Op::kAdd || value.dtype() != loop::DType::kFloat32) return false;
  for (const int i : {0, 1}) {
    const Expr &old = value->args[i], &product = value->args[1 - i];
    if (old.op() != loop::Op::kLoad || old->buffer != store.buffer ||
        product.op() != loop::Op::kMul ||
        !std::equal(old->args.begin(), old->args.end(), store.indices.begin(), store.indices.end(),
                    loop::Same))
      continue;
    *sum = old;
    *left = product->args[0];
    *right = product->args[1];
    return true;
  }
  return false;
}

const loop::Store& StoreOf(const loop::Block& block, const Stmt& leaf) {
  const loop::Store* store = As<loop::Store>(leaf);
  if (!store)
    throw Error(StrCat("block ", block.name), "statement", leaf ? OneLine(leaf) : "",
                "must be a store or a call");
  return *store;
}

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

Body::Prepared& Body::Prepare(const loop::Block& block) {
  std::unique_ptr<Prepared>& found = prepared_[&block];
  if (found) return *found;
  found =
      std::make_unique<Prepared>(Prepared{.facts = BlockFacts(loop::FactsOf(loops_), block.where)});
  Prepared& p = *found;
  const loop::Facts& facts = p.facts.everywhere().facts;
  const loop::VarMap bindings = Bindings(block);
  const auto assignments = [&](const Stmt& part) {
    std::vector<Assignment> out;
    for (const Stmt& leaf : Leaves(Substitute(part, bindings))) {
      const loop::Store& store = StoreOf(block, leaf);
      out.push_back({store, facts.Form(FlatIndex(store.buffer, store.indices))});
    }
    return out;
  };
  p.body = assignments(block.body);
  for (Assignment& one : p.body)
    one.contract = IsSumOfProducts(one.store, &one.sum, &one.left, &one.right);
  if (!block.init) return p;
  for (const loop::Iter& iter : block.iters)
    if (iter.kind == loop::IterKind::kReduce) p.reduce.push_back(facts.Form(iter.binding));
  p.init = assignments(block.init);
  return p;
}

void Body::RunStores(BlockFacts& facts, const std::vector<Assignment>& stores, Value mask) {
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
  for (const Assignment& one : stores) {
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
  Prepared& p = Prepare(block);
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
