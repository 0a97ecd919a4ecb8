#include "compiler/graph/text_scanner.h"

#include <charconv>
#include <cstdlib>

namespace vta::compiler {

Error TextScanner::Fail(std::string_view rule) const {
  return Error(StrCat(where_, ", column ", at_ + 1), "text",
               Quoted(line_.substr(std::min(at_, line_.size()), 20)), std::string(rule));
}

void TextScanner::SkipSpace() {
  while (at_ < line_.size() && line_[at_] == ' ') ++at_;
}

bool TextScanner::AtEnd() {
  SkipSpace();
  return at_ >= line_.size();
}

bool TextScanner::Accept(std::string_view token) {
  SkipSpace();
  if (!line_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void TextScanner::Expect(std::string_view token) {
  if (!Accept(token)) throw Fail(StrCat("expected \"", token, "\""));
}

std::string TextScanner::Word() {
  SkipSpace();
  const size_t end = line_.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", at_);
  std::string word(line_.substr(at_, end == line_.npos ? end : end - at_));
  if (word.empty()) throw Fail("expected a word");
  at_ += word.size();
  return word;
}

std::string TextScanner::Quote() {
  Expect("\"");
  std::string text;
  while (at_ < line_.size() && line_[at_] != '"') {
    char c = line_[at_++];
    if (c == '\\') {
      if (at_ >= line_.size()) break;
      c = line_[at_++];
      if (c == 'x') {
        unsigned code = 0;
        const std::string_view digits = line_.substr(at_, 2);
        auto [end, error] = std::from_chars(digits.begin(), digits.end(), code, 16);
        if (error != std::errc() || end != digits.end() || digits.size() != 2)
          throw Fail("expected two hexadecimal digits");
        c = static_cast<char>(code);
        at_ += 2;
      } else if (c != '"' && c != '\\') {
        throw Fail("expected \\\\, \\\" or \\xNN");
      }
    }
    text += c;
  }
  if (at_ >= line_.size()) throw Fail("expected a closing quote");
  ++at_;
  return text;
}

std::string TextScanner::Name() {
  Expect("%");
  const std::string name = line_.substr(at_).starts_with("\"") ? Quote() : Word();
  if (name.empty()) throw Fail("expected a name");
  return name;
}

std::string TextScanner::NumberText() {
  SkipSpace();
  const size_t end = line_.find_first_not_of("+-.0123456789einfa", at_);
  return std::string(line_.substr(at_, end == line_.npos ? end : end - at_));
}

int64_t TextScanner::Integer() {
  const std::string text = NumberText();
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw Fail("expected an integer");
  at_ += text.size();
  return value;
}

double TextScanner::Number() {
  const std::string text = NumberText();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) throw Fail("expected a number");
  at_ += text.size();
  return value;
}

uint64_t TextScanner::HexDigits() {
  const std::string text = Word();
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw Fail("expected hexadecimal digits");
  return value;
}

Shape TextScanner::Dimensions() {
  Expect("[");
  Shape shape;
  if (Accept("]")) return shape;
  do {
    shape.push_back(Integer());
  } while (Accept(","));
  Expect("]");
  return shape;
}

TensorType TextScanner::Type() {
  const std::string name = Word();
  const auto dtype = DTypeFromName(name);
  if (!dtype) throw Fail(StrCat("there is no element type ", name));
  return {*dtype, Dimensions()};
}

AttributeValue TextScanner::Attribute() {
  SkipSpace();
  if (line_.substr(at_).starts_with("\"")) return Quote();
  if (line_.substr(at_).starts_with("[")) return Dimensions();
  const bool integer = NumberText().find_first_of(".einfa") == std::string::npos;
  if (integer) return Integer();
  return Number();
}

}  // namespace vta::compiler
