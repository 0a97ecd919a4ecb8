#include "compiler/loop/merge.h"

#include <algorithm>

#include "compiler/loop/analysis.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

Buffer ParamOf(const Function& function, const std::string& name) {
  const auto at =
      std::ranges::find_if(function.params, [&](const Buffer& b) { return b->name == name; });
  if (at == function.params.end())
    throw Error(StrCat("func ", function.name), "parameter", name, "there is none of that name");
  return *at;
}

bool AreAlike(const BufferNode& a, const BufferNode& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.scope == b.scope && a.strides == b.strides;
}

}  // namespace

Function Merge(const std::string& name, const Function& first, const Function& second,
               const std::vector<Passed>& passed) {
  Function out{name, first.params, {}};
  Stmt rest = second.body;
  std::vector<Buffer> own = second.params, internal;
  for (const Passed& one : passed) {
    const Buffer from = ParamOf(first, one.from), to = ParamOf(second, one.to);
    if (!AreAlike(*from, *to))
      throw Error(StrCat("func ", second.name), "parameter", one.to,
                  StrCat("must be as ", one.from, " of func ", first.name));
    if (std::erase(own, to) == 0)
      throw Error(StrCat("func ", second.name), "parameter", one.to, "is passed twice");
    for (const Site& site : Sites(second.body))
      if (Writes(*site.block, to))
        throw Error(StrCat("func ", second.name), "parameter", one.to, "is written by it");
    rest = ReplaceBuffer(rest, to, from);
    if (!one.is_internal || std::erase(out.params, from) == 0) continue;
    internal.push_back(from);
  }
  Function both{name, first.params, MakeSeq({first.body, second.body})};
  both.params.insert(both.params.end(), second.params.begin(), second.params.end());
  NameSet names(both);
  std::vector<std::string> buffers, blocks;
  for (const Buffer& buffer : Buffers(first)) buffers.push_back(buffer->name);
  for (const Site& site : Sites(first.body)) blocks.push_back(site.block->name);
  const auto renamed = [&](const Buffer& buffer) {
    if (!std::ranges::count(buffers, buffer->name)) return buffer;
    const Buffer other = MakeBuffer(names.Fresh(buffer->name), buffer->dtype, buffer->shape,
                                    buffer->scope, buffer->strides);
    rest = ReplaceBuffer(rest, buffer, other);
    return other;
  };
  for (const Buffer& buffer : own) out.params.push_back(renamed(buffer));
  for (const Buffer& buffer : Buffers({second.name, {}, rest})) renamed(buffer);
  rest = RewriteStmts(rest, [&](const Stmt& s) -> Stmt {
    const Block* const block = As<Block>(s);
    if (!block || !std::ranges::count(blocks, block->name)) return {};
    Block other = *block;
    other.name = names.Fresh(block->name);
    return MakeStmt(std::move(other));
  });
  out.body = MakeSeq({first.body, rest});
  for (size_t i = internal.size(); i-- > 0;)
    out.body = MakeStmt(Allocate{internal[i], std::move(out.body)});
  return out;
}

}  // namespace vta::compiler::loop
