#include "tools/vta/explore/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "tools/explore/front.h"
#include "tools/vta/common/processes.h"

namespace vta::tools {
namespace {

/// One thing asked of points: why a point does not keep to it, or "".
struct Asked {
  std::string what;
  std::function<std::string(PointFacts&)> why_not;
};

std::string AtMost(const std::string& what, double share, double offers, const std::string& part) {
  return fmt::format("{} at most {:.0f} % of {}'s {:.0f}", what, 100 * share, part, offers);
}

Asked Resource(const std::string& what, double Resources::*member, double share, const Part& part) {
  const double most = share * part.offers.*member;
  return {AtMost(what, share, part.offers.*member, std::string(part.name)), [=](PointFacts& facts) {
            const double takes = facts.area->resources.*member;
            return takes <= most ? "" : fmt::format("takes {:.0f} of {:.0f}", takes, most);
          }};
}

std::vector<Asked> AskedOf(const Space& space) {
  const Constraints& limits = space.constraints();
  std::vector<Asked> asked;
  for (const Expression& one : limits.where)
    asked.push_back({one.text(), [&one](PointFacts& facts) {
                       const double value = one.Evaluate([&](const std::string& name) {
                         return ValueOf(facts.config, name).value();
                       });
                       return value != 0 ? "" : "is not so";
                     }});
  if (limits.scratchpad_bytes)
    asked.push_back({StrCat("scratchpads of ", *limits.scratchpad_bytes, " bytes at most"),
                     [most = *limits.scratchpad_bytes](PointFacts& facts) {
                       const int64_t bytes = ScratchpadBytes(facts.config);
                       return bytes <= most ? "" : StrCat("have ", bytes);
                     }});
  if (limits.part.empty()) return asked;
  const Part& part = FindPart(limits.part);
  asked.push_back(
      {StrCat("hardware that ", part.name, " is known for"), [&part](PointFacts& facts) {
         try {
           facts.area = PredictArea(facts.config, part);
         } catch (const Error& error) {
           return std::string(error.what());
         }
         return std::string();
       }});
  asked.push_back(Resource("LUT", &Resources::lut, limits.lut, part));
  asked.push_back(Resource("FF", &Resources::ff, limits.ff, part));
  asked.push_back(Resource("DSP", &Resources::dsp, limits.dsp, part));
  asked.push_back(Resource("BRAM", &Resources::bram, limits.bram, part));
  return asked;
}

/// All of them, or so many by the seed, in order.
std::vector<int64_t> Indices(const Space& space, int64_t most, uint64_t seed) {
  std::vector<int64_t> indices;
  if (space.size() <= most) {
    for (int64_t i = 0; i < space.size(); ++i) indices.push_back(i);
    return indices;
  }
  std::mt19937_64 random(seed);
  std::set<int64_t> chosen;
  while (std::ssize(chosen) < most)
    chosen.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(space.size())));
  return {chosen.begin(), chosen.end()};
}

}  // namespace

Candidates CandidatesOf(const Space& space, int64_t most, uint64_t seed) {
  Candidates out;
  const std::vector<int64_t> indices = Indices(space, most, seed);
  out.sampled = std::ssize(indices) < space.size();
  out.survivors.push_back({"points", std::ssize(indices), ""});
  Survivors legal{"parameters that go together", 0, ""};
  for (const int64_t index : indices) {
    try {
      PointFacts facts{index, space.ConfigOf(space.PointAt(index)), {}};
      isa::CheckHardware(facts.config, space.file());
      out.points.push_back(std::move(facts));
    } catch (const Error& error) {
      if (legal.why.empty()) legal.why = error.what();
    }
  }
  legal.left = std::ssize(out.points);
  out.survivors.push_back(std::move(legal));
  for (const Asked& one : AskedOf(space)) {
    Survivors& row = out.survivors.emplace_back(Survivors{one.what, 0, ""});
    std::erase_if(out.points, [&](PointFacts& facts) {
      const std::string why = one.why_not(facts);
      if (!why.empty() && row.why.empty())
        row.why = StrCat(space.Describe(space.PointAt(facts.point)), ": ", why);
      return !why.empty();
    });
    row.left = std::ssize(out.points);
  }
  for (const Survivors& row : out.survivors)
    if (row.left == 0)
      throw Error(space.file(), "constraints", row.what,
                  StrCat("leaves no point of the space: ", row.why));
  return out;
}

void Sweep(const Workload& workload, const std::vector<PointFacts>& points,
           const SweepOptions& options, const ObjectiveValues& values, ResultsWriter& writer,
           std::map<int64_t, PointResult>& known,
           const std::function<void(const PointFacts&, const PointResult&)>& done) {
  std::vector<const PointFacts*> left;
  for (const PointFacts& one : points)
    if (!known.contains(one.point)) left.push_back(&one);
  // Of what is costed so far, what nothing beats: a process sees it as it is when it begins.
  std::vector<std::vector<double>> front;
  const auto add = [&](const PointFacts& facts, const PointResult& result) {
    if (result.end != PointResult::End::kCosted) return;
    std::vector<double> row = values(facts, result);
    if (std::ranges::any_of(front, [&](const auto& other) { return IsAsGood(other, row); })) return;
    std::erase_if(front, [&](const auto& other) { return IsAsGood(row, other); });
    front.push_back(std::move(row));
  };
  for (const PointFacts& one : points)
    if (const auto found = known.find(one.point); found != known.end()) add(one, found->second);
  // The quickest first: they prune most.
  const auto best_of = [&](const PointFacts& facts) {
    PointResult best{facts.point};
    for (const WorkloadNetwork& network : workload.networks()) {
      const int64_t least = Workload::LeastCycles(network, facts.config);
      best.networks.push_back({.cycles = least, .ideal_cycles = least, .macs_share = 1});
    }
    return values(facts, best);
  };
  std::mt19937_64 random(options.seed);
  std::ranges::shuffle(left, random);  // a sweep that is cut short has seen all sorts
  if (options.prunes)
    std::ranges::stable_sort(
        left, [&](const PointFacts* a, const PointFacts* b) { return best_of(*a) < best_of(*b); });
  const auto work = [&](int64_t job) {
    const PointFacts& facts = *left[static_cast<size_t>(job)];
    if (options.prunes) {
      const std::vector<double> best = best_of(facts);
      if (std::ranges::any_of(front, [&](const auto& row) { return IsAsGood(row, best); }))
        return PointResult{
            facts.point, PointResult::End::kPruned, "its ideal is beaten by another point", {}};
    }
    return workload.CostOn(facts.point, facts.config, {});
  };
  RunPoints(std::ssize(left), {options.jobs, options.limit}, work,
            [&](int64_t job, PointResult result) {
              const PointFacts& facts = *left[static_cast<size_t>(job)];
              result.point = facts.point;
              writer.Append(result);
              add(facts, result);
              done(facts, known[facts.point] = std::move(result));
              return !options.end || std::chrono::steady_clock::now() < *options.end;
            });
}

}  // namespace vta::tools
