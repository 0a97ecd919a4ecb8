// What numbers and words on a command line must be. All of it inline: CLI11 is slow to compile, and
// who asks has it already.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"

namespace vta::tools {

/// The group of options that a program takes before and after every command.
inline constexpr char kEverywhere[] = "Everywhere";

/// The legal values of an option, as a validator's description has them for help and completion.
struct Choices {
  std::vector<std::string> names;
  bool several = false;  // with commas between them

  std::string Text() const {
    std::string text;
    for (const std::string& name : names) text += StrCat(text.empty() ? "{" : "|", name);
    return StrCat(text, "}", several ? "," : "");
  }
};

/// Nothing where a description is of something else.
inline std::optional<Choices> ParseChoices(const std::string& text) {
  const size_t end = text.rfind('}');
  if (text.empty() || text[0] != '{' || end == std::string::npos) return std::nullopt;
  return Choices{SplitList(text.substr(1, end - 1), '|'), text.substr(end + 1) == ","};
}

/// A finite number in [low, high], refused as a usage error that says `rule`.
inline CLI::Validator NumberFrom(double low, double high, const std::string& rule) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string() : text + " " + rule;
      },
      "");
}

/// A number of 64 bits without sign, decimal (without zeros before it) or hexadecimal (0x...),
/// refused as a usage error that says so of `what`.
inline CLI::Validator Unsigned64(const std::string& what) {
  return CLI::Validator(
      [=](std::string& text) {
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
        uint64_t value = 0;
        const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
        const bool is_octal = !hex && text.size() > 1 && text[0] == '0';  // to the parser
        return error == std::errc() && stop == end && !is_octal
                   ? std::string()
                   : StrCat(text, " must be ", what, ", 0 to 2^64 - 1, decimal or hex (0x...)");
      },
      "");
}

/// An integer in [low, high], refused as a usage error that says both; also with zeros before it,
/// which the parser would take for octal.
inline CLI::Validator IntegerFrom(int64_t low, int64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        int64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_integer = error == std::errc() && stop == text.data() + text.size() &&
                                text == std::to_string(value);
        return is_integer && value >= low && value <= high
                   ? std::string()
                   : StrCat(text, " must be an integer, ", low, " to ", high);
      },
      "");
}

/// A number of bytes, also of K, M or G (1024 of what is before); the option gets the bytes.
inline CLI::Validator Bytes() {
  return CLI::Validator(
      [](std::string& text) {
        constexpr std::string_view kUnits = "KMG";
        int64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const size_t unit = stop == end ? 0 : kUnits.find(*stop) + 1;  // 0 again if it is none
        const bool good = error == std::errc() && value >= 0 &&
                          (stop == end || (stop + 1 == end && unit > 0)) &&
                          value <= std::numeric_limits<int64_t>::max() >> (10 * unit);
        if (!good) return StrCat(text, " must be bytes, such as 65536, 64K, 64M or 1G");
        text = std::to_string(value << (10 * unit));
        return std::string();
      },
      "");
}

/// A finite number above 0, refused as a usage error that says so.
inline CLI::Validator Positive() {
  return NumberFrom(std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                    "must be a finite number above 0");
}

/// One of some names, refused as a usage error that lists them and says which is nearest.
inline CLI::Validator OneOf(std::vector<std::string> names) {
  const std::string choices = Choices{names}.Text();
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (std::ranges::find(names, text) != names.end()) return std::string();
        return StrCat(text, " must be one of ", Listed(names), DidYouMean(text, names));
      },
      choices);
}

/// Several with commas between them, each once; `what` says in a phrase what one is.
inline CLI::Validator SomeOf(CLI::Validator one_of, std::string what) {
  std::string choices;
  if (std::optional<Choices> known = ParseChoices(one_of.get_description())) {
    known->several = true;
    choices = known->Text();
  }
  return CLI::Validator(
      [one_of = std::move(one_of), what = std::move(what)](std::string& text) {
        std::set<std::string> seen;
        for (std::string& word : SplitList(text)) {
          if (std::string refusal = one_of(word); !refusal.empty()) return refusal;
          if (!seen.insert(word).second) return StrCat(text, " names ", what, " twice");
        }
        return std::string();
      },
      choices);
}

/// Has every option of an app and of its commands refuse a value without letters before all else;
/// to be called behind all of them, inside of what catches what a parse throws. "--output=" is one,
/// too: the parser would take the next word for its value. `words` are those of the command line.
inline void RefuseEmpty(CLI::App& app, std::span<const char* const> words) {
  constexpr char kRule[] = "must not be empty";
  for (std::string_view word : words) {
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') + 1 == word.size())
      throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)), kRule);
  }
  const CLI::Validator filled(
      [kRule](std::string& text) { return text.empty() ? std::string(kRule) : std::string(); }, "");
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0) option->transform(filled);
  for (CLI::App* inner : app.get_subcommands([](CLI::App*) { return true; }))
    RefuseEmpty(*inner, {});
}

/// A flag that leaves no room for any option but these; to be called behind all of them.
inline void Alone(CLI::App& app, CLI::Option* flag, std::initializer_list<std::string_view> with,
                  std::initializer_list<std::span<const std::string_view>> and_with = {}) {
  for (CLI::Option* option : app.get_options())
    if (option != flag && option->get_name() != "--help" && option->get_group() != kEverywhere &&
        std::ranges::find(with, option->get_name()) == with.end() &&
        std::ranges::none_of(and_with, [&](std::span<const std::string_view> more) {
          return std::ranges::find(more, option->get_name()) != more.end();
        }))
      flag->excludes(option);
}

}  // namespace vta::tools
