// Concatenations, slices and reshapes of which nothing is copied: the parts are made where they lie
// in the whole, and what a slice takes is read where it lies. A reshape is a whole of one part, or,
// of an input or what lies in another whole, a view of all of it.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

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
  std::set<ValueId> views;           // parts that slices, reshapes take of what was there before

  /// Where the value lies in what is no part: at byte 0 of itself where it is none.
  PlaceIn Outermost(ValueId value) const;
  /// Whether the step has nothing to do.
  bool Covers(const Graph& graph, const Step& step) const;
};

/// Values that may lie at any multiple of a few bytes, since all that makes and reads them, but for
/// one concatenation, does not care; whether each of the graph's is one.
struct LooseValues {
  std::vector<bool> are;
  int64_t alignment_bytes = 1;
};

/// The slices and reshapes that are a step of their own and take a row of bytes, at a multiple of
/// `alignment_bytes`, of what a step made or, where that is no output, of an input; and the
/// concatenations that are a step of their own, whose parts lie one behind the other as a whole,
/// each at a multiple of `alignment_bytes`, or of less where it and all that lies in it is loose,
/// each in no other one, and each made by a step.
InPlace FindInPlace(const Graph& graph, std::span<const Step> steps, int64_t alignment_bytes,
                    const LooseValues& loose = {});

}  // namespace vta::compiler
