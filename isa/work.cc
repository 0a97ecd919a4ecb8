#include "isa/work.h"

#include <limits>

namespace vta::isa {

Json ToJson(const WorkCounts& work) {
  Json json{Json::Object()};
  for (const WorkSpec& kind : kWorkTable)
    if (const int64_t count = work[static_cast<size_t>(kind.code)]; count > 0)
      json.Set(std::string(kind.name), count);
  return json;
}

WorkCounts ReadWork(JsonReader json) {
  WorkCounts work = {};
  for (const WorkSpec& kind : kWorkTable)
    if (json.Has(kind.name))
      work[static_cast<size_t>(kind.code)] =
          json.Int(kind.name, 0, std::numeric_limits<int64_t>::max());
  json.Finish();
  return work;
}

}  // namespace vta::isa
