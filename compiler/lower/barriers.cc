#include "compiler/lower/barriers.h"

#include <algorithm>
#include <compare>
#include <utility>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/independent.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::lower {

using loop::As;
using loop::For;
using loop::ForKind;
using loop::Stmt;

namespace {

/// Of a buffer that has two copies, which iterations of a loop take in turn: the one of the
/// iteration, or of the next one. Of others all.
enum class Copy : uint8_t { kAll, kThis, kNext };

Copy Other(Copy copy) {
  if (copy == Copy::kAll) return copy;
  return copy == Copy::kThis ? Copy::kNext : Copy::kThis;
}

struct Touched {
  const loop::BufferNode* buffer;
  const loop::VarNode* turn;  // the loop's; nullptr of a copy that a constant says
  Copy copy;
  auto operator<=>(const Touched&) const = default;

  bool Meets(const Touched& other) const {
    return buffer == other.buffer && (turn != other.turn || copy == Copy::kAll ||
                                      other.copy == Copy::kAll || copy == other.copy);
  }
};
using Set = std::set<Touched>;

bool Meet(const Set& a, const Set& b) {
  return std::any_of(a.begin(), a.end(), [&](const Touched& one) {
    return std::any_of(b.begin(), b.end(), [&](const Touched& two) { return one.Meets(two); });
  });
}

/// What is known of copies, elsewhere: `see` says it.
template <typename F>
Set Seen(const Set& touched, F see) {
  Set seen;
  for (Touched one : touched) {
    see(one);
    seen.insert(one);
  }
  return seen;
}

/// The first iteration is number 0.
Set FromOutside(const Set& touched, const loop::VarNode* loop) {
  return Seen(touched, [&](Touched& one) {
    if (!one.turn && one.copy != Copy::kAll) one.turn = loop;
  });
}
Set InTheNext(const Set& touched, const loop::VarNode* loop) {
  return Seen(touched, [&](Touched& one) {
    if (one.turn == loop) one.copy = Other(one.copy);
  });
}
Set FromInside(const Set& touched, const loop::VarNode* loop) {
  return Seen(touched, [&](Touched& one) {
    if (one.turn == loop) one.turn = nullptr, one.copy = Copy::kAll;
  });
}

class Barriers {
 public:
  Barriers(const std::set<const loop::BufferNode*>& own, const Stmt& team)
      : own_(own), team_(team) {}

  Stmt Run(const Stmt& stmt) {
    if (team_ && stmt == team_) {
      For copy = *As<For>(stmt);
      loops_.push_back(stmt);
      copy.body = Run(copy.body);
      loops_.pop_back();
      read_.clear(), written_.clear();
      return MakeStmt(std::move(copy));
    }
    if (IsThreads(stmt) || !HasThreads(stmt) || WriteApart(stmt)) return RunUnit(stmt);
    if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
      std::vector<Stmt> stmts;
      for (const Stmt& s : seq->stmts) stmts.push_back(Run(s));
      return MakeSeq(std::move(stmts));
    }
    if (const loop::Allocate* alloc = As<loop::Allocate>(stmt))
      return MakeStmt(loop::Allocate{alloc->buffer, Run(alloc->body)});
    return RunLoop(stmt);
  }

 private:
  Stmt RunLoop(const Stmt& stmt) {
    For copy = *As<For>(stmt);
    const loop::VarNode* const var = copy.var.get();
    loops_.push_back(stmt);
    read_ = FromOutside(read_, var);
    written_ = FromOutside(written_, var);
    // What stood before the loop, and what the end of an iteration did, the next one finds; tasks
    // are different blocks.
    const bool again = copy.extent > 1 && (loops_.size() > 1 || copy.kind != ForKind::kParallel);
    for (bool more = again; more;) {
      const Set read = read_, written = written_;
      Run(copy.body);
      read_ = InTheNext(read_, var);
      written_ = InTheNext(written_, var);
      read_.insert(read.begin(), read.end());
      written_.insert(written.begin(), written.end());
      more = read_ != read || written_ != written;
    }
    copy.body = Run(copy.body);
    read_ = FromInside(read_, var);
    written_ = FromInside(written_, var);
    loops_.pop_back();
    return MakeStmt(std::move(copy));
  }

