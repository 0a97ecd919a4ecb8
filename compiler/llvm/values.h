// Code of expressions: a value a lane of the vectorised loop, or one for all lanes.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "compiler/llvm/code.h"
#include "compiler/loop/analysis.h"
#include "compiler/lower/block_facts.h"

namespace vta::compiler::llvm {

using lower::BlockFacts;

/// What stands around the place where code is written.
struct Surroundings {
  std::map<const loop::VarNode*, Value> vars;       // int64; of the lane loop: its first lane
  std::map<const loop::BufferNode*, Value> memory;  // where a buffer's first element lies
  std::set<const loop::VarNode*> threads;           // among the vars, of a GPU
  std::set<const loop::BufferNode*> own;            // of which a thread of a GPU has its part
  loop::Var lane;                                   // empty outside vectorised loops
  int lanes = 0;
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
  /// Elements from one on, and such a one, outside vectorised loops.
  Value LoadAt(const loop::Buffer& buffer, const loop::Affine& flat, Type type,
               BlockFacts::Context& context);
  void StoreAt(const loop::Buffer& buffer, const loop::Affine& flat, Value value,
               BlockFacts::Context& context);
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
  Value LoadStrided(const loop::Buffer& buffer, const Index& index);
  Value LanePointers(const loop::Buffer& buffer, const Index& index);

  Code& c_;
  const Surroundings& around_;
  BlockFacts& facts_;
};

/// How a type lies in memory: bool as a byte.
Type MemoryType(const Code& c, loop::DType dtype);

}  // namespace vta::compiler::llvm
