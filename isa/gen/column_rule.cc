#include "isa/gen/column_rule.h"

#include <algorithm>
#include <cstdlib>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

constexpr int LogDepths::*kColumns[] = {&LogDepths::uop, &LogDepths::inp, &LogDepths::wgt,
                                        &LogDepths::acc};
constexpr std::string_view kNames[] = {"U", "I", "W", "A"};

}  // namespace

ColumnRule ColumnRule::Of(int (*width)(const LogDepths&)) {
  const LogDepths zero{};
  ColumnRule rule(width(zero));
  for (size_t i = 0; i < 4; ++i) {
    LogDepths one = zero;
    one.*kColumns[i] = 1;
    rule.times_[i] = width(one) - rule.constant_;
  }
  const LogDepths both{.uop = 0, .inp = 1, .wgt = 0, .acc = 1};
  if (width(both) != rule.Value(both)) {
    rule.times_[1] = rule.times_[3] = 0;
    rule.times_max_ = width(both) - rule.constant_;
  }
  for (const LogDepths& depths : {LogDepths{3, 7, 5, 11}, LogDepths{13, 11, 7, 2}})
    VTA_CHECK(rule.Value(depths) == width(depths),
              "a field width that is not linear: ", rule.Text());
  return rule;
}

ColumnRule& ColumnRule::operator+=(const ColumnRule& other) {
  constant_ += other.constant_;
  for (size_t i = 0; i < 4; ++i) times_[i] += other.times_[i];
  times_max_ += other.times_max_;
  return *this;
}

int ColumnRule::Value(const LogDepths& depths) const {
  int value = constant_ + times_max_ * std::max(depths.acc, depths.inp);
  for (size_t i = 0; i < 4; ++i) value += times_[i] * depths.*kColumns[i];
  return value;
}

std::string ColumnRule::Text() const {
  std::string text;
  const auto add = [&](int times, std::string_view name) {
    if (!times) return;
    text += StrCat(times < 0      ? "-"
                   : text.empty() ? ""
                                  : "+",
                   std::abs(times) == 1 ? "" : StrCat(std::abs(times)), name);
  };
  if (constant_) text = StrCat(constant_);
  for (size_t i = 0; i < 4; ++i) add(times_[i], kNames[i]);
  add(times_max_, "max(A,I)");
  return text.empty() ? "0" : text;
}

}  // namespace vta::isa
