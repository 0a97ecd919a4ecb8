#include "tools/timing/graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr std::string_view kInput = "$input", kOutput = "$output";

/// Whether "MREG=0 PREG=1" holds. Yosys writes numbers in binary.
bool Holds(std::string_view when, const NetlistCell& cell) {
  while (!when.empty()) {
    const std::string_view term = when.substr(0, when.find(' '));
    when.remove_prefix(std::min(when.size(), term.size() + 1));
    const size_t equal = term.find('=');
    const auto at = cell.parameters.find(term.substr(0, equal));
    if (at == cell.parameters.end()) return false;
    std::string value = at->second;
    if (!value.empty() && value.find_first_not_of("01") == std::string::npos && value.size() > 1)
      value = std::to_string(
          std::stoull(value.substr(value.size() > 63 ? value.size() - 63 : 0), nullptr, 2));
    if (value != term.substr(equal + 1)) return false;
  }
  return true;
}

struct Pin {
  const NetlistCell* cell = nullptr;
  const NetlistPort* port = nullptr;
  size_t bit = 0;
};

class Builder {
 public:
  Builder(const Netlist& netlist, const DelayTable& delays)
      : netlist_(netlist),
        delays_(delays),
        drivers_(netlist.names.size()),
        sinks_(netlist.names.size()) {
    // The design's ports are cells of their own, so that they have figures like any other.
    for (const NetlistPort& port : netlist.ports) {
      NetlistCell cell{.name = port.name,
                       .type = std::string(port.output ? kOutput : kInput),
                       .parameters = {},
                       .ports = {{port.output ? "I" : "O", !port.output, port.nets}}};
      ports_.push_back(std::move(cell));
    }
    graph_.edges.resize(netlist.names.size());
    graph_.last_edges.resize(netlist.names.size());
    for (size_t net = 0; net < netlist.names.size(); ++net)
      graph_.nets.push_back(static_cast<Net>(net));
  }

  TimingGraph Build() {
    ForEachCell([&](const NetlistCell& cell) { Connect(cell); });
    ForEachCell([&](const NetlistCell& cell) { AddCell(cell); });
    if (clocks_.size() > 1)
      throw Error("netlist", "clocks",
                  StrCat(netlist_.names[*clocks_.begin()], " and ",
                         netlist_.names[*std::next(clocks_.begin())]),
                  "only designs of one clock are analysed");
    Sort();
    return std::move(graph_);
  }

 private:
  template <typename F>
  void ForEachCell(F&& f) {
    for (const NetlistCell& cell : ports_) f(cell);
    for (const NetlistCell& cell : netlist_.cells) f(cell);
  }

  void Connect(const NetlistCell& cell) {
    for (const NetlistPort& port : cell.ports)
      for (size_t bit = 0; bit < port.nets.size(); ++bit) {
        const Net net = port.nets[bit];
        if (net == kConstant) continue;
        if (!port.output) {
          ++sinks_[net];
          continue;
        }
        if (drivers_[net].cell)
          throw Error("netlist", StrCat("net ", netlist_.names[net]), "",
                      StrCat("is driven by ", drivers_[net].cell->name, " and ", cell.name));
        drivers_[net] = {&cell, &port, bit};
      }
  }

  std::vector<const CellDelay*> RowsOf(const NetlistCell& cell) {
    auto [at, is_new] = rows_.try_emplace(cell.type);
    if (is_new) {
      for (const CellDelay& row : delays_.cells)
        if (HasWord(row.cells, cell.type)) at->second.push_back(&row);
      if (at->second.empty())
        throw Error("netlist", StrCat("cell ", cell.name), cell.type,
                    "the delay table does not know this cell");
    }
    std::vector<const CellDelay*> rows;
    for (const CellDelay* row : at->second)
      if (Holds(row->when, cell)) rows.push_back(row);
    return rows;
  }

  // The pins of a cell that are connected and that a list names.
  static std::vector<Pin> PinsOf(const NetlistCell& cell, bool output, std::string_view list) {
    std::vector<Pin> pins;
    for (const NetlistPort& port : cell.ports)
      if (port.output == output)
        for (size_t bit = 0; bit < port.nets.size(); ++bit)
          if (port.nets[bit] != kConstant && HasPin(list, port.name, bit))
            pins.push_back({&cell, &port, bit});
    return pins;
  }

