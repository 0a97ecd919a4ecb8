#include "isa/check/order.h"

#include <deque>
#include <numeric>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

using Counts = std::array<int64_t, kQueues>;

/// The first queue that the step pops in vain, or nothing.
std::optional<Queue> Missing(const Step& step, const Counts& tokens) {
  std::optional<Queue> missing;
  ForEachPop(step, [&](Queue queue) {
    if (!missing && tokens[static_cast<int>(queue)] == 0) missing = queue;
  });
  return missing;
}

void MoveTokens(const Step& step, Counts& tokens) {
  ForEachPop(step, [&](Queue queue) { --tokens[static_cast<int>(queue)]; });
  ForEachPush(step, [&](Queue queue) { ++tokens[static_cast<int>(queue)]; });
}

struct EarlyPop {
  int64_t index;
  Queue queue;
};

/// The first pop in program order that has no push before it.
std::optional<EarlyPop> FirstEarlyPop(std::span<const Step> steps) {
  Counts tokens = {};
  for (int64_t index = 0; index < std::ssize(steps); ++index) {
    if (const auto queue = Missing(steps[index], tokens)) return EarlyPop{index, *queue};
    MoveTokens(steps[index], tokens);
  }
  return std::nullopt;
}

/// Fetch fills a command queue a module; an instruction holds its place until it is done.
class AbstractRun {
 public:
  AbstractRun(std::span<const Step> steps, int64_t depth) : steps_(steps), depth_(depth) {}

  bool Run() {
    for (size_t before = 0;; before = order_.size()) {
      Fetch();
      for (std::deque<int64_t>& queue : queues_)
        while (!queue.empty() && CanRun(queue.front())) {
          MoveTokens(steps_[queue.front()], tokens_);
          order_.push_back(queue.front());
          queue.pop_front();
        }
      if (order_.size() == steps_.size()) return true;
      if (order_.size() == before) return false;
    }
  }

  void Explain(Collector& findings) const {
    for (int m = 0; m < kModules; ++m) {
      const std::string_view name = kModuleTable[m].name;
      Finding finding{.kind = FindingKind::kDeadlock, .module = static_cast<Module>(m)};
      if (!queues_[m].empty()) {
        finding.instruction = queues_[m].front();
        finding.queue = Missing(steps_[finding.instruction], tokens_);
        finding.message =
            finding.queue
                ? StrCat(name, " waits for ever for a token of ", Spec(*finding.queue).name)
                : StrCat(name, " waits for ever for the instructions before FINISH");
      } else if (const int64_t next = NextOf(m); next >= 0) {
        finding.instruction = next;
        finding.other = fetched_;
        finding.message =
            StrCat(name, " never gets its instruction: fetch is stuck at instruction ", fetched_,
                   ", whose command queue holds ", depth_);
      } else {
        continue;
      }
      findings.Add(std::move(finding));
    }
  }

  std::vector<int64_t> TakeOrder() && { return std::move(order_); }

 private:
  void Fetch() {
    for (; fetched_ < std::ssize(steps_); ++fetched_) {
      std::deque<int64_t>& queue = QueueOf(steps_[fetched_]);
      if (std::ssize(queue) == depth_) return;
      queue.push_back(fetched_);
    }
  }

  bool CanRun(int64_t index) const {
    if (steps_[index].finish && std::ssize(order_) != index) return false;
    return !Missing(steps_[index], tokens_);
  }

  /// The module's first instruction that was not fetched, or -1.
  int64_t NextOf(int module) const {
    for (int64_t i = fetched_; i < std::ssize(steps_); ++i)
      if (static_cast<int>(steps_[i].module) == module) return i;
    return -1;
  }

  std::deque<int64_t>& QueueOf(const Step& step) { return queues_[static_cast<int>(step.module)]; }

  std::span<const Step> steps_;
  int64_t depth_;
  int64_t fetched_ = 0;
  Counts tokens_ = {};
  std::array<std::deque<int64_t>, kModules> queues_;
  std::vector<int64_t> order_;
};

}  // namespace

std::optional<std::vector<int64_t>> FindOrder(const Config& config, const Launch& launch,
                                              std::span<const Step> steps, Collector& findings,
                                              Statistics& statistics) {
  const std::optional<EarlyPop> early = FirstEarlyPop(steps);
  statistics.serially_legal = !early;
  if (!early) {
    std::vector<int64_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  AbstractRun run(steps, config.uarch.command_queue_depth);
  if (!run.Run()) {
    run.Explain(findings);
    return std::nullopt;
  }
  if (launch.any_command_queues)
    findings.Add({.kind = FindingKind::kNotSeriallyLegal,
                  .instruction = early->index,
                  .module = steps[early->index].module,
                  .queue = early->queue,
                  .message = StrCat("pops a token of ", Spec(early->queue).name,
                                    " that only a later instruction pushes: it runs with command "
                                    "queues of ",
                                    config.uarch.command_queue_depth, ", not with any")});
  return std::move(run).TakeOrder();
}

}  // namespace vta::isa
