#include "tools/report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "isa/support/error.h"

namespace vta::tools {

namespace {

struct Share {
  int64_t cycles;
  int unit;
  isa::Cause cause;

  std::string Name() const {
    return StrCat(isa::UnitName(unit),
                  cause == isa::Cause::kBusy ? "" : StrCat(" ", isa::CauseName(cause)));
  }
};

// Of the critical path, the largest first.
std::vector<Share> SharesOf(const isa::Causes& causes) {
  std::vector<Share> shares;
  for (int u = 0; u < isa::kUnits; ++u)
    for (int c = 0; c < isa::kCauses; ++c)
      shares.push_back({causes.path[u][c], u, static_cast<isa::Cause>(c)});
  std::ranges::stable_sort(shares, std::greater<>(), &Share::cycles);
  return shares;
}

int64_t AllOf(const std::vector<Share>& shares) {
  int64_t all = 0;
  for (const Share& share : shares) all += share.cycles;
  return all;
}

bool IsWorthSaying(int64_t cycles, int64_t all) { return cycles > 0 && 200 * cycles >= all; }

double Percent(int64_t cycles, int64_t all) {
  return 100.0 * static_cast<double>(cycles) / static_cast<double>(all);
}

}  // namespace

std::string PathText(const isa::Causes& causes, size_t most) {
  std::vector<Share> shares = SharesOf(causes);
  const int64_t all = AllOf(shares);
  shares.resize(std::min(shares.size(), most));
  std::string text;
  for (const Share& share : shares)
    if (IsWorthSaying(share.cycles, all))
      text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", share.Name(),
                          Percent(share.cycles, all));
  return text;
}

std::string BeyondText(const isa::Causes& causes, int64_t bound) {
  const std::vector<Share> shares = SharesOf(causes);
  const int64_t all = AllOf(shares);
  const auto passes = [](const Share& share) {
    return share.unit == isa::UnitOf(isa::Module::kCompute) && share.cause == isa::Cause::kBusy;
  };
  const auto moves = [&](const Share& share) {
    return share.cause == isa::Cause::kBandwidth ||
           (share.cause == isa::Cause::kBusy && !passes(share));
  };
  int64_t passing = 0, moving = 0;
  for (const Share& share : shares) {
    if (passes(share)) passing += share.cycles;
    if (moves(share)) moving += share.cycles;
  }
  // Of what sets the bound only what is above it is lost.
  const bool by_bus = moving > passing;
  int64_t most = std::max(passing, moving) - bound;
  std::string name = by_bus ? "more bytes" : "more passes";
  for (const Share& share : shares) {
    if (share.cycles <= most || passes(share) || (by_bus && moves(share))) continue;
    most = share.cycles;
    name = StrCat(isa::UnitName(share.unit), " ", isa::CauseName(share.cause));
  }
  return IsWorthSaying(most, all) ? fmt::format("{:.0f} % {}", Percent(most, all), name) : "";
}

}  // namespace vta::tools
