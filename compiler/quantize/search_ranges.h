// Ranges of codes by what they do to the layers behind them: of each tensor that costs the network
// anything, the ends move inwards as long as what is judged has less noise.
#pragma once

#include <vector>

#include "compiler/quantize/range.h"
#include "compiler/quantize/trial.h"

namespace vta::compiler::quantize {

/// What a run of a trial takes: multiply-accumulates of the layers, and so many for each value that
/// is rounded.
int64_t WorkOf(const Graph& graph, const Plan& plan);

/// How often networks of this much work are tried: so often that it takes seconds, of large ones
/// tens of them. Units: runs of a sample.
int64_t RunsFor(int64_t work);

struct Runs {
  int64_t most;     // of a sample
  OnSample on_run;  // is told of each; may be empty
};

/// The trial judges the large ones and then the heads. Each tensor is judged alone, the others as
/// they are without codes, so that the noise of one does not hide what another gains; of ranges
/// that are about as good the widest one is taken. `ranges`: by point, those of a group alike, as
/// wide as they may be; `otherwise`: what a group begins with where that is much better, and what
/// it has where there were no runs left.
void SearchRanges(const Trial& trial, const Plan& plan, const Judges& judges, const Runs& runs,
                  const std::vector<Range>& otherwise, std::vector<Range>* ranges);

}  // namespace vta::compiler::quantize
