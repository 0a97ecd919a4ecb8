#include "tools/explore/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr int kMostDepth = 64, kMostNodes = 1000;

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

/// A number, a name, or an operator over two others.
struct Expression::Node {
  std::string op;  // "" for a number, "name" for a name
  int64_t number = 0;
  std::string name;
  std::shared_ptr<const Node> left, right;
};

/// By recursive descent: comparison, sum, product, atom.
struct Expression::Parser {
  std::string_view text;
  const std::string &file, &place;
  std::vector<std::string>& names;
  size_t at = 0;
  int depth = 0, nodes = 0;

  using NodePtr = std::shared_ptr<const Node>;

  void SkipBlanks() {
    while (at < text.size() && text[at] == ' ') ++at;
  }
  Error Fail(const std::string& wanted) const {
    return Error(file, place, std::string(text),
                 StrCat("must have ", wanted, " at character ", at + 1));
  }
  bool Take(std::string_view word) {
    SkipBlanks();
    if (!text.substr(at).starts_with(word)) return false;
    at += word.size();
    return true;
  }
  template <size_t kCount>
  std::string TakeOneOf(const std::array<std::string_view, kCount>& words) {
    for (const std::string_view word : words)
      if (Take(word)) return std::string(word);
    return "";
  }
  NodePtr Make(std::string op, NodePtr left, NodePtr right) {
    // A chain is as deep as it is long, and evaluated by recursion.
    if (++nodes > kMostNodes) throw Fail(StrCat("at most ", kMostNodes, " operators"));
    return std::make_shared<Node>(Node{std::move(op), 0, "", std::move(left), std::move(right)});
  }

  NodePtr Whole() {
    NodePtr node = Comparison();
    SkipBlanks();
    if (at < text.size()) throw Fail("an operator or its end");
    return node;
  }
  NodePtr Comparison() {
    if (++depth > kMostDepth) throw Fail(StrCat("at most ", kMostDepth, " levels"));
    NodePtr left = Sum();
    const std::string op =
        TakeOneOf(std::array<std::string_view, 6>{"<=", ">=", "==", "!=", "<", ">"});
    if (!op.empty()) left = Make(op, left, Sum());
    --depth;
    return left;
  }
  NodePtr Sum() {
    NodePtr left = Product();
    for (std::string op; !(op = TakeOneOf(std::array<std::string_view, 2>{"+", "-"})).empty();)
      left = Make(op, left, Product());
    return left;
  }
  NodePtr Product() {
    NodePtr left = Atom();
    for (std::string op; !(op = TakeOneOf(std::array<std::string_view, 2>{"*", "/"})).empty();)
      left = Make(op, left, Atom());
    return left;
  }
  NodePtr Atom() {
    if (Take("(")) {
      NodePtr node = Comparison();
      if (!Take(")")) throw Fail("a )");
      return node;
    }
    SkipBlanks();
    const size_t begin = at;
    if (at < text.size() && text[at] >= '0' && text[at] <= '9') return Number();
    while (at < text.size() && IsNameChar(text[at])) ++at;
    const std::string name(text.substr(begin, at - begin));
    if (name.empty()) throw Fail("a number, a name or a (");
    if (name == "min" || name == "max") return Call(name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return std::make_shared<Node>(Node{"name", 0, name, nullptr, nullptr});
  }
  NodePtr Number() {
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) throw Fail("a number of 64 bits");
    at = static_cast<size_t>(stop - text.data());
    return std::make_shared<Node>(Node{"", number, "", nullptr, nullptr});
  }
  NodePtr Call(const std::string& name) {
    if (!Take("(")) throw Fail(StrCat("a ( behind ", name));
    NodePtr left = Comparison();
    if (!Take(",")) throw Fail("a ,");
    NodePtr right = Comparison();
    if (!Take(")")) throw Fail("a )");
    return Make(name, left, right);
  }
};

Expression Expression::Parse(std::string_view text, const std::string& file,
                             const std::string& place) {
  Expression out;
  out.text_ = text, out.file_ = file, out.place_ = place;
  out.root_ = Parser{text, out.file_, out.place_, out.names_}.Whole();
  return out;
}

double Expression::Evaluate(const std::function<double(const std::string&)>& value) const {
  return Evaluate(*root_, value);
}

double Expression::Evaluate(const Node& node,
                            const std::function<double(const std::string&)>& value) const {
  if (node.op.empty()) return static_cast<double>(node.number);
  if (node.op == "name") return value(node.name);
  const double a = Evaluate(*node.left, value), b = Evaluate(*node.right, value);
  if (node.op == "+") return a + b;
  if (node.op == "-") return a - b;
  if (node.op == "*") return a * b;
  if (node.op == "min") return std::min(a, b);
  if (node.op == "max") return std::max(a, b);
  if (node.op == "<=") return a <= b;
  if (node.op == ">=") return a >= b;
  if (node.op == "==") return a == b;
  if (node.op == "!=") return a != b;
  if (node.op == "<") return a < b;
  if (node.op == ">") return a > b;
  if (b == 0) throw Error(file_, place_, StrCat(a, " / ", b), "must not divide by 0");
  return a / b;
}

}  // namespace vta::tools
