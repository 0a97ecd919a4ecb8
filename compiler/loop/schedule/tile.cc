// tile: two loops of one nest are split and the inner parts moved inside both outer
// parts.
#include "compiler/loop/schedule/primitives.h"

namespace vta::compiler::loop {

std::vector<std::string> Tile(Application& a) {
  const std::string block = a.args[0], y = a.args[1], x = a.args[2], fy = a.args[3], fx = a.args[4];
  auto split = [&](const std::string& loop, const std::string& factor) {
    a.args = {block, loop, factor};
    return Split(a);
  };
  const std::vector<std::string> ys = split(y, fy), xs = split(x, fx);
  a.args = {block, ys[0], xs[0], ys[1], xs[1]};
  Reorder(a);
  return {ys[0], xs[0], ys[1], xs[1]};
}

}  // namespace vta::compiler::loop
