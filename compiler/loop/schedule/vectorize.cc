// vectorize: the iterations of a loop run as lanes of vectors.
#include "compiler/loop/independent.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> Vectorize(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const size_t at = FindSerialLoop(site, a.args[1]);
  const Stmt stmt = site.loops[at];
  for (size_t i = 0; i < at; ++i)
    if (const For& outer = *As<For>(site.loops[i]); outer.kind == ForKind::kVectorize)
      throw Error("", "loop", a.args[1],
                  StrCat("is inside ", outer.var->name, ", whose iterations are lanes"));
  if (const std::string why = WhyNotLanes(stmt, {site.loops.begin(), site.loops.begin() + at});
      !why.empty())
    throw Error("", "loop", a.args[1], why);
  For loop = *As<For>(stmt);
  loop.kind = ForKind::kVectorize;
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  return {};
}

}  // namespace vta::compiler::loop
