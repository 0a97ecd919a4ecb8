// One order in which the instructions can run, or the proof that they deadlock. Modules are
// sequential processes with blocking reads on queues of one producer and one consumer, so what one
// run completes, every run completes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/check/collector.h"
#include "isa/check/steps.h"

namespace vta::isa {

/// The program order where that is legal, otherwise the order of an abstract run with command
/// queues as deep as the config's, or a finding where the launch asks for any queues. Pushes do not
/// wait in it: the capacity check shows that none ever has to. Nothing, with a finding for each
/// blocked module, where the program deadlocks.
std::optional<std::vector<int64_t>> FindOrder(const Config& config, const Launch& launch,
                                              std::span<const Step> steps, Collector& findings,
                                              Statistics& statistics);

}  // namespace vta::isa
