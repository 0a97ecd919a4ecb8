#include "tests/unit/compiler/lower/gpu_races.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/arith.h"
#include "compiler/lower/team.h"
#include "isa/support/error.h"

namespace vta::compiler::lower {

using loop::As;
using loop::Expr;
using loop::For;
using loop::Op;
using loop::Stmt;

namespace {

class Walker {
 public:
  explicit Walker(const Kernel& kernel) : kernel_(kernel) {
    if (kernel.team > 1) team_ = FindTeam(kernel.function.body)->loop;
    for (const PlacedBuffer& placed : kernel.shared) shared_.insert(placed.buffer.get());
  }

  std::string Run() {
    const Stmt body = loop::WithoutAllocates(kernel_.function.body);
    const For* tasks = As<For>(body);
    if (!tasks || tasks->kind != loop::ForKind::kParallel) {
      Together(body);
      return race_;
    }
    for (const int64_t task : {int64_t{0}, tasks->extent - 1}) {
      touched_.clear();
      among_blocks_.clear();
      begins_.clear();
      begun_.clear();
      vars_[tasks->var.get()] = task;
      Together(tasks->body);
    }
    return race_;
  }

 private:
  struct Touch {
    int64_t writer = -1, reader = -1;
    bool many = false;  // readers
  };

  void Together(const Stmt& stmt) {
    if (!race_.empty()) return;
    if (const auto* barrier = As<loop::Barrier>(stmt)) {
      // What was begun since the last one, and in each interval before that may be under way still.
      begun_.insert(begun_.begin(), std::move(begins_));
      begins_.clear();
      begun_.resize(std::min<size_t>(begun_.size(), barrier->pending));
      return touched_.clear();
    }
    if (IsThreads(stmt) || !HasThreads(stmt)) {
      for (thread_ = 0; thread_ < ThreadsOf(stmt); ++thread_) Alone(stmt, thread_);
      return;
    }
    if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      for (const Stmt& s : seq->stmts) Together(s);
    } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
      Together(alloc->body);
    } else if (stmt == team_) {
      // No barrier is between what blocks do, until they meet.
      const For& loop = *As<For>(stmt);
      for (block_ = 0; block_ < loop.extent; ++block_) {
        touched_.clear();
        begins_.clear();
        begun_.clear();
        vars_[loop.var.get()] = block_;
        Together(loop.body);
      }
      block_ = 0;
      touched_.clear();
      among_blocks_.clear();
    } else {
      const For& loop = *As<For>(stmt);
      for (int64_t i = 0; i < loop.extent; ++i) {
        vars_[loop.var.get()] = i;
        Together(loop.body);
      }
    }
  }