  float Routing(const Pin& sink) const {
    const Net net = sink.port->nets[sink.bit];
    const Pin& from = drivers_[net];
    for (const DirectNet& direct : delays_.direct)
      if ((!direct.alone || sinks_[net] == 1) &&
          (direct.from_cells.empty() || (HasWord(direct.from_cells, from.cell->type) &&
                                         HasPin(direct.from, from.port->name, from.bit))) &&
          HasWord(direct.to_cells, sink.cell->type) && HasPin(direct.to, sink.port->name, sink.bit))
        return static_cast<float>(direct.ns);
    const NetDelay& model = delays_.net;
    double ns = model.first_ns;
    for (int more = sinks_[net]; more > 1; more = (more + 1) / 2) ns += model.doubling_ns;
    if (HasWord(model.into_cells, sink.cell->type)) ns += model.into_ns;
    if (HasWord(model.from_cells, from.cell->type)) ns += model.from_ns;
    return static_cast<float>(ns);
  }

  int NewNode() {
    graph_.edges.emplace_back();
    graph_.last_edges.emplace_back();
    graph_.nets.push_back(kConstant);
    return static_cast<int>(graph_.edges.size()) - 1;
  }

  void AddArc(const NetlistCell& cell, const CellDelay& row) {
    const std::vector<Pin> from = PinsOf(cell, false, row.from), to = PinsOf(cell, true, row.to);
    const auto ns = static_cast<float>(row.ns);
    const auto add = [&](const Pin& pin, int node) {
      const Net net = pin.port->nets[pin.bit];
      if (drivers_[net].cell) graph_.edges[net].push_back({node, Routing(pin), ns, ns > 0});
    };
    if (from.empty() || to.empty()) return;
    if (to.size() == 1 || from.size() == 1) {
      for (const Pin& in : from)
        for (const Pin& out : to) add(in, out.port->nets[out.bit]);
      return;
    }
    const int middle = NewNode();
    for (const Pin& in : from) add(in, middle);
    for (const Pin& out : to)
      graph_.edges[middle].push_back({out.port->nets[out.bit], 0, 0, false});
  }

  int RegisterOf(const NetlistCell& cell) {
    Register reg;
    const NetlistPort* only = nullptr;
    size_t outputs = 0;
    for (const NetlistPort& port : cell.ports)
      if (port.output) {
        outputs += port.nets.size();
        only = &port;
      }
    std::string name;
    if (cell.type == kInput || cell.type == kOutput) {
      reg = {"", "port " + cell.name};
    } else {
      // A flip-flop is called as what it drives.
      if (outputs == 1 && only->nets[0] != kConstant) name = netlist_.names[only->nets[0]];
      const bool own = name.empty() || name.find('$') != std::string::npos;
      if (own) name = cell.name;
      const bool made = name.find('$') != std::string::npos;
      name = RtlName(name);
      const size_t dot = name.rfind('.');
      if (made)
        reg = {name, cell.type};
      else if (dot == std::string::npos)
        reg = {"", name};
      else
        reg = {name.substr(0, dot), name.substr(dot + 1)};
    }
    const auto [at, is_new] =
        registers_.try_emplace({reg.instance, reg.name}, graph_.registers.size());
    if (is_new) graph_.registers.push_back(reg);
    return static_cast<int>(at->second);
  }

