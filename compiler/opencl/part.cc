#include "compiler/opencl/part.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::compiler::opencl {

void Part::Note(const loop::Affine& index, const loop::Facts& facts) {
  Noted noted{{}, index.constant};
  for (const loop::Affine::Term& term : index.terms) {
    const loop::Interval range = facts.Bounds(term.atom);
    fits_ &= term.coef > 0 && range.Known() && range.low == 0;
    fits_ &= noted.most.emplace(term.coef, range.high).second;
  }
  fits_ &= index.constant >= 0;
  noted_.push_back(std::move(noted));
}

std::optional<std::map<int64_t, int64_t>> Part::Digits(int64_t constant) const {
  std::map<int64_t, int64_t> digits;
  for (auto factor = packed_.rbegin(); factor != packed_.rend(); ++factor) {
    digits[factor->first] = constant / factor->first;
    constant %= factor->first;
  }
  return constant == 0 ? std::optional(digits) : std::nullopt;
}

void Part::Pack() {
  for (const Noted& noted : noted_)
    for (const auto& [factor, most] : noted.most) packed_[factor] = 0;
  // What each digit is at most.
  std::map<int64_t, int64_t> largest;
  for (const Noted& noted : noted_) {
    const auto digits = Digits(noted.constant);
    fits_ &= digits.has_value();
    if (!fits_) break;
    for (const auto& [factor, digit] : *digits) {
      const auto var = noted.most.find(factor);
      largest[factor] =
          std::max(largest[factor], digit + (var == noted.most.end() ? 0 : var->second));
    }
  }
  int64_t reach = 0, elements = 1;  // of the digits so far: as they lie, and one after the other
  for (const auto& [factor, most] : largest) {
    fits_ &= factor > reach;
    if (!fits_) break;
    reach += factor * most;
    packed_[factor] = elements;
    elements *= most + 1;
  }
  if (fits_) size_elems_ = elements;
}

loop::Affine Part::Packed(const loop::Affine& index) const {
  if (!fits_) return index;
  loop::Affine packed = index;
  for (loop::Affine::Term& term : packed.terms) term.coef = packed_.at(term.coef);
  packed.constant = 0;
  const auto digits = Digits(index.constant);
  VTA_CHECK(digits, index.constant);
  for (const auto& [factor, digit] : *digits) packed.constant += packed_.at(factor) * digit;
  return packed;
}

}  // namespace vta::compiler::opencl
