#include "tools/timing/paths.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace vta::tools {
namespace {

constexpr float kUnreached = -1;

/// Arrival times of what leaves one register.
class Sweep {
 public:
  explicit Sweep(const TimingGraph& graph)
      : graph_(graph),
        arrival_(graph.edges.size()),
        from_(graph.edges.size()),
        reached_(graph.registers.size()),
        last_(graph.registers.size()) {}

  /// `first` to `end`: the starts of that register.
  void Run(size_t first, size_t end) {
    std::ranges::fill(arrival_, kUnreached);
    std::ranges::fill(reached_, kUnreached);
    int lowest = std::numeric_limits<int>::max();
    for (size_t i = first; i < end; ++i) {
      const TimingStart& start = graph_.starts[i];
      arrival_[start.node] = std::max(arrival_[start.node], start.ns);
      from_[start.node] = {-1, nullptr};
      lowest = std::min(lowest, start.node);
    }
    for (int node = lowest; node < static_cast<int>(arrival_.size()); ++node) {
      if (arrival_[node] == kUnreached) continue;
      for (const TimingEdge& edge : graph_.edges[node])
        Reach(arrival_[edge.to], from_[edge.to], node, edge);
      for (const TimingEdge& edge : graph_.last_edges[node])
        Reach(reached_[edge.to], last_[edge.to], node, edge);
    }
  }

  /// When the register is reached, or kUnreached.
  float At(int reg) const { return reached_[reg]; }

  void Describe(TimingPath& path) const {
    for (Step step = last_[path.end]; step.edge; step = from_[step.node]) {
      path.routing_ns += step.edge->routing_ns;
      path.levels += step.edge->level;
      if (graph_.nets[step.node] != kConstant) path.nets.push_back(graph_.nets[step.node]);
    }
    path.logic_ns = path.ns - path.routing_ns;
    std::ranges::reverse(path.nets);
  }

 private:
  struct Step {
    int node;
    const TimingEdge* edge;
  };

  void Reach(float& arrival, Step& step, int node, const TimingEdge& edge) const {
    const float at = arrival_[node] + edge.routing_ns + edge.logic_ns;
    if (at <= arrival) return;
    arrival = at;
    step = {node, &edge};
  }

  const TimingGraph& graph_;
  std::vector<float> arrival_;
  std::vector<Step> from_;
  std::vector<float> reached_;
  std::vector<Step> last_;
};

}  // namespace

std::vector<TimingPath> LongestPaths(const TimingGraph& graph, size_t detailed) {
  Sweep sweep(graph);
  std::vector<TimingPath> paths;
  std::vector<size_t> begins{0};  // of each register's starts
  for (size_t i = 1; i <= graph.starts.size(); ++i)
    if (i == graph.starts.size() || graph.starts[i].reg != graph.starts[i - 1].reg)
      begins.push_back(i);
  if (graph.starts.empty()) return paths;
  const auto run = [&](size_t i) { sweep.Run(begins[i], begins[i + 1]); };
  std::vector<size_t> run_of(graph.registers.size());
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const int start = graph.starts[begins[i]].reg;
    run_of[start] = i;
    run(i);
    for (int end = 0; end < static_cast<int>(graph.registers.size()); ++end)
      if (sweep.At(end) != kUnreached)
        paths.push_back({.start = start, .end = end, .ns = sweep.At(end), .nets = {}});
  }
  std::ranges::sort(paths, [](const TimingPath& a, const TimingPath& b) {
    return std::tuple(-a.ns, a.start, a.end) < std::tuple(-b.ns, b.start, b.end);
  });
  int swept = -1;
  std::vector<TimingPath*> some;
  for (size_t i = 0; i < std::min(detailed, paths.size()); ++i) some.push_back(&paths[i]);
  std::ranges::stable_sort(some, {}, &TimingPath::start);
  for (TimingPath* path : some) {
    if (path->start != swept) run(run_of[swept = path->start]);
    sweep.Describe(*path);
  }
  return paths;
}

}  // namespace vta::tools
