// Code of expressions: a value a lane of the vectorised loop, or one for all lanes.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "compiler/llvm/code.h"
#include "compiler/loop/analysis.h"

namespace vta::compiler::llvm {

/// What stands around the place where code is written.
struct Surroundings {
  std::map<const loop::VarNode*, Value> vars;       // int64; of the lane loop: its first lane
  std::map<const loop::BufferNode*, Value> memory;  // where a buffer's first element lies
  std::set<const loop::VarNode*> threads;           // among the vars, of a GPU
  std::set<const loop::BufferNode*> own;            // of which a thread of a GPU has its part
  loop::Var lane;                                   // empty outside vectorised loops
  int lanes = 0;
};

/// A block's expressions in the loops around it, with what was found out about them: a block that
/// is written out many times is analysed once.
class BlockFacts {
 public:
  /// `where` may be empty.
  BlockFacts(const loop::Facts& loops, const loop::Expr& where);

  /// What holds at a place of the block: everywhere, or on a side of a select.
  struct Context {
    loop::Facts facts;
    std::map<const loop::ExprNode*, loop::Affine> forms;
    std::map<std::pair<const loop::ExprNode*, bool>, std::unique_ptr<Context>> sides;
  };
  Context& everywhere() { return everywhere_; }
  /// What is to be tested: the conjuncts of `where` that the loops do not imply.
  const std::vector<loop::Expr>& guards() const { return guards_; }
  /// Where the block's guards are tested.
  Context& outside() { return outside_; }
  static Context& Side(Context& context, const loop::Expr& select, bool taken);
  static const loop::Affine& Form(Context& context, const loop::Expr& expr);
  /// The position in the buffer, in elements, of an access (a load, or a store's indices as one).
  static const loop::Affine& Flat(Context& context, const loop::ExprNode* access,
                                  const loop::Buffer& buffer,
                                  const std::vector<loop::Expr>& indices);
  /// True when a load stays inside its buffer even where the block's guards do not hold.
  bool IsSafe(const loop::Expr& load);
  bool AllSafe(const loop::Expr& expr);

 private:
  Context outside_, everywhere_;
  std::vector<loop::Expr> guards_;
  std::map<const loop::ExprNode*, bool> safe_, all_safe_;
};

class Values {
 public:
  Values(Code& code, const Surroundings& around, BlockFacts& facts)
      : c_(code), around_(around), facts_(facts) {}

  /// `mask` (or nullptr for all): the lanes that are wanted; others touch no memory.
  Value Emit(const loop::Expr& e, Value mask, BlockFacts::Context& context);
  /// variable + constant + stride * lane; `variable` may be a vector, or nullptr for 0.
  struct Index {
    Value variable = nullptr;
    int64_t constant = 0, stride = 0;
    int64_t multiple = 0;  // of which the variable is one; 0 where there is none
  };
  Index IndexOf(const loop::Affine& affine, Value mask, BlockFacts::Context& context);
  /// The same in a buffer: of one that a thread has to itself, in its part.
  Index IndexIn(const loop::Buffer& buffer, const loop::Affine& affine, Value mask,
                BlockFacts::Context& context);
  /// Begins a copy that ends at the next barrier, of what `store` takes from a tensor: a load, or
  /// one where a condition holds and else 0. False where that cannot be: nothing is written then.
  bool CopyAside(const loop::Store& store, const loop::Affine& flat);
  /// Bytes that divide the address, as far as that is of use.
  int AlignmentOf(const loop::Buffer& buffer, const Index& index) const;
  /// `index`: in elements from the buffer's first.
  void Store(const loop::Buffer& buffer, const Index& index, Value value, Value mask);
  Value Sum(const loop::Affine& affine, Value mask, BlockFacts::Context& context);
  /// Where the element lies, outside vectorised loops.
  Value Address(const loop::Buffer& buffer, const loop::Affine& flat,
                BlockFacts::Context& context) {
    return At(buffer, IndexOf(flat, nullptr, context));
  }

 private:
  Value Constant(const loop::Expr& e);
  Value Load(const loop::Expr& e, Value mask, BlockFacts::Context& context);
  Value Select(const loop::Expr& e, Value mask, BlockFacts::Context& context);
  Value Apply(const loop::Expr& e, const std::vector<Value>& args, BlockFacts::Context& context);
  Value ApplyFloat(loop::Op op, const std::vector<Value>& args);
  Value ApplyInteger(const loop::Expr& e, const std::vector<Value>& args,
                     BlockFacts::Context& context);
  Value Cast(const loop::Expr& e, Value a, BlockFacts::Context& context);
  Value At(const loop::Buffer& buffer, const Index& index);
  Value LanePointers(const loop::Buffer& buffer, const Index& index);

  Code& c_;
  const Surroundings& around_;
  BlockFacts& facts_;
};

/// How a type lies in memory: bool as a byte.
Type MemoryType(const Code& c, loop::DType dtype);

}  // namespace vta::compiler::llvm
