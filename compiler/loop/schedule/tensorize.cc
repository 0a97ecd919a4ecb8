// tensorize: the loops of a block from a given one inwards become one call of a tensor intrinsic.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "compiler/tensorize/match.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> Tensorize(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const size_t from = FindLoop(site, a.args[1]);
  for (size_t i = from; i < site.loops.size(); ++i) {
    const For& loop = *As<For>(site.loops[i]);
    if (loop.kind == ForKind::kVthread || (loop.body != site.stmt && !As<For>(loop.body)))
      throw Error("", "loop", loop.var->name, "must hold nothing but the block");
  }
  for (const tensorize::IntrinsicRef& intrinsic : a.intrinsics)
    if (intrinsic->name == a.args[2]) {
      const Stmt block = MakeStmt(tensorize::Match(site, from, intrinsic));
      a.function = Simplified(ReplaceStmt(a.function, site.loops[from], block));
      return {};
    }
  throw Error("", "intrinsic", a.args[2], "the target has no such intrinsic");
}

}  // namespace vta::compiler::loop
