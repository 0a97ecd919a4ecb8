#include "compiler/loop/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/loop/analysis.h"
#include "compiler/tensorize/expand.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function)
      : function_(function), where_(StrCat("func ", function.name)) {}

  void Run() {
    if (!function_.body) throw Error(where_, "body", "", "must not be empty");
    for (const Buffer& param : function_.params) Declare(param, 0);
    Check(function_.body);
    Writers();
    const std::vector<Site> sites = Sites(function_.body);
    for (const Site& site : sites)
      for (const Buffer& buffer : Written(*site.block)) CheckAccumulation(site, buffer, sites);
  }

 private:
  [[noreturn]] void Fail(std::string what, std::string value, std::string rule) const {
    throw Error(block_ ? StrCat(where_, ": block ", block_->name) : where_, std::move(what),
                std::move(value), std::move(rule));
  }

  void Declare(const Buffer& buffer, size_t loops) {
    if (!names_.insert(buffer->name).second) Fail("buffer", buffer->name, "is declared twice");
    for (int64_t extent : buffer->shape)
      if (extent < 1)
        Fail(StrCat("extent of ", buffer->name), StrCat(extent), "must be at least 1");
    if (!buffer->strides.empty())
      if (std::string why = WhyNotStrides(buffer->shape, buffer->strides); !why.empty())
        Fail("strides", buffer->name, std::move(why));
    scopes_.push_back(buffer);
    alloc_depth_[buffer.get()] = loops;
  }

  void Check(const Stmt& stmt) {
    if (const For* loop = As<For>(stmt)) {
      if (loop->extent < 1)
        Fail(StrCat("extent of loop ", loop->var->name), StrCat(loop->extent),
             "must be at least 1");
      for (const Stmt& outer : loops_)
        if (As<For>(outer)->var->name == loop->var->name)
          Fail("loop", loop->var->name, "a loop around it has the same name");
      loops_.push_back(stmt);
      Check(loop->body);
      loops_.pop_back();
    } else if (const Seq* seq = As<Seq>(stmt)) {
      for (const Stmt& s : seq->stmts) Check(s);
    } else if (const Allocate* alloc = As<Allocate>(stmt)) {
      Declare(alloc->buffer, loops_.size());
      Check(alloc->body);
      scopes_.pop_back();
    } else if (const Block* block = As<Block>(stmt)) {
      block_ = block;
      CheckBlock(*block);
      block_ = nullptr;
    } else {
      Fail("statement", stmt ? OneLine(stmt) : "", "must be inside a block");
    }
  }

  void RequireInScope(const Buffer& buffer) const {
    if (std::find(scopes_.begin(), scopes_.end(), buffer) == scopes_.end())
      Fail("buffer", buffer->name, "is not declared around the block");
  }

  /// Variables, buffers and dimensions of an expression; types were checked when it was built.
  void CheckExpr(const Expr& expr, const std::vector<Iter>& iters, bool loads) const {
    Visit(expr, [&](const Expr& e) {
      if (e.op() == Op::kVar &&
          std::none_of(loops_.begin(), loops_.end(),
                       [&](const Stmt& s) { return As<For>(s)->var == e->var; }) &&
          std::none_of(iters.begin(), iters.end(), [&](const Iter& i) { return i.var == e->var; }))
        Fail("variable", e->var->name, "is not declared around its use");
      if (e.op() == Op::kLoad) {
        if (!loads) Fail("expression", Print(expr), "must not read memory");
        RequireInScope(e->buffer);
        CheckIndices(e->buffer, e->args);
      }
    });
  }

  void CheckIndices(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (indices.size() != buffer->shape.size())
      Fail(StrCat("indices of ", buffer->name), StrCat(indices.size()),
           StrCat("must be ", buffer->shape.size()));
    for (const Expr& index : indices)
      if (index.dtype() != DType::kInt64)
        Fail(StrCat("index of ", buffer->name), Print(index), "must be int64");
  }

  void CheckLeaf(const Stmt& leaf) const {
    if (const Store* store = As<Store>(leaf)) {
      RequireInScope(store->buffer);
      CheckIndices(store->buffer, store->indices);
      for (const Expr& index : store->indices) CheckExpr(index, block_->iters, true);
      CheckExpr(store->value, block_->iters, true);
      if (store->value.dtype() != store->buffer->dtype)
        Fail(StrCat("value stored in ", store->buffer->name),
             std::string(Name(store->value.dtype())),
             StrCat("must be ", Name(store->buffer->dtype)));
    } else if (const Call* call = As<Call>(leaf)) {
      for (const Region& region : call->operands) {
        if (!region.buffer) {
          CheckExpr(region.immediate, block_->iters, false);
          continue;
        }
        RequireInScope(region.buffer);
        std::vector<Expr> bases;
        for (const Range& range : region.ranges) {
          bases.push_back(range.base);
          CheckExpr(range.base, block_->iters, true);
        }
        CheckIndices(region.buffer, bases);
      }
    } else {
      Fail("statement", leaf ? OneLine(leaf) : "", "must be a store or a call");
    }
  }

  /// A call, or stores to different buffers.
  void CheckBody(const Stmt& body) const {
    const std::vector<Stmt> leaves = Leaves(body);
    if (leaves.empty()) Fail("body", "", "must not be empty");
    std::set<const BufferNode*> stored;
    for (const Stmt& leaf : leaves) {
      CheckLeaf(leaf);
      const Store* store = As<Store>(leaf);
      if (!store && leaves.size() > 1) Fail("statement", OneLine(leaf), "must be alone");
      if (store && !stored.insert(store->buffer.get()).second)
        Fail("store", OneLine(leaf), StrCat("another one writes ", store->buffer->name));
    }
  }

  /// A start writes just the elements that the body writes; that of a call is checked with it.
  void CheckInit(const Block& block) const {
    const std::vector<Stmt> init = Leaves(block.init), body = Leaves(block.body);
    bool same = init.size() == body.size();
    for (const Stmt& leaf : body)
      if (const Store* store = As<Store>(leaf))
        same &= std::any_of(init.begin(), init.end(), [&](const Stmt& other) {
          const Store* start = As<Store>(other);
          return start && start->buffer == store->buffer &&
                 std::equal(start->indices.begin(), start->indices.end(), store->indices.begin(),
                            store->indices.end(), Same);
        });
    if (!same) Fail("init", OneLine(block.init), "must write the elements that the body writes");
  }

  void CheckBlock(const Block& block) {
    if (!blocks_.insert(block.name).second) Fail("name", block.name, "another block has the same");
    std::set<std::string> names;
    for (const Stmt& loop : loops_) names.insert(As<For>(loop)->var->name);
    Facts outside = FactsOf(loops_);
    if (block.where) {
      CheckExpr(block.where, {}, false);
      if (block.where.dtype() != DType::kBool) Fail("where", Print(block.where), "must be bool");
      outside.Assume(block.where);
    }
    Facts inside = outside;
    for (const Iter& iter : block.iters) {
      if (!names.insert(iter.var->name).second)
        Fail("iterator", iter.var->name, "a loop or iterator around it has the same name");
      CheckExpr(iter.binding, {}, false);
      if (!outside.Proves(iter.binding >= 0 && iter.binding < iter.extent))
        Fail(StrCat("binding of ", iter.var->name), Print(iter.binding),
             StrCat("must be in [0, ", iter.extent, "), which the loops and guards do not show"));
      inside.SetRange(iter.var, {0, iter.extent - 1});
    }
    CheckBody(block.body);
    if (block.init) {
      CheckBody(block.init);
      CheckInit(block);
    }
    if (As<Call>(block.body))
      tensorize::ExpandCalls(block);  // throws where an operand does not fit
    const VarMap bindings = Bindings(block);
    for (const Access& access : Accesses(block)) {
      CheckBounds(access, inside, outside, bindings);
      if (access.write && !access.init)
        writers_[access.buffer->name].push_back(
            {&block, access.buffer,
             access.ranges.empty() ? Expr() : Substitute(access.ranges[0].base, bindings),
             Bounds(block, access, outside), loops_});
    }
  }

  void CheckBounds(const Access& access, Facts inside, Facts outside,
                   const VarMap& bindings) const {
    // Seen through the iterators' ranges, or through their bindings; either may prove it.
    const Expr guard = access.guard ? Substitute(access.guard, bindings) : Expr();
    inside.Assume(access.guard);
    outside.Assume(guard);
    for (size_t d = 0; d < access.ranges.size(); ++d) {
      const Expr& base = access.ranges[d].base;
      const int64_t room = access.buffer->shape[d] - access.ranges[d].extent;
      const Expr bound = Substitute(base, bindings);
      for (const bool low : {true, false}) {
        const Expr a = low ? base >= 0 : base <= room, b = low ? bound >= 0 : bound <= room;
        if (!inside.Proves(a) && !outside.Proves(b))
          Fail(StrCat("index ", d, " of ", access.buffer->name), Print(base),
               StrCat("must be in [0, ", access.buffer->shape[d],
                      "), which the loops and guards do not show"));
      }
    }
  }

  /// A block that reads what it writes must run once for each point of its iterators after the
  /// elements were started; one that starts its reduction itself may run again as a whole.
  void CheckAccumulation(const Site& site, const Buffer& buffer, const std::vector<Site>& sites) {
    const Block& block = *site.block;
    if (!Reads(block, buffer)) return;
    block_ = &block;
    bool reducing = false;
    for (size_t i = StartDepth(site, buffer, sites); i < site.loops.size(); ++i) {
      const For& loop = *As<For>(site.loops[i]);
      bool bound = false;
      for (const Iter& iter : block.iters) {
        const bool uses = Uses(iter.binding, loop.var);
        bound |= uses;
        reducing |= uses && iter.kind == IterKind::kReduce;
      }
      for (const Access& access : Accesses(block))
        for (const Range& range : access.ranges)
          bound |= access.write && access.buffer == buffer && Uses(range.base, loop.var);
      if (loop.extent > 1 && !bound && (!block.init || reducing))
        Fail(StrCat("loop ", loop.var->name), "unused",
             StrCat("must be bound to an iterator, or ", buffer->name,
                    " is accumulated into more than once"));
    }
    block_ = nullptr;
  }

  /// How many loops around the block also hold the block that starts the elements of the buffer.
  size_t StartDepth(const Site& site, const Buffer& buffer, const std::vector<Site>& sites) const {
    size_t depth = alloc_depth_.at(buffer.get());
    for (const Site& other : sites) {
      if (other.block == site.block || !Writes(*other.block, buffer)) continue;
      if (Reads(*other.block, buffer) && !other.block->init) continue;
      size_t common = 0;
      while (common < std::min(site.loops.size(), other.loops.size()) &&
             site.loops[common] == other.loops[common])
        ++common;
      depth = std::max(depth, common);
    }
    return depth;
  }

  /// Two blocks may write one buffer only as the start of a reduction and its steps, in place,
  /// parts of it that are seen to be apart, or copies that iterations of a loop take in turn, of
  /// which there is one before the loop.
  void Writers() const {
    for (const auto& [name, writers] : writers_)
      for (size_t i = 1; i < writers.size(); ++i) {
        if (Reads(*writers[i].block, writers[i].buffer)) continue;
        for (size_t j = 0; j < i; ++j)
          if (!Apart(writers[i].hull, writers[j].hull) && !IsInTurn(writers[i], writers[j]))
            throw Error(where_, StrCat("block ", writers[i].block->name), name,
                        StrCat("overwrites what block ", writers[j].block->name, " writes"));
      }
  }

  struct Writer;
  /// Whether the block fills copies by the number of a loop, as many iterations ahead as there are
  /// copies but for one, and the other one has filled all but the last before that.
  bool IsInTurn(const Writer& writer, const Writer& before) const {
    if (!writer.copy || std::ranges::count(function_.params, writer.buffer) > 0) return false;
    const int64_t copies = writer.buffer->shape[0];
    if (copies < 2 || before.hull[0].low != 0 || before.hull[0].high != copies - 2) return false;
    const bool turns = writer.copy.op() == Op::kFloorMod && writer.copy->args[1].IsConst(copies);
    const Affine form = FactsOf(writer.loops).Form(turns ? writer.copy->args[0] : writer.copy);
    if (form.terms.size() != 1 || form.terms[0].coef != 1 ||
        FoldInt64(Op::kFloorMod, form.constant, copies) != copies - 1)
      return false;
    return std::any_of(writer.loops.begin(), writer.loops.end(), [&](const Stmt& stmt) {
      const For& loop = *As<For>(stmt);
      return form.terms[0].atom.op() == Op::kVar && form.terms[0].atom->var == loop.var &&
             (turns || loop.extent <= copies) &&
             std::find(before.loops.begin(), before.loops.end(), stmt) == before.loops.end();
    });
  }

  const Function& function_;
  std::string where_;
  std::vector<Buffer> scopes_;
  std::map<const BufferNode*, size_t> alloc_depth_;  // loops around the allocation
  std::vector<Stmt> loops_;
  std::set<std::string> names_, blocks_;
  /// A block, a buffer that it writes, the first index there, bounds of each index, and the loops
  /// around it.
  struct Writer {
    const Block* block;
    Buffer buffer;
    Expr copy;
    std::vector<Interval> hull;
    std::vector<Stmt> loops;
  };
  std::map<std::string, std::vector<Writer>> writers_;
  const Block* block_ = nullptr;
};

}  // namespace

void Verify(const Function& function) { Verifier(function).Run(); }

}  // namespace vta::compiler::loop
