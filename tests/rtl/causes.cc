#include "tests/rtl/causes.h"

#include "isa/support/error.h"

namespace vta::test {

using isa::Cause;

int64_t Sum(const isa::CauseCycles& cycles, std::initializer_list<Cause> causes) {
  int64_t sum = 0;
  for (const Cause cause : causes) sum += cycles[static_cast<size_t>(cause)];
  return sum;
}
namespace {
int64_t All(const isa::CauseCycles& cycles) {
  int64_t sum = 0;
  for (const int64_t count : cycles) sum += count;
  return sum;
}
}  // namespace

std::string BrokenCauses(const isa::Counters& counters, const sim::Timeline& timeline,
                         int64_t origin) {
  const isa::Time& time = *counters.time;
  const isa::Causes& causes = *counters.causes;
  std::string text;
  const auto equal = [&](std::string_view what, int64_t have, int64_t want) {
    if (have != want) text += StrCat(what, ": ", have, " for ", want, "\n");
  };
  int64_t path = 0;
  for (int u = 0; u < isa::kUnits; ++u) {
    equal(StrCat(isa::UnitName(u), " in all"), All(causes.spent[u]), time.cycles);
    path += All(causes.path[u]);
  }
  equal("path", path, time.cycles);
  for (const isa::ModuleSpec& row : isa::kModuleTable) {
    const isa::CauseCycles& spent = causes.spent[isa::UnitOf(row.code)];
    const isa::ModuleCycles& counted = time.modules[static_cast<size_t>(row.code)];
    equal(StrCat(row.name, " for tokens"),
          Sum(spent, {Cause::kToken, Cause::kSpace, Cause::kBarrier}), counted.wait_token);
  }
  const auto memory = {Cause::kLatency, Cause::kRowMiss, Cause::kContention, Cause::kBandwidth};
  const isa::CauseCycles& fetch = causes.spent[isa::kFetchUnit];
  equal("fetch for space", Sum(fetch, {Cause::kSpace}), time.fetch.wait_token);
  equal("fetch busy", Sum(fetch, {Cause::kBusy}), time.fetch.busy);
  // Of its waits some are for the pipeline: bursts that were not asked for yet, and buffers.
  const isa::CauseCycles& load = causes.spent[isa::UnitOf(isa::Module::kLoad)];
  const int64_t waited = Sum(load, memory), counted = time.modules[0].wait_memory;
  if (waited > counted || waited + Sum(load, {Cause::kPipeline}) < counted)
    text += StrCat("load for memory: ", waited, " for ", counted, "\n");
  const isa::CauseCycles& store = causes.spent[isa::UnitOf(isa::Module::kStore)];
  if (Sum(store, memory) > time.modules[2].wait_memory) text += "store waits for memory too long\n";
  // And the timeline says the same.
  std::array<isa::CauseCycles, isa::kUnits> shown = {};
  std::array<int64_t, isa::kUnits> at;
  at.fill(1);
  for (const sim::CauseSlice& slice : timeline.causes) {
    equal(StrCat("gap of ", isa::UnitName(slice.unit)), slice.begin - origin, at[slice.unit]);
    at[slice.unit] = slice.end - origin;
    shown[slice.unit][static_cast<int>(slice.cause)] += slice.cycles();
  }
  if (shown != causes.spent) text += "the timeline differs\n";
  return text;
}

}  // namespace vta::test
