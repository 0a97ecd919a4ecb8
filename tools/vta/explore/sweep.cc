#include "tools/vta/explore/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "tools/explore/front.h"
#include "tools/timing/predict_clock.h"
#include "tools/vta/common/farm/kinds.h"
#include "tools/vta/common/processes.h"

namespace vta::tools {
namespace {

std::string AtMost(const std::string& what, double share, double offers, const std::string& part) {
  return fmt::format("{} at most {:.0f} % of {}'s {:.0f}", what, 100 * share, part, offers);
}

Asked Resource(const ResourceKind& kind, double share, const Part& part) {
  const double offers = part.offers.*kind.of, most = share * offers;
  return {AtMost(std::string(kind.name), share, offers, std::string(part.name)),
          [=](PointFacts& facts) {
            const double takes = facts.area->resources.*kind.of;
            return takes <= most ? "" : fmt::format("takes {:.0f} of {:.0f}", takes, most);
          }};
}

std::vector<Asked> AskedOf(const Space& space) {
  const Constraints& limits = space.constraints();
  std::vector<Asked> asked;
  asked.push_back({"parameters that go together", [&space](PointFacts& facts) {
                     try {
                       facts.config = space.ConfigOf(space.PointAt(facts.point));
                       isa::CheckHardware(facts.config, space.file());
                     } catch (const Error& error) {
                       return std::string(error.what());
                     }
                     if (const std::string& part = space.constraints().part; !part.empty())
                       facts.area = PredictArea(facts.config, FindPart(part));
                     return std::string();
                   }});
  for (const Expression& one : limits.where)
    asked.push_back({one.text(), [&one](PointFacts& facts) -> std::string {
                       try {
                         const double value = one.Evaluate([&](const std::string& name) {
                           return ValueOf(facts.config, name).value();
                         });
                         return value != 0 ? "" : "is not so";
                       } catch (const Error& error) {
                         return error.what();
                       }
                     }});
  if (limits.scratchpad_bytes)
    asked.push_back({StrCat("scratchpads of ", *limits.scratchpad_bytes, " bytes at most"),
                     [most = *limits.scratchpad_bytes](PointFacts& facts) {
                       const int64_t bytes = ScratchpadBytes(facts.config);
                       return bytes <= most ? "" : StrCat("have ", bytes);
                     }});
  if (limits.part.empty()) return asked;
  const Part& part = FindPart(limits.part);
  for (const ResourceKind& kind : kResourceKinds)
    asked.push_back(Resource(kind, limits.shares.*kind.of, part));
  asked.push_back({fmt::format("clock at most {:.0f} % of the prediction for {}",
                               100 * limits.clock, part.name),
                   [&limits, &part](PointFacts& facts) -> std::string {
                     const double most =
                         limits.clock * PredictClock(facts.config, part).with_error_mhz;
                     const auto clock = static_cast<double>(facts.config.uarch.clock_mhz);
                     return clock <= most ? "" : fmt::format("{} MHz of {:.0f}", clock, most);
                   }});
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

Gate::Gate(const Space& space) : space_(&space), asked_(AskedOf(space)) {}

Gate::Look Gate::At(int64_t point) const {
  Look look;
  PointFacts facts{point, {}, {}};
  for (; look.kept < asked_.size(); ++look.kept)
    if (look.why_not = asked_[look.kept].why_not(facts); !look.why_not.empty()) return look;
  look.facts = std::move(facts);
  return look;
}

Candidates CandidatesOf(const Gate& gate, int64_t most, uint64_t seed) {
  const Space& space = gate.space();
  Candidates out;
  const std::vector<int64_t> indices = Indices(space, most, seed);
  out.sampled = std::ssize(indices) < space.size();
  out.survivors.push_back({"points", std::ssize(indices), ""});
  for (const Asked& one : gate.asked()) out.survivors.push_back({one.what, 0, ""});
  for (const int64_t index : indices) {
    Gate::Look look = gate.At(index);
    for (size_t i = 0; i < look.kept; ++i) ++out.survivors[1 + i].left;
    if (look.facts) {
      out.points.push_back(*std::move(look.facts));
    } else if (std::string& why = out.survivors[1 + look.kept].why; why.empty()) {
      why = look.kept == 0 ? look.why_not
                           : StrCat(space.Describe(space.PointAt(index)), ": ", look.why_not);
    }
  }
  for (const Survivors& row : out.survivors)
    if (row.left == 0)
      throw Error(
          space.file(), "constraints", row.what,
          StrCat("leaves no point of ",
                 out.sampled ? StrCat(indices.size(), " at random") : "the space", ": ", row.why));
  return out;
}

void Sweep(const Workload& workload, const std::vector<PointFacts>& points,
           const SweepOptions& options, const ObjectiveValues& values, ResultsWriter& writer,
           std::map<int64_t, PointResult>& known,
           const std::function<void(const PointFacts&, const PointResult&)>& done) {
  std::vector<const PointFacts*> left;
  for (const PointFacts& one : points)
    if (!known.contains(one.point)) left.push_back(&one);
  std::vector<std::vector<double>> front;  // of what is costed so far
  const auto add = [&](const PointFacts& facts, const PointResult& result) {
    if (result.end != PointResult::End::kCosted) return;
    std::vector<double> row = values(facts, result);
    if (row.empty()) return;
    if (std::ranges::any_of(front, [&](const auto& other) { return IsAsGood(other, row); })) return;
    std::erase_if(front, [&](const auto& other) { return IsAsGood(row, other); });
    front.push_back(std::move(row));
  };
  for (const PointFacts& one : points)
    if (const auto found = known.find(one.point); found != known.end()) add(one, found->second);
  std::mt19937_64 random(options.seed);
  std::ranges::shuffle(left, random);  // a sweep that is cut short has seen all sorts
  // What each costs at least. The quickest first: they prune most.
  std::map<int64_t, std::vector<double>> least;
  if (options.prunes) {
    for (const PointFacts* one : left)
      least[one->point] = values(*one, workload.LeastOn(one->point, one->config));
    std::ranges::stable_sort(
        left, {}, [&](const PointFacts* one) -> auto& { return least.at(one->point); });
  }
  const auto why_pruned = [&](const PointFacts& facts) -> std::string {
    if (!options.prunes) return "";
    const std::vector<double>& best = least.at(facts.point);
    if (best.empty()) return "its ideal misses a constraint";
    // Of equal points the first is on the front, which may be this one.
    const bool is_beaten = std::ranges::any_of(
        front, [&](const auto& row) { return row != best && IsAsGood(row, best); });
    return is_beaten ? "its ideal is beaten by another point" : "";
  };
  const auto is_over = [&] {
    return options.end && std::chrono::steady_clock::now() >= *options.end;
  };
  const auto keep = [&](const PointFacts& facts, PointResult result) {
    const PointResult& kept = known[facts.point] = std::move(result);
    done(facts, kept);
    add(facts, kept);
  };
  const auto facts_of = [&](int64_t job) -> const PointFacts& {
    return *left[static_cast<size_t>(job)];
  };
  const NextJob next = [&, each = EachOf(std::ssize(left))]() mutable -> std::optional<int64_t> {
    while (!is_over()) {
      const std::optional<int64_t> job = each();
      if (!job) return job;
      const PointFacts& facts = facts_of(*job);
      const std::string why = why_pruned(facts);
      if (why.empty()) return job;
      keep(facts, {facts.point, PointResult::End::kPruned, why, {}});
    }
    return std::nullopt;
  };
  CostPoints(next, {options.jobs, options.limit, options.on_wait}, options.farm, workload, {},
             facts_of, [&](const PointFacts& facts, PointResult result) {
               writer.Append(result);
               keep(facts, std::move(result));
               return !is_over();
             });
}

void CostPoints(const NextJob& next, const ProcessLimits& limits, FarmSearch* farm,
                const Workload& workload, const Workload::Costing& costing,
                const std::function<const PointFacts&(int64_t job)>& facts_of,
                const std::function<bool(const PointFacts&, PointResult)>& done) {
  const auto end = [&](int64_t job, PointResult result) {
    result.point = facts_of(job).point;
    return done(facts_of(job), std::move(result));
  };
  if (farm && !costing.on_rtl)
    return farm->Run(
        {.next = next,
         .text = [&](int64_t job) { return PointText(facts_of(job).config, costing.effort); },
         .done = [&](int64_t job, const JobEnd& said) { return end(job, PointEndOf(job, said)); },
         .on_wait = limits.on_wait});
  RunPoints(
      next, limits,
      [&](int64_t job) {
        return workload.CostOn(facts_of(job).point, facts_of(job).config, costing);
      },
      end);
}

}  // namespace vta::tools
