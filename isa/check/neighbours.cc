#include "isa/check/neighbours.h"

#include <set>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

/// Whether a * o + b * i == c somewhere in o of [0, trips_o), i of [0, trips_i).
bool Meets(int64_t a, int64_t b, int64_t c, int64_t trips_o, int64_t trips_i) {
  if (trips_i <= 0) return false;
  if (a == 0) trips_o = std::min<int64_t>(trips_o, 1);
  for (int64_t o = 0; o < trips_o; ++o) {
    const int64_t rest = c - a * o;
    if (b == 0 ? rest == 0 : rest % b == 0 && rest / b >= 0 && rest / b < trips_i) return true;
  }
  return false;
}

/// A step from one micro-op to the next: within the kernel, or from its last to its first when the
/// inner or the outer loop advances.
class Walk {
 public:
  Walk(const Instruction& alu, std::span<const Uop> uops) : alu_(alu), uops_(uops) {}

  std::optional<std::string> Run() {
    const Uop &first = uops_.front(), &last = uops_.back();
    for (size_t u = 1; u < uops_.size(); ++u)
      if (uops_[u - 1].dst == uops_[u].dst)
        return SameDst(StrCat("micro-ops ", u - 1, " and ", u, " of the kernel"));
    if (alu_.iter_in > 1 && last.dst == first.dst + alu_.dst_factor_in)
      return SameDst("the last micro-op and the first of the next inner iteration");
    const int64_t turn = (alu_.iter_in - 1) * alu_.dst_factor_in;
    if (alu_.iter_out > 1 && last.dst + turn == first.dst + alu_.dst_factor_out)
      return SameDst("the last micro-op and the first of the next outer iteration");
    if (alu_.use_imm) return std::nullopt;

    const int64_t a = alu_.src_factor_out - alu_.dst_factor_out;
    const int64_t b = alu_.src_factor_in - alu_.dst_factor_in;
    std::set<int64_t> seen;
    for (size_t u = 1; u < uops_.size(); ++u) {
      const int64_t gap = uops_[u - 1].dst - uops_[u].src;
      if (seen.insert(gap).second && Meets(a, b, gap, alu_.iter_out, alu_.iter_in))
        return ReadsDst(StrCat("micro-op ", u, " of the kernel"));
    }
    const int64_t gap = last.dst - first.src;
    if (Meets(a, b, gap - alu_.src_factor_in, alu_.iter_out, alu_.iter_in - 1))
      return ReadsDst("the first micro-op of an inner iteration");
    if (Meets(a, 0, gap + turn - alu_.src_factor_out, alu_.iter_out - 1, 1))
      return ReadsDst("the first micro-op of an outer iteration");
    return std::nullopt;
  }

 private:
  static std::string SameDst(const std::string& which) {
    return StrCat(which, " have the same dst");
  }
  static std::string ReadsDst(const std::string& which) {
    return StrCat(which, " reads the dst of the one before");
  }

  const Instruction& alu_;
  std::span<const Uop> uops_;
};

}  // namespace

std::optional<std::string> NeighboursThatMeet(const Instruction& alu, std::span<const Uop> uops) {
  if (uops.empty() || alu.iter_out == 0 || alu.iter_in == 0) return std::nullopt;
  return Walk(alu, uops).Run();
}

}  // namespace vta::isa
