#include "tools/vta/hw/sdf.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <regex>
#include <unordered_map>
#include <utility>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

// Brackets, words without their escapes, and strings without their quotes.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The next token, "" at the end.
  std::string Next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      line_ += text_[at_++] == '\n';
    if (at_ == text_.size()) return "";
    const char first = text_[at_];
    if (first == '(' || first == ')') return ++at_, std::string(1, first);
    std::string word;
    if (first == '"') {
      const size_t end = std::min(text_.find('"', at_ + 1), text_.size());
      word = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      return word;
    }
    for (; at_ < text_.size() && !IsEnd(text_[at_]); ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word += text_[at_];
    }
    return word;
  }
  void Expect(const std::string& wanted) {
    if (const std::string token = Next(); token != wanted) throw Fail(token, "must be " + wanted);
  }
  std::string Name() {
    std::string token = Next();
    if (token.empty() || token == "(" || token == ")") throw Fail(token, "must be a name");
    return token;
  }
  /// A pin, bare or as "(posedge PIN)".
  std::string Pin() {
    std::string token = Next();
    if (token != "(") return token;
    Name();
    token = Name();
    Expect(")");
    return token;
  }
  /// The longest of "(shortest:usual:longest)", in picoseconds.
  double Delay() {
    Expect("(");
    const std::string triple = Next();
    const std::string longest = triple.substr(triple.rfind(':') + 1);
    double ps = 0;
    const auto [stop, error] = std::from_chars(longest.data(), longest.data() + longest.size(), ps);
    if (error != std::errc() || stop != longest.data() + longest.size())
      throw Fail(triple, "must be a delay");
    Expect(")");
    return ps;
  }

 private:
  static bool IsEnd(char c) {
    return c == '(' || c == ')' || std::isspace(static_cast<unsigned char>(c));
  }
  Error Fail(const std::string& token, const std::string& rule) const {
    return Error(file_, StrCat("line ", line_), token, rule);
  }

  const std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

struct Arc {
  int64_t from = 0, to = 0;
  double ps = 0;
  bool is_wire = false;
};

struct Check {
  int64_t pin = 0;
  double ps = 0;
};

// How the latest edge comes to a pin.
struct Arrival {
  int64_t launch = -1;  // pin; -1: no register before it
  double logic_ps = 0, routing_ps = 0;
  int64_t levels = 0;
  bool by_wire = false;  // with a delay
  double ps() const { return logic_ps + routing_ps; }
};

class SdfGraph {
 public:
  SdfGraph(std::string_view sdf, const std::string& file) { Read(sdf, file); }

  std::vector<RoutedPath> Paths() const {
    const std::vector<Arrival> arrivals = Arrivals();
    std::vector<RoutedPath> paths;
    for (const Check& check : checks_) {
      const Arrival& at = arrivals[check.pin];
      if (at.launch < 0) continue;
      paths.push_back({CellOf(at.launch), CellOf(check.pin), (at.logic_ps + check.ps) / 1000,
                       at.routing_ps / 1000, at.levels});
    }
    std::ranges::stable_sort(paths, [](const RoutedPath& a, const RoutedPath& b) {
      return a.total_ns() > b.total_ns();
    });
    return paths;
  }

 private:
  void Read(std::string_view sdf, const std::string& file) {
    Reader reader(sdf, file);
    std::string cell;
    for (std::string token = reader.Next(); !token.empty(); token = reader.Next()) {
      if (token != "(") continue;
      const std::string keyword = reader.Next();
      const auto pin = [&] { return PinOf(cell + "/" + reader.Pin()); };
      if (keyword == "INSTANCE") {
        cell = reader.Next();
      } else if (keyword == "INTERCONNECT") {
        const int64_t from = PinOf(reader.Name()), to = PinOf(reader.Name());
        arcs_.push_back({from, to, reader.Delay(), true});
      } else if (keyword == "IOPATH") {
        const int64_t from = pin(), to = pin();
        arcs_.push_back({from, to, reader.Delay(), false});
      } else if (keyword == "SETUPHOLD") {
        // One for each direction of the data: the slower counts.
        const int64_t data = pin();
        is_clock_[pin()] = true;
        const double ps = reader.Delay();
        if (!checks_.empty() && checks_.back().pin == data)
          checks_.back().ps = std::max(checks_.back().ps, ps);
        else
          checks_.push_back({data, ps});
      }
    }
  }