  /// Whether iterations of the loop, and of those inside of it around threads, write different
  /// elements, and read none of what they write.
  bool WriteApart(const Stmt& stmt) const {
    const For* loop = As<For>(stmt);
    if (!loop || (loop->kind == ForKind::kParallel && loops_.empty())) return false;
    std::set<const loop::BufferNode*> read, written;
    for (const loop::Site& site : loop::Sites(stmt)) {
      const auto reduces = [](const loop::Iter& iter) {
        return iter.kind == loop::IterKind::kReduce;
      };
      if (std::any_of(site.block->iters.begin(), site.block->iters.end(), reduces)) return false;
      std::vector<Stmt> outside = loops_;
      for (const Stmt& inner : site.loops) {
        if (IsThreads(inner)) break;
        if (!loop::WhyNotIndependent(inner, outside).empty()) return false;
        outside.push_back(inner);
      }
      for (const loop::Access& access : Accesses(*site.block)) {
        const loop::BufferNode* buffer = access.buffer.get();
        if (own_.contains(buffer)) continue;
        if (access.write && !written.insert(buffer).second) return false;
        if (!access.write) read.insert(buffer);
      }
    }
    return std::none_of(read.begin(), read.end(),
                        [&](const auto* buffer) { return written.contains(buffer); });
  }

  Touched TouchOf(const loop::Site& site, const loop::Access& access) const {
    Touched touched{access.buffer.get(), nullptr, Copy::kAll};
    if (access.buffer->shape.empty() || access.buffer->shape[0] != 2 ||
        access.ranges[0].extent != 1)
      return touched;
    loop::Expr index = Substitute(access.ranges[0].base, Bindings(*site.block));
    if (index.op() == loop::Op::kFloorMod && index->args[1].IsConst(2)) index = index->args[0];
    const loop::Affine form = loop::FactsOf(loops_).Form(index);
    if (form.terms.size() > 1) return touched;
    if (form.terms.size() == 1) {
      const loop::Affine::Term& term = form.terms[0];
      const auto is_around = [&](const Stmt& loop) {
        return As<For>(loop)->var == term.atom->var && !IsThreads(loop);
      };
      if (term.coef != 1 || term.atom.op() != loop::Op::kVar ||
          std::none_of(loops_.begin(), loops_.end(), is_around))
        return touched;
      touched.turn = term.atom->var.get();
    }
    touched.copy = form.constant % 2 == 0 ? Copy::kThis : Copy::kNext;
    return touched;
  }

  Stmt RunUnit(const Stmt& stmt) {
    Set read, written;
    for (const loop::Site& site : loop::Sites(stmt))
      for (const loop::Access& access : Accesses(*site.block))
        if (!own_.contains(access.buffer.get()))
          (access.write ? written : read).insert(TouchOf(site, access));
    const bool needed = Meet(written, read_) || Meet(written, written_) || Meet(read, written_);
    if (needed) read_.clear(), written_.clear();
    read_.merge(read);
    written_.merge(written);
    return needed ? loop::MakeSeq({MakeStmt(loop::Barrier{}), stmt}) : stmt;
  }

  const std::set<const loop::BufferNode*>& own_;
  const Stmt& team_;
  std::vector<Stmt> loops_;  // around
  Set read_, written_;       // since the last barrier
};

}  // namespace

Stmt WithBarriers(const Stmt& body, const std::set<const loop::BufferNode*>& own,
                  const Stmt& team) {
  return Barriers(own, team).Run(body);
}

}  // namespace vta::compiler::lower
