#include "compiler/targets/vta/tasks/tokens.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/targets/vta/tasks/hazards.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int kLoad = static_cast<int>(isa::Module::kLoad);
constexpr int kCompute = static_cast<int>(isa::Module::kCompute);
constexpr int kStore = static_cast<int>(isa::Module::kStore);

struct Edge {
  int64_t from, to;
};

/// The edges of each queue in order, and what is known complete when a task starts.
struct Reduction {
  std::array<std::vector<Edge>, isa::kQueues> queues;
  std::vector<Need> known;
};

std::vector<int> Modules(const TaskProgram& program) {
  std::vector<int> modules;
  for (const Task& task : program.tasks)
    modules.push_back(static_cast<int>(ModuleOf(program, task)));
  return modules;
}

int QueueBetween(int from, int to) {
  for (const isa::QueueSpec& row : isa::kQueueTable)
    if (static_cast<int>(row.from) == from && static_cast<int>(row.to) == to)
      return static_cast<int>(row.code);
  VTA_CHECK(false, "no queue between modules ", from, " and ", to);
}

/// Load and store share no queue: makes a wait between them two waits around a compute task in
/// between: one that is waited for anyway, or else the first, which leaves the most time. Returns
/// the task before which a nop is missing, or -1.
int64_t RouteThroughCompute(const std::vector<int>& modules, std::vector<Need>* needs) {
  std::vector<int64_t> next_compute(modules.size(), -1);  // behind each task
  for (int64_t task = std::ssize(modules) - 1, next = -1; task >= 0; --task) {
    next_compute[task] = next;
    if (modules[task] == kCompute) next = task;
  }
  Need seen = {-1, -1, -1};  // by tasks of a module: up to where they have waited
  for (size_t task = 0; task < modules.size(); ++task) {
    const int module = modules[task];
    if (module == kCompute) continue;
    const int other = module == kLoad ? kStore : kLoad;
    const int64_t wait = std::exchange((*needs)[task][other], -1);
    if (wait <= seen[module]) continue;
    int64_t& through = (*needs)[task][kCompute];
    if (through < wait) through = next_compute[wait];
    if (through < 0 || through > static_cast<int64_t>(task)) return static_cast<int64_t>(task);
    (*needs)[through][other] = std::max((*needs)[through][other], wait);
    seen[module] = wait;
  }
  return -1;
}

/// Before a task; those from it on are each the next one.
void InsertNop(int64_t task, TaskProgram* program, std::vector<int>* modules,
               std::vector<Need>* needs) {
  program->tasks.insert(program->tasks.begin() + task, Task{Nop{}, {}});
  modules->insert(modules->begin() + task, kCompute);
  needs->insert(needs->begin() + task, Need{-1, -1, -1});
  for (Need& need : *needs)
    for (int64_t& wait : need) wait += wait >= task;
}

void Merge(const Need& from, Need* into) {
  for (int m = 0; m < isa::kModules; ++m) (*into)[m] = std::max((*into)[m], from[m]);
}

Reduction Reduce(const std::vector<int>& modules, const std::vector<Need>& needs) {
  Reduction out;
  std::vector<Need> done;  // known complete when the task is complete
  Need previous = {-1, -1, -1};
  for (size_t task = 0; task < modules.size(); ++task) {
    const int module = modules[task];
    Need known = previous[module] < 0 ? Need{-1, -1, -1} : done[previous[module]];
    std::vector<int64_t> waits;
    for (int m = 0; m < isa::kModules; ++m)
      if (m != module && needs[task][m] > known[m]) waits.push_back(needs[task][m]);
    for (size_t i = 0; i < waits.size(); ++i) {
      bool implied = false;
      for (size_t j = 0; j < waits.size(); ++j)
        implied |= j != i && done[waits[j]][modules[waits[i]]] >= waits[i];
      if (implied) continue;
      out.queues[QueueBetween(modules[waits[i]], module)].push_back(
          {waits[i], static_cast<int64_t>(task)});
    }
    for (const int64_t wait : waits) Merge(done[wait], &known);
    out.known.push_back(known);
    known[module] = static_cast<int64_t>(task);
    done.push_back(known);
    previous[module] = static_cast<int64_t>(task);
  }
  return out;
}