  void AddCell(const NetlistCell& cell) {
    const std::vector<const CellDelay*> rows = RowsOf(cell);
    std::optional<int> reg;
    const auto the_register = [&] {
      if (!reg) reg = RegisterOf(cell);
      return *reg;
    };
    std::string inputs, outputs;  // that have figures
    for (const CellDelay* row : rows) {
      const auto ns = static_cast<float>(row->ns);
      inputs += StrCat(row->from, " ");
      (row->kind == DelayKind::kSetup ? inputs : outputs) += StrCat(row->to, " ");
      switch (row->kind) {
        case DelayKind::kArc:
          AddArc(cell, *row);
          break;
        case DelayKind::kClockToOut:
          for (const Pin& out : PinsOf(cell, true, row->to))
            graph_.starts.push_back({the_register(), out.port->nets[out.bit], ns});
          AddClock(cell, row->from);
          break;
        case DelayKind::kSetup:
          for (const Pin& in : PinsOf(cell, false, row->from)) {
            const Net net = in.port->nets[in.bit];
            if (drivers_[net].cell)
              graph_.last_edges[net].push_back({the_register(), Routing(in), ns, false});
          }
          AddClock(cell, row->to);
          break;
        case DelayKind::kUntimed:
          break;
      }
    }
    for (const NetlistPort& port : cell.ports)
      for (size_t bit = 0; bit < port.nets.size(); ++bit) {
        const Net net = port.nets[bit];
        if (net == kConstant || HasPin(port.output ? outputs : inputs, port.name, bit)) continue;
        if (port.output ? sinks_[net] == 0 : !drivers_[net].cell) continue;
        throw Error("netlist", StrCat("cell ", cell.name), StrCat(cell.type, ".", port.name),
                    "the delay table has no figure for this pin");
      }
  }

  void AddClock(const NetlistCell& cell, std::string_view port) {
    for (const Pin& pin : PinsOf(cell, false, port)) clocks_.insert(pin.port->nets[pin.bit]);
  }

  // Kahn's order; what it leaves over lies on or behind a loop.
  void Sort() {
    const int nodes = static_cast<int>(graph_.edges.size());
    std::vector<int> inputs(nodes), order;
    for (const auto& edges : graph_.edges)
      for (const TimingEdge& edge : edges) ++inputs[edge.to];
    for (int node = 0; node < nodes; ++node)
      if (inputs[node] == 0) order.push_back(node);
    for (size_t i = 0; i < order.size(); ++i)
      for (const TimingEdge& edge : graph_.edges[order[i]])
        if (--inputs[edge.to] == 0) order.push_back(edge.to);
    if (static_cast<int>(order.size()) < nodes) FailOnLoop(inputs);
    std::vector<int> place(nodes);
    for (int i = 0; i < nodes; ++i) place[order[i]] = i;
    TimingGraph sorted{.registers = std::move(graph_.registers), .starts = graph_.starts};
    for (const int node : order) {
      sorted.edges.push_back(std::move(graph_.edges[node]));
      for (TimingEdge& edge : sorted.edges.back()) edge.to = place[edge.to];
      sorted.last_edges.push_back(std::move(graph_.last_edges[node]));
      sorted.nets.push_back(graph_.nets[node]);
    }
    for (TimingStart& start : sorted.starts) start.node = place[start.node];
    std::ranges::stable_sort(sorted.starts, {}, &TimingStart::reg);
    graph_ = std::move(sorted);
  }

  [[noreturn]] void FailOnLoop(const std::vector<int>& inputs) const {
    // Backwards from any node that is left over, until one comes again.
    std::map<int, int> before;
    int node = 0;
    for (int from = 0; from < static_cast<int>(inputs.size()); ++from)
      for (const TimingEdge& edge : graph_.edges[from])
        if (inputs[from] && inputs[edge.to]) before[node = edge.to] = from;
    for (size_t i = 0; i < before.size(); ++i) node = before[node];
    std::string names;
    int at = node;
    do {
      if (graph_.nets[at] != kConstant)
        names += StrCat(names.empty() ? "" : " <- ", netlist_.names[graph_.nets[at]]);
      at = before[at];
    } while (at != node && names.size() < 500);
    throw Error("netlist", "combinational loop", names, "logic without a register in its way");
  }

  const Netlist& netlist_;
  const DelayTable& delays_;
  std::deque<NetlistCell> ports_;
  std::vector<Pin> drivers_;
  std::vector<int> sinks_;
  std::map<std::string, std::vector<const CellDelay*>, std::less<>> rows_;
  std::map<std::pair<std::string, std::string>, size_t> registers_;
  std::set<Net> clocks_;
  TimingGraph graph_;
};

}  // namespace

TimingGraph BuildTimingGraph(const Netlist& netlist, const DelayTable& delays) {
  return Builder(netlist, delays).Build();
}

}  // namespace vta::tools
