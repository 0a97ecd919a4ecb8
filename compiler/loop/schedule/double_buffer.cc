// double_buffer: iterations of a loop take a buffer's two copies in turn, so that one can be filled
// while the other one is still read.
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> DoubleBuffer(Application& a) {
  constexpr int64_t kCopies = 2;
  const Buffer buffer = FindBuffer(a.function, a.args[0]);
  if (IsParam(a.function, buffer))
    throw Error("", "buffer", buffer->name, "is a parameter, of which there is one");
  const std::vector<Site> users = WritersOf(a.function, buffer);
  if (users.empty()) throw Error("", "buffer", buffer->name, "is written by no block");
  const Stmt stmt = users[0].loops[FindSerialLoop(users[0], a.args[1])];
  const For& loop = *As<For>(stmt);
  bool inside = false;
  Stmt body = RewriteStmts(loop.body, [&](const Stmt& s) -> Stmt {
    const Allocate* const alloc = As<Allocate>(s);
    if (!alloc || alloc->buffer != buffer) return {};
    inside = true;
    return alloc->body;
  });
  if (!inside)
    throw Error("", "buffer", buffer->name,
                StrCat("must be allocated in loop ", a.args[1], ", as compute_at does"));
  std::vector<int64_t> shape = buffer->shape, strides = buffer->strides;
  shape.insert(shape.begin(), kCopies);
  if (!strides.empty()) strides.insert(strides.begin(), buffer->SizeElems());
  const Buffer copies = MakeBuffer(buffer->name, buffer->dtype, shape, buffer->scope, strides);
  For around = loop;
  around.body = ReplaceBuffer(body, buffer, copies, [&](std::vector<Expr> at) {
    at.insert(at.begin(), FloorMod(Expr(loop.var), kCopies));
    return at;
  });
  a.function = Simplified(
      ReplaceStmt(a.function, stmt, MakeStmt(Allocate{copies, MakeStmt(std::move(around))})));
  return {};
}

}  // namespace vta::compiler::loop