/// The worst occupancy of a queue when a token is pushed is the pushes so far less the pops that
/// must have happened. Where it exceeds the capacity, makes the producer wait for an earlier
/// consumer, or lets an earlier consumer wait for this producer so that one token does for two.
/// Returns whether it had to.
bool Throttle(int64_t capacity, const std::vector<int>& modules, const Reduction& reduction,
              std::vector<Need>* needs, int64_t* most) {
  *most = 0;
  for (const std::vector<Edge>& edges : reduction.queues)
    for (size_t k = 0, popped = 0; k < edges.size(); ++k) {
      const int64_t complete = reduction.known[edges[k].from][modules[edges[k].to]];
      while (popped < k && edges[popped].to <= complete) ++popped;
      const int64_t tokens = static_cast<int64_t>(k + 1 - popped);
      *most = std::max(*most, tokens);
      if (tokens <= capacity) continue;
      const int64_t first = edges[k - capacity].to;
      if (first < edges[k].from)
        (*needs)[edges[k].from][modules[first]] = first;
      else
        (*needs)[edges[k - 1].to][modules[edges[k].from]] = edges[k].from;
      return true;
    }
  return false;
}

void SetBits(const std::vector<int>& modules, const Reduction& reduction, TaskProgram* program) {
  for (const std::vector<Edge>& edges : reduction.queues)
    for (const Edge& edge : edges) {
      Tokens& from = program->tasks[edge.from].tokens;
      Tokens& to = program->tasks[edge.to].tokens;
      const bool forward = modules[edge.to] > modules[edge.from];
      bool& push = forward ? from.push_next : from.push_prev;
      bool& pop = forward ? to.pop_prev : to.pop_next;
      VTA_CHECK(!push && !pop, "two tokens on one side of task ", edge.from, " or ", edge.to);
      push = pop = true;
    }
}

/// Where hardware ends at compute's FINISH: a nop before it, which waits for the other modules.
int64_t AddClosingNop(const isa::Config& config, TaskProgram* program) {
  if (config.version != isa::Version::k002 || program->tasks.empty() ||
      !std::holds_alternative<Finish>(program->tasks.back().op))
    return -1;
  program->tasks.insert(program->tasks.end() - 1, Task{Nop{}, {}});
  return static_cast<int64_t>(program->tasks.size()) - 2;
}

}  // namespace

TokenStats InsertTokens(const isa::Config& config, TaskProgram* program) {
  TokenStats stats;
  const int64_t closing = AddClosingNop(config, program);
  if (closing >= 0) ++stats.nops;
  std::vector<int> modules = Modules(*program);
  RowSets rows(config, *program);
  std::vector<Need> needs = FindHazards(config, *program, &rows);
  if (closing >= 0)
    for (size_t task = 0; task + 2 < modules.size(); ++task)
      if (modules[task] != kCompute) needs[closing][modules[task]] = static_cast<int64_t>(task);
  while (true) {
    std::vector<Need> routed = needs;
    const int64_t missing = RouteThroughCompute(modules, &routed);
    if (missing < 0) {
      needs = std::move(routed);
      break;
    }
    InsertNop(missing, program, &modules, &needs);
    ++stats.nops;
  }
  for (const Need& need : needs)
    for (const int64_t wait : need) stats.hazards += wait >= 0;
  Reduction reduction = Reduce(modules, needs);
  while (Throttle(config.arch.token_capacity, modules, reduction, &needs, &stats.most_tokens))
    reduction = Reduce(modules, needs);
  for (const auto& edges : reduction.queues) stats.edges += static_cast<int64_t>(edges.size());
  SetBits(modules, reduction, program);
  return stats;
}

}  // namespace vta::compiler::targets
