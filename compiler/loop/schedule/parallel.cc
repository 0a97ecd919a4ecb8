// parallel: the iterations of the function's outermost loop are tasks, which any thread may run.
#include "compiler/loop/independent.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> Parallel(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const Stmt stmt = site.loops[FindSerialLoop(site, a.args[1])];
  if (stmt != WithoutAllocates(a.function.body))
    throw Error("", "loop", a.args[1],
                "must be the outermost one, around all blocks of the function");
  if (const std::string why = WhyNotIndependent(stmt, {}); !why.empty())
    throw Error("", "loop", a.args[1], why);
  For loop = *As<For>(stmt);
  loop.kind = ForKind::kParallel;
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  return {};
}

}  // namespace vta::compiler::loop