  int64_t PinOf(const std::string& name) {
    const auto [at, is_new] = ids_.try_emplace(name, static_cast<int64_t>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      is_clock_.push_back(false);
    }
    return at->second;
  }
  std::string CellOf(int64_t pin) const { return names_[pin].substr(0, names_[pin].rfind('/')); }

  // What leaves a clock pin starts a path; all else continues one, in topological order.
  std::vector<Arrival> Arrivals() const {
    std::vector<std::vector<int64_t>> leaves(names_.size());
    std::vector<int64_t> missing(names_.size(), 0);
    for (size_t i = 0; i < arcs_.size(); ++i) {
      leaves[arcs_[i].from].push_back(static_cast<int64_t>(i));
      ++missing[arcs_[i].to];
    }
    std::vector<int64_t> ready;
    for (size_t pin = 0; pin < names_.size(); ++pin)
      if (missing[pin] == 0) ready.push_back(static_cast<int64_t>(pin));
    std::vector<Arrival> arrivals(names_.size());
    while (!ready.empty()) {
      const int64_t pin = ready.back();
      ready.pop_back();
      for (const int64_t i : leaves[pin]) {
        const Arc& arc = arcs_[i];
        Take(Along(arc, pin, arrivals[pin]), arrivals[arc.to]);
        if (--missing[arc.to] == 0) ready.push_back(arc.to);
      }
    }
    return arrivals;
  }
  Arrival Along(const Arc& arc, int64_t pin, Arrival at) const {
    if (is_clock_[pin]) return {pin, arc.ps, 0, 0, false};
    (arc.is_wire ? at.routing_ps : at.logic_ps) += arc.ps;
    if (!arc.is_wire) at.levels += at.by_wire;
    at.by_wire = arc.is_wire && arc.ps > 0;
    return at;
  }
  static void Take(const Arrival& offer, Arrival& best) {
    if (offer.launch >= 0 && (best.launch < 0 || offer.ps() > best.ps())) best = offer;
  }

  std::unordered_map<std::string, int64_t> ids_;
  std::vector<std::string> names_;
  std::vector<bool> is_clock_;
  std::vector<Arc> arcs_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<RoutedPath> RoutedPaths(std::string_view sdf, const std::string& file) {
  return SdfGraph(sdf, file).Paths();
}

std::string RegisterOf(const std::string& cell) {
  size_t end = cell.find('\\');
  for (const char* added :
       {"_TRELLIS_", "_LUT4", "_CCU2C", "_PFUMX", "_L6MUX21", "_MULT18X18D", "_DP16KD", "$"})
    if (const size_t at = cell.find(added); at > 0) end = std::min(end, at);
  std::string name = cell.substr(0, end);
  // The blocks of a memory are "mem.ROW.COLUMN"; registers behind them "mem.ROW.COLUMN_PIN".
  static const std::regex kBlock(R"((\.[0-9]+)+(_[A-Z0-9]+)?$)");
  name = std::regex_replace(name, kBlock, "");
  if (name.ends_with("]")) {
    const size_t bit = name.rfind('[');
    if (bit != std::string::npos && bit > 0) name.resize(bit);
  }
  return name;
}

std::vector<RegisterPair> ByRegister(const std::vector<RoutedPath>& paths) {
  std::vector<RegisterPair> pairs;
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (const RoutedPath& path : paths) {
    std::string from = RegisterOf(path.from), to = RegisterOf(path.to);
    const auto [at, is_new] = places.try_emplace({from, to}, pairs.size());
    if (is_new) pairs.push_back({std::move(from), std::move(to), path, 0});
    ++pairs[at->second].ends;
  }
  return pairs;
}

}  // namespace vta::tools
