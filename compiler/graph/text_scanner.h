// Reads the tokens of one line of graph text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/graph/graph.h"

namespace vta::compiler {

class TextScanner {
 public:
  TextScanner(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

  bool AtEnd();
  /// Consumes `token` if it comes next.
  bool Accept(std::string_view token);
  /// Errors: this and all below throw Error naming line and column unless what they read comes
  /// next.
  void Expect(std::string_view token);
  std::string Word();   // letters, digits, '_' and '.'
  std::string Quote();  // "..." with \" \\ and \xNN
  std::string Name();   // %word or %"..."
  int64_t Integer();
  double Number();
  uint64_t HexDigits();
  Shape Dimensions();  // [1,2,3]
  TensorType Type();   // int8[1,2,3]
  AttributeValue Attribute();

  Error Fail(std::string_view rule) const;

 private:
  void SkipSpace();
  std::string NumberText();

  std::string_view line_;
  std::string where_;
  size_t at_ = 0;
};

}  // namespace vta::compiler
