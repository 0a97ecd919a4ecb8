// What several primitives need: finding loops, replacing statements, fresh names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/analysis.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// The position in site.loops of the loop with this name.
/// Errors: throws Error listing the block's loops if there is none.
size_t FindLoop(const Site& site, const std::string& name);
/// FindLoop, and the loop must be serial (not unrolled or a virtual thread).
size_t FindSerialLoop(const Site& site, const std::string& name);

/// Errors: throws Error if the word cannot be the name of a memory.
void RequireScopeName(const std::string& scope);

/// The function with one statement replaced; an empty replacement removes it.
Function ReplaceStmt(const Function& function, const Stmt& from, const Stmt& to);
/// The same for a statement.
Stmt ReplaceIn(const Stmt& root, const Stmt& from, const Stmt& to);
bool Contains(const Stmt& root, const Stmt& stmt);
/// The function with the index expressions of new blocks simplified.
Function Simplified(const Function& function);

/// Names that are taken, and new ones beside them.
class NameSet {
 public:
  /// Names of buffers and blocks, which are unique in a function.
  explicit NameSet(const Function& function);
  /// Names of loops and iterators, which are unique on the way from the outermost loop to a block:
  /// those of the loops around a place, and those inside `inner` (may be empty).
  NameSet(const std::vector<Stmt>& around, const Stmt& inner);
  /// `base`, or base_1, base_2, ...: not in use; it is from now on.
  std::string Fresh(std::string base);

 private:
  std::vector<std::string> names_;
};

/// The constant by which an index is more than another one where the facts hold, if it is one.
std::optional<int64_t> Gap(const Expr& index, const Expr& other, const Facts& facts = {});

/// The loops around a statement, outermost first.
std::vector<Stmt> LoopsAround(const Function& function, const Stmt& stmt);

/// The buffer with this name.
Buffer FindBuffer(const Function& function, const std::string& name);
/// FindBuffer, and how it lies must be the function's own choice.
/// Errors: throws Error if it is a parameter.
Buffer FindOwnBuffer(const Function& function, const std::string& name);
/// Whether iterators of this kind are bound to the loop's variable.
bool UsedBy(const Block& block, IterKind kind, const Var& var);
/// The blocks that read (write) the buffer, in order.
std::vector<Site> ReadersOf(const Function& function, const Buffer& buffer);
std::vector<Site> WritersOf(const Function& function, const Buffer& buffer);

/// Refuses when blocks under `loops` (outermost first, each directly in the one before) pass data
/// to each other through a buffer that outlives an iteration of the innermost.
void RequireIndependentIterations(const Stmt& innermost);

/// Where a buffer lives: the statement list in its allocation (or the function's body), as its
/// items.
struct Level {
  Stmt whole;  // the Seq or the single statement
  std::vector<Stmt> items;
};
Level LevelOf(const Function& function, const Buffer& buffer);
/// The function with other items at the level, and a buffer allocated for all of them.
Function WithItems(const Function& function, const Level& level, std::vector<Stmt> items,
                   const Buffer& buffer);
/// The position of the item that holds the statement.
size_t ItemWith(const Level& level, const Stmt& stmt);

/// A nest that copies `from` to `to`, element by element, named `block`, with a loop a dimension.
Stmt CopyNest(const Buffer& from, const Buffer& to, const std::string& block,
              const std::vector<std::string>& loops);

}  // namespace vta::compiler::loop
