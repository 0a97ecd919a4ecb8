// Widths and positions of fields as formulas of the config's columns, for the manual: U, I, W, A
// are the base-2 logarithms of the depths of the micro-op, input, weight and accumulator buffers.
#pragma once

#include <array>
#include <string>

#include "isa/layout.h"

namespace vta::isa {

/// constant + U, I, W, A, each so many times + max(A, I) so many times.
class ColumnRule {
 public:
  ColumnRule() = default;
  explicit ColumnRule(int constant) : constant_(constant) {}

  /// The formula that `width` computes, found by trying values.
  static ColumnRule Of(int (*width)(const LogDepths&));

  ColumnRule& operator+=(const ColumnRule& other);
  int Value(const LogDepths& depths) const;
  /// "9+2U"; "0" where it is nothing.
  std::string Text() const;

 private:
  int constant_ = 0;
  std::array<int, 4> times_ = {};  // of U, I, W, A
  int times_max_ = 0;
};

}  // namespace vta::isa
