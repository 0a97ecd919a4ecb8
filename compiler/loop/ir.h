// The loop IR: how a computation runs. Loops around named blocks, each of which writes an element
// of one buffer or of several (or calls one tensor intrinsic) for every point of its iterators.
// Nodes are immutable and shared; schedules rebuild paths.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/loop/expr.h"

namespace vta::compiler::tensorize {
struct Intrinsic;
}

namespace vta::compiler::loop {

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

/// A free hint; unknown keys are kept and printed. Values are integers.
struct Annotation {
  std::string key;
  int64_t value = 0;
  bool operator==(const Annotation&) const = default;
};

/// kParallel: iterations are tasks: of a CPU's threads, or the blocks of threads of a GPU. kThread:
/// iterations are threads of such a block; what is outside of their loops all threads do together.
enum class ForKind : uint8_t { kSerial, kUnroll, kVectorize, kParallel, kVthread, kThread };
std::string_view Name(ForKind kind);

/// for var in [0, extent).
struct For {
  Var var;
  int64_t extent;
  ForKind kind = ForKind::kSerial;
  std::vector<Annotation> annotations;
  Stmt body;
};

/// Statements one after the other.
struct Seq {
  std::vector<Stmt> stmts;
};

/// A buffer that lives while `body` runs; its contents are undefined at the start.
struct Allocate {
  Buffer buffer;
  Stmt body;
};

/// buffer[indices] = value. Only inside a block.
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
};

/// One dimension of a region: the elements [base, base + extent). extent 0 marks a single point,
/// which takes no dimension of the operand.
struct Range {
  Expr base;
  int64_t extent = 0;
};

/// An operand of a call: the part of a buffer that the intrinsic works on, whose dimensions with
/// extent > 0 are the operand's, in order; or, without a buffer, the value of an immediate operand.
struct Region {
  Buffer buffer;
  std::vector<Range> ranges;
  Expr immediate = {};
};

/// Which part of an intrinsic is called: the whole computation, only the start of a reduction, or
/// one more step of it.
enum class CallPart : uint8_t { kCompute, kReset, kUpdate };
std::string_view Name(CallPart part);

/// An application of a tensor intrinsic. Only inside a block. operands[0] is written, the rest are
/// read.
struct Call {
  std::shared_ptr<const tensorize::Intrinsic> intrinsic;
  CallPart part;
  std::vector<Region> operands;
};

/// kSpatial: different points write different elements. kReduce: points accumulate into the same
/// element.
enum class IterKind : uint8_t { kSpatial, kReduce };

/// An iterator of a block: ranges over [0, extent), equals `binding`, an expression in the loops
/// around the block.
struct Iter {
  Var var;
  int64_t extent;
  IterKind kind;
  Expr binding;
};

/// A named computation. Runs `body` (one Call, one Store, or a Seq of Stores to different buffers)
/// where `where` holds (empty = always); `init`, if there, runs first at each point whose reduce
/// iterators are all 0. `body` and `init` may use the block's iterators and the loops outside;
/// `where` only the loops outside.
///
/// The stores of a Seq are simultaneous: at each point every value and index is computed before the
/// first of them is written. `init` then writes the elements that the body writes. In text each
/// store has a line, each of `init` behind the word:
///     block best(vn: 4 = n, reduce vk: 9 = k) {
///       init best[vn] = x[vn, 0]
///       init index[vn] = 0
///       best[vn] = max(best[vn], x[vn, vk])
///       index[vn] = select(best[vn] < x[vn, vk], vk, index[vn])
///     }
struct Block {
  std::string name;
  std::vector<Iter> iters;
  Expr where;
  Stmt init;
  Stmt body;
  std::vector<Annotation> annotations;
};

/// All threads of a block come here before any goes on, and what they copy aside has arrived, but
/// for copies that they began after the `pending`-th last barrier before. Only code that is lowered
/// has them.
struct Barrier {
  int64_t pending = 0;
};

struct StmtNode {
  std::variant<For, Seq, Allocate, Block, Store, Call, Barrier> value;
  bool simplified = false;  // of a block that SimplifyStmt made
};

template <typename T>
Stmt MakeStmt(T value) {
  return std::make_shared<StmtNode>(StmtNode{std::move(value)});
}
/// The statement as a T, or nullptr.
template <typename T>
const T* As(const Stmt& stmt) {
  return stmt ? std::get_if<T>(&stmt->value) : nullptr;
}
/// A Seq of these statements without nested Seqs; the statement itself if it is one.
Stmt MakeSeq(std::vector<Stmt> stmts);
/// The stores, or the call, of a block's body or init; none of an empty one.
std::vector<Stmt> Leaves(const Stmt& body);

/// A function over buffers. Parameters that are written are its outputs.
struct Function {
  std::string name;
  std::vector<Buffer> params;
  Stmt body;
};

/// Text of a function; Parse(Print(f)) prints the same.
std::string Print(const Function& function);
std::string Print(const Expr& expr);
/// `indent` is the number of leading spaces.
std::string Print(const Stmt& stmt, int indent = 0);
/// For messages: the lines of its text one after the other on one.
std::string OneLine(const Stmt& stmt);
std::string Print(const Region& region);

}  // namespace vta::compiler::loop
