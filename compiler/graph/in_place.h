// Concatenations of which nothing is copied: the parts are made where they lie in the whole.
#pragma once

#include <map>
#include <set>
#include <span>

#include "compiler/graph/schedule.h"

namespace vta::compiler {

/// Where a value lies: so many bytes behind the first of another one.
struct PlaceIn {
  ValueId whole = kNone;
  int64_t offset_bytes = 0;
};

struct InPlace {
  std::map<ValueId, PlaceIn> parts;  // what each lies in; that may be a part itself
  std::set<ValueId> wholes;          // made of nothing but such parts

  /// Where the value lies in what is no part: at byte 0 of itself where it is none.
  PlaceIn Outermost(ValueId value) const;
  /// Whether the step has nothing to do.
  bool Covers(const Graph& graph, const Step& step) const;
};

/// The concatenations that are a step of their own, whose parts lie one behind the other as a
/// whole, each at a multiple of `alignment_bytes`, each in no other one, and each made by a step.
InPlace FindInPlace(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes);

}  // namespace vta::compiler
