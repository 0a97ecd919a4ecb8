#include "compiler/opencl/part.h"

#include <algorithm>

namespace vta::compiler::opencl {

void Part::Note(const loop::Affine& index, const loop::Facts& facts) {
  fits_ &= index.constant == 0;
  for (const loop::Affine::Term& term : index.terms) {
    const loop::Interval range = facts.Bounds(term.atom);
    fits_ &= term.coef > 0 && range.Known() && range.low == 0;
    int64_t& most = digits_[term.coef].most;
    most = std::max(most, range.high);
  }
}

void Part::Pack() {
  int64_t reach = 0, elements = 1;  // of the digits so far: as they lie, and one after the other
  for (auto& [factor, digit] : digits_) {
    fits_ &= factor > reach;
    if (!fits_) return;
    reach += factor * digit.most;
    digit.packed = elements;
    elements *= digit.most + 1;
  }
  if (fits_) size_elems_ = elements;
}

loop::Affine Part::Packed(const loop::Affine& index) const {
  if (!fits_) return index;
  loop::Affine packed = index;
  for (loop::Affine::Term& term : packed.terms) term.coef = digits_.at(term.coef).packed;
  return packed;
}

}  // namespace vta::compiler::opencl
