// Tokens of the loop IR's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vta::compiler::loop {

/// Whether it is one word of the text.
bool IsName(std::string_view text);

/// Reads one token ahead. Words are identifiers (letters, digits, '_', '.'), numbers keep their
/// suffix, symbols are one or two characters. '#' starts a comment that ends with its line.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Next(); }

  enum class Kind : uint8_t { kEnd, kWord, kNumber, kSymbol };
  Kind kind() const { return kind_; }
  std::string_view token() const { return token_; }

  bool At(std::string_view symbol_or_word) const {
    return kind_ != Kind::kEnd && token_ == symbol_or_word;
  }
  /// Takes the token if it is this one.
  bool Take(std::string_view token);
  void Expect(std::string_view token);
  std::string Word(std::string_view what);
  /// A whole number with an optional '-'.
  int64_t Integer(std::string_view what);
  void Next();
  /// "line N" of the token.
  std::string Place() const;
  [[noreturn]] void Fail(std::string_view what, std::string_view rule) const;

 private:
  std::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
  Kind kind_ = Kind::kEnd;
  std::string_view token_;
};

}  // namespace vta::compiler::loop
