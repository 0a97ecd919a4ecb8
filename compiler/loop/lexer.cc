#include "compiler/loop/lexer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {
bool WordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}
}  // namespace

bool IsName(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, WordChar);
}

void Lexer::Next() {
  while (at_ < text_.size() &&
         (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '#')) {
    if (text_[at_] == '#')
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (at_ < text_.size() && text_[at_++] == '\n') ++line_;
  }
  const size_t start = at_;
  if (at_ == text_.size()) {
    kind_ = Kind::kEnd;
    token_ = {};
    return;
  }
  const char first = text_[at_];
  if (WordChar(first)) {
    kind_ = std::isdigit(static_cast<unsigned char>(first)) ? Kind::kNumber : Kind::kWord;
    while (at_ < text_.size() && WordChar(text_[at_])) {
      // The sign of an exponent belongs to its number: 1e-05f.
      const bool exponent = kind_ == Kind::kNumber && text_[at_] == 'e' && at_ + 1 < text_.size() &&
                            (text_[at_ + 1] == '-' || text_[at_ + 1] == '+');
      at_ += exponent ? 2 : 1;
    }
  } else {
    kind_ = Kind::kSymbol;
    ++at_;
    constexpr std::string_view kPairs[] = {"//", "==", "!=", "<=", "&&", "||"};
    for (std::string_view pair : kPairs)
      if (text_.substr(start, 2) == pair) at_ = start + 2;
  }
  token_ = text_.substr(start, at_ - start);
}

bool Lexer::Take(std::string_view token) {
  if (!At(token)) return false;
  Next();
  return true;
}

void Lexer::Expect(std::string_view token) {
  if (!Take(token)) Fail("text", StrCat("'", token, "' is expected here"));
}

std::string Lexer::Word(std::string_view what) {
  if (kind_ != Kind::kWord) Fail(what, "must be a name");
  std::string word(token_);
  Next();
  return word;
}

int64_t Lexer::Integer(std::string_view what) {
  const bool negative = Take("-");
  int64_t value = 0;
  const std::string text = StrCat(negative ? "-" : "", token_);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (kind_ != Kind::kNumber || error != std::errc() || end != text.data() + text.size())
    Fail(what, "must be a whole number of 64 bits");
  Next();
  return value;
}

std::string Lexer::Place() const { return StrCat("line ", line_); }

void Lexer::Fail(std::string_view what, std::string_view rule) const {
  throw Error(Place(), std::string(what),
              kind_ == Kind::kEnd ? "the end" : StrCat("'", token_, "'"), std::string(rule));
}

}  // namespace vta::compiler::loop
