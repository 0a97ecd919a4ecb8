#include "sim/trace/timeline.h"

namespace vta::sim {

void Append(Timeline& all, const Timeline& launches) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(all.launches, launches.launches);
  append(all.instructions, launches.instructions);
  append(all.stalls, launches.stalls);
  append(all.causes, launches.causes);
  append(all.bus, launches.bus);
}

}  // namespace vta::sim
