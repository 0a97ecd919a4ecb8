// set_scope: a buffer lives in another memory.
#include <cctype>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {

std::vector<std::string> SetScope(Application& a) {
  const Buffer buffer = FindBuffer(a.function, a.args[0]);
  if (IsParam(a.function, buffer))
    throw Error("", "buffer", buffer->name, "is a parameter, which lives where the caller put it");
  RequireScopeName(a.args[1]);
  a.function.body = ReplaceBuffer(
      a.function.body, buffer,
      MakeBuffer(buffer->name, buffer->dtype, buffer->shape, a.args[1], buffer->strides));
  return {};
}

}  // namespace vta::compiler::loop
