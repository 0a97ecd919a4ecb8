#include "tools/report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/support/error.h"

namespace vta::tools {

std::string PathText(const isa::Causes& causes, size_t most) {
  struct Share {
    int64_t cycles;
    int unit;
    isa::Cause cause;
  };
  std::vector<Share> shares;
  int64_t all = 0;
  for (int u = 0; u < isa::kUnits; ++u)
    for (int c = 0; c < isa::kCauses; ++c) {
      shares.push_back({causes.path[u][c], u, static_cast<isa::Cause>(c)});
      all += causes.path[u][c];
    }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.cycles > b.cycles; });
  shares.resize(std::min(shares.size(), most));
  std::string text;
  for (const Share& share : shares)
    if (200 * share.cycles >= all && share.cycles > 0)
      text += fmt::format(
          "{}{}{} {:.0f}", text.empty() ? "" : ", ", isa::UnitName(share.unit),
          share.cause == isa::Cause::kBusy ? "" : StrCat(" ", isa::CauseName(share.cause)),
          100.0 * static_cast<double>(share.cycles) / static_cast<double>(all));
  return text;
}

}  // namespace vta::tools
