// double_buffer: iterations of a loop take a buffer's copies in turn, so that some can be filled
// while another one is still read.
#include <algorithm>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> DoubleBuffer(Application& a) {
  constexpr int64_t kCopies = 2, kMost = 64;
  const Buffer buffer = FindBuffer(a.function, a.args[0]);
  if (IsParam(a.function, buffer))
    throw Error("", "buffer", buffer->name, "is a parameter, of which there is one");
  const std::vector<Site> users = WritersOf(a.function, buffer);
  if (users.empty()) throw Error("", "buffer", buffer->name, "is written by no block");
  const Stmt stmt = users[0].loops[FindSerialLoop(users[0], a.args[1])];
  const For& loop = *As<For>(stmt);
  const int64_t asked = a.args.size() > 2 ? a.Int(2, "copies", kCopies, kMost) : kCopies;
  const int64_t copies = std::max(std::min(asked, loop.extent), kCopies);
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
  shape.insert(shape.begin(), copies);
  if (!strides.empty()) strides.insert(strides.begin(), buffer->SizeElems());
  const Buffer all = MakeBuffer(buffer->name, buffer->dtype, shape, buffer->scope, strides);
  For around = loop;
  around.body = ReplaceBuffer(body, buffer, all, [&](std::vector<Expr> at) {
    at.insert(at.begin(), FloorMod(Expr(loop.var), copies));
    return at;
  });
  a.function = Simplified(
      ReplaceStmt(a.function, stmt, MakeStmt(Allocate{all, MakeStmt(std::move(around))})));
  return {};
}

}  // namespace vta::compiler::loop