  void Alone(const Stmt& stmt, int64_t rest) {
    if (const For* loop = As<For>(stmt)) {
      const int64_t inside = ThreadsOf(loop->body);
      for (int64_t i = 0; i < loop->extent; ++i) {
        if (IsThreads(stmt) && i != rest / inside) continue;
        vars_[loop->var.get()] = i;
        Alone(loop->body, IsThreads(stmt) ? rest % inside : rest);
      }
    } else if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      for (const Stmt& s : seq->stmts) Alone(s, rest);
    } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
      Alone(alloc->body, rest);
    } else {
      Do(*As<loop::Block>(stmt));
    }
  }

  void Do(const loop::Block& block) {
    if (block.where.get() && !Value(block.where)) return;
    bool first = true;
    for (const loop::Iter& iter : block.iters) {
      vars_[iter.var.get()] = Value(iter.binding);
      first &= iter.kind != loop::IterKind::kReduce || vars_[iter.var.get()] == 0;
    }
    for (const Stmt& part : {first ? block.init : Stmt(), block.body})
      for (const Stmt& leaf : Leaves(part)) {
        if (const loop::Call* call = As<loop::Call>(leaf)) {
          // The result is in registers.
          for (size_t i = 1; i < call->operands.size(); ++i) ReadRegion(call->operands[i]);
          continue;
        }
        const loop::Store& store = *As<loop::Store>(leaf);
        Value(store.value);
        Access(store.buffer, store.indices, true);
      }
  }

  /// A warp may read together what is declared to be read by each of its threads.
  void ReadRegion(const loop::Region& region) {
    std::vector<Expr> at;
    for (const loop::Range& range : region.ranges) at.push_back(range.base);
    const auto read = [&](const auto& self, size_t d) -> void {
      if (d == at.size()) {
        const int64_t thread = thread_;
        for (const int64_t reader : {thread, thread ^ 1}) {
          thread_ = reader;
          Access(region.buffer, at, false);
        }
        thread_ = thread;
        return;
      }
      for (int64_t i = 0; i < std::max<int64_t>(region.ranges[d].extent, 1); ++i) {
        at[d] = region.ranges[d].base + Expr(i);
        self(self, d + 1);
      }
    };
    read(read, 0);
  }

  void Access(const loop::Buffer& buffer, const std::vector<Expr>& indices, bool writes) {
    if (std::find(kernel_.registers.begin(), kernel_.registers.end(), buffer) !=
        kernel_.registers.end())
      return;
    std::vector<int64_t> at;
    for (const Expr& index : indices) at.push_back(Value(index));
    const Place place{buffer.get(), at};
    // A copy ends at a barrier, also for the thread that began it.
    if (std::ranges::count(kernel_.copied, buffer) > 0) {
      const auto has = [&](const std::set<Place>& copies) { return copies.contains(place); };
      if (race_.empty() && (has(begins_) || std::ranges::any_of(begun_, has)))
        race_ = StrCat("thread ", thread_, writes ? " writes " : " reads ", buffer->name,
                       ", which is being copied");
      if (writes) begins_.insert(place);
    }
    Meet(touched_[place], thread_, StrCat("thread ", thread_), *buffer, writes);
    if (team_ && !shared_.contains(buffer.get()))
      Meet(among_blocks_[place], block_, StrCat("block ", block_), *buffer, writes);
  }

  void Meet(Touch& touch, int64_t self, const std::string& name, const loop::BufferNode& buffer,
            bool writes) {
    const bool others_read = touch.many || (touch.reader >= 0 && touch.reader != self);
    const bool others_wrote = touch.writer >= 0 && touch.writer != self;
    if (race_.empty() && (others_wrote || (writes && others_read)))
      race_ = StrCat(name, writes ? " writes " : " reads ", buffer.name);
    if (writes) {
      touch.writer = self;
    } else {
      touch.many |= touch.reader >= 0 && touch.reader != self;
      touch.reader = self;
    }
  }

  /// Of what indices and guards are made of; 0 of numbers, of which the loads alone are of
  /// interest.
  int64_t Value(const Expr& e) {
    switch (e.op()) {
      case Op::kConst:
        return e->int_value;
      case Op::kVar:
        return vars_.at(e->var.get());
      case Op::kLoad:
        Access(e->buffer, e->args, false);
        return 0;
      case Op::kSelect:
        return Value(e->args[Value(e->args[0]) ? 1 : 2]);
      case Op::kAnd:
        return Value(e->args[0]) && Value(e->args[1]);
      case Op::kOr:
        return Value(e->args[0]) || Value(e->args[1]);
      case Op::kNot:
        return !Value(e->args[0]);
      case Op::kEq:
        return Value(e->args[0]) == Value(e->args[1]);
      case Op::kNe:
        return Value(e->args[0]) != Value(e->args[1]);
      case Op::kLt:
        return Value(e->args[0]) < Value(e->args[1]);
      case Op::kLe:
        return Value(e->args[0]) <= Value(e->args[1]);
      default:
        break;
    }
    std::vector<int64_t> args;
    for (const Expr& arg : e->args) args.push_back(Value(arg));
    return e.dtype() == loop::DType::kInt64 && args.size() == 2 && e.op() != Op::kCast
               ? loop::FoldInt64(e.op(), args[0], args[1])
               : 0;
  }

  const Kernel& kernel_;
  std::map<const loop::VarNode*, int64_t> vars_;
  using Place = std::pair<const loop::BufferNode*, std::vector<int64_t>>;
  std::map<Place, Touch> touched_, among_blocks_;  // since the last barrier; since a task's begin
  // What is copied aside since the last barrier, and in intervals before that, the last one first.
  std::set<Place> begins_;
  std::vector<std::set<Place>> begun_;
  int64_t thread_ = 0, block_ = 0;
  Stmt team_;
  std::set<const loop::BufferNode*> shared_;
  std::string race_;
};

}  // namespace

std::string FirstRace(const Kernel& kernel) { return Walker(kernel).Run(); }

int64_t Barriers(const Kernel& kernel) {
  int64_t barriers = 0;
  VisitStmts(kernel.function.body,
             [&](const Stmt& s) { barriers += As<loop::Barrier>(s) != nullptr; });
  return barriers;
}

Kernel WithoutBarrier(const Kernel& kernel, int64_t which) {
  Kernel without = kernel;
  int64_t number = 0;
  without.function.body = RewriteStmts(kernel.function.body, [&](const Stmt& s) -> Stmt {
    return As<loop::Barrier>(s) && number++ == which ? MakeStmt(loop::Seq{}) : nullptr;
  });
  return without;
}

}  // namespace vta::compiler::lower
