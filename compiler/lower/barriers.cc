#include "compiler/lower/barriers.h"

#include <algorithm>
#include <compare>
#include <limits>
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

constexpr int64_t kAll = -1;

struct Touched {
  const loop::BufferNode* buffer;
  const loop::VarNode* turn;  // the loop's; nullptr of a copy that a constant says
  // Of a buffer that has copies, which iterations of a loop take in turn: the one of an iteration
  // so many further on. Of others all.
  int64_t copy;
  auto operator<=>(const Touched&) const = default;

  int64_t copies() const { return buffer->shape[0]; }
  bool Meets(const Touched& other) const {
    return buffer == other.buffer &&
           (turn != other.turn || copy == kAll || other.copy == kAll || copy == other.copy);
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
    if (!one.turn && one.copy != kAll) one.turn = loop;
  });
}
Set InTheNext(const Set& touched, const loop::VarNode* loop) {
  return Seen(touched, [&](Touched& one) {
    if (one.turn == loop) one.copy = (one.copy + one.copies() - 1) % one.copies();
  });
}
Set FromInside(const Set& touched, const loop::VarNode* loop) {
  return Seen(touched, [&](Touched& one) {
    if (one.turn == loop) one.turn = nullptr, one.copy = kAll;
  });
}

class Barriers {
 public:
  Barriers(const std::set<const loop::BufferNode*>& own, const Stmt& team,
           const std::vector<loop::Buffer>& copied)
      : own_(own), team_(team), copied_(copied) {}

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
    const int64_t pending = PendingIn(copy.body, var);
    loops_.pop_back();
    if (pending == 0) return MakeStmt(std::move(copy));
    std::vector<Stmt> stmts = As<loop::Seq>(copy.body)->stmts;
    stmts[0] = MakeStmt(loop::Barrier{pending});
    copy.body = MakeSeq(std::move(stmts));
    // What the first iterations read has arrived.
    return loop::MakeSeq({MakeStmt(loop::Barrier{}), MakeStmt(std::move(copy))});
  }

  /// How many intervals between barriers what is copied aside may take, in a loop with one barrier,
  /// at its begin, behind which iterations read a copy and fill, of all that there are, the one
  /// that is read last; else 0.
  int64_t PendingIn(const Stmt& body, const loop::VarNode* var) const {
    const loop::Seq* const seq = As<loop::Seq>(body);
    if (!seq || !As<loop::Barrier>(seq->stmts[0])) return 0;
    int64_t barriers = 0, pending = std::numeric_limits<int64_t>::max();
    VisitStmts(body, [&](const Stmt& s) { barriers += As<loop::Barrier>(s) != nullptr; });
    bool fills = false;
    for (const loop::Site& site : loop::Sites(body))
      for (const loop::Access& access : Accesses(*site.block)) {
        if (!std::ranges::count(copied_, access.buffer)) continue;
        const Touched touched = TouchOf(site, access);
        if (touched.turn != var || touched.copy != (access.write ? touched.copies() - 1 : 0))
          return 0;
        fills |= access.write;
        pending = std::min(pending, touched.copies() - 2);
      }
    return barriers == 1 && fills ? pending : 0;
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
    Touched touched{access.buffer.get(), nullptr, kAll};
    const std::vector<int64_t>& shape = access.buffer->shape;
    constexpr int64_t kMostCopies = 8;  // of more, each would be another one to keep apart
    if (shape.empty() || shape[0] < 2 || shape[0] > kMostCopies || access.ranges[0].extent != 1)
      return touched;
    const int64_t copies = shape[0];
    loop::Expr index = Substitute(access.ranges[0].base, Bindings(*site.block));
    if (index.op() == loop::Op::kFloorMod && index->args[1].IsConst(copies)) index = index->args[0];
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
    touched.copy = loop::FoldInt64(loop::Op::kFloorMod, form.constant, copies);
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
  const std::vector<loop::Buffer>& copied_;
  std::vector<Stmt> loops_;  // around
  Set read_, written_;       // since the last barrier
};

}  // namespace

Stmt WithBarriers(const Stmt& body, const std::set<const loop::BufferNode*>& own, const Stmt& team,
                  const std::vector<loop::Buffer>& copied) {
  return Barriers(own, team, copied).Run(body);
}

}  // namespace vta::compiler::lower
