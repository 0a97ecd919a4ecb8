// annotate: hangs key=value on a loop, or on the block itself where the loop is named "-".
#include <algorithm>
#include <cctype>

#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/rewrite.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

void Set(std::vector<Annotation>& annotations, const Annotation& annotation) {
  for (Annotation& a : annotations)
    if (a.key == annotation.key) {
      a.value = annotation.value;
      return;
    }
  annotations.push_back(annotation);
}

}  // namespace

std::vector<std::string> Annotate(Application& a) {
  const Site site = FindSite(a.function, a.args[0]);
  const std::string& key = a.args[2];
  const bool is_key = std::ranges::all_of(
      key, [](char c) { return std::islower(static_cast<unsigned char>(c)) || c == '_'; });
  if (key.empty() || !is_key) throw Error("", "key", key, "must be of lower-case letters and '_'");
  const Annotation annotation{key, a.Int(3, "value", INT64_MIN, INT64_MAX)};
  if (a.args[1] == "-") {
    Block block = *site.block;
    Set(block.annotations, annotation);
    a.function = ReplaceStmt(a.function, site.stmt, MakeStmt(std::move(block)));
    return {};
  }
  const Stmt stmt = site.loops[FindLoop(site, a.args[1])];
  For loop = *As<For>(stmt);
  Set(loop.annotations, annotation);
  a.function = ReplaceStmt(a.function, stmt, MakeStmt(std::move(loop)));
  return {};
}

}  // namespace vta::compiler::loop
