// Arithmetic over the parameters of a point: numbers, names, + - * /, min(a, b), max(a, b) and
// comparisons. Nothing else: a space says what it holds, it computes nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

class Expression {
 public:
  /// Of names of parameters, "arch.block_in". Errors: throws Error with `file`, `place`, the text
  /// and what was expected where.
  static Expression Parse(std::string_view text, const std::string& file, const std::string& place);

  /// What it names, each once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& text() const { return text_; }

  /// A comparison is 1 or 0. Errors: throws Error with the file, the place and the values of a
  /// division by 0.
  double Evaluate(const std::function<double(const std::string&)>& value) const;

 private:
  struct Node;
  struct Parser;
  double Evaluate(const Node& node, const std::function<double(const std::string&)>& value) const;

  std::string text_, file_, place_;
  std::vector<std::string> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace vta::tools
