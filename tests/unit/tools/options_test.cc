// What every option of every command holds its value to, whatever the command.
#include "tools/vta/common/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tools/help/command_facts.h"
#include "tools/vta/commands.h"

namespace vta::test {
namespace {

using tools::IntegerFrom;
using tools::NumberFrom;
using tools::Positive;
using tools::Unsigned64;

/// What a parse of the words throws; empty where it throws nothing.
std::string Refusal(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as the parser takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

/// One that an option takes.
std::string LegalValue(const CLI::App& app, const std::string& name) {
  for (const tools::OptionFacts& option : tools::FactsOf(app).options)
    if (option.name() == name && !option.choices.empty()) return option.choices[0];
  return "a";
}

/// Calls `check` with the words before each option that takes a value, and with the option.
void ForEach(CLI::App& app, const std::vector<std::string>& words,
             const std::function<void(std::vector<std::string>, const CLI::Option&)>& check) {
  std::vector<std::string> before = words;  // and values of the positional ones
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    check(before, *option);
    if (option->get_positional()) before.push_back(LegalValue(app, option->get_name()));
  }
  for (CLI::App* inner : app.get_subcommands([](CLI::App*) { return true; })) {
    std::vector<std::string> more = words;
    if (!inner->get_name().empty()) more.push_back(inner->get_name());  // no group of options
    ForEach(*inner, more, check);
  }
}

TEST(OptionsTest, NoneTakesAnEmptyValue) {
  CLI::App app("all of them", "vta");
  const std::function<int()> run = tools::AddCommands(app);  // it owns what the options set
  tools::RefuseEmpty(app, {});
  int options = 0;
  ForEach(app, {}, [&](std::vector<std::string> words, const CLI::Option& option) {
    if (!option.get_positional()) words.push_back(option.get_name());
    words.emplace_back();
    EXPECT_EQ(Refusal(app, words), option.get_name() + ": must not be empty")
        << testing::PrintToString(words);
    ++options;
  });
  EXPECT_GT(options, 120);
}

TEST(OptionsTest, NothingBehindAnEqualsSignIsEmpty) {
  CLI::App app;
  std::string file;
  app.add_option("--file", file);
  const auto refusal = [&](std::vector<const char*> words) -> std::string {
    try {
      tools::RefuseEmpty(app, words);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({"--file=", "a"}), "--file: must not be empty");
  for (const char* word : {"--file=a", "--dim=N=", "a=", "=", "--", "", "-c="})
    EXPECT_EQ(refusal({word, "a"}), "") << word;
  EXPECT_EQ(refusal({"--", "--file="}), "");
}

/// What a validator says of a text.
std::string Says(const CLI::Validator& validator, std::string text) { return validator(text); }

TEST(OptionsTest, NumbersAreFiniteAndInRange) {
  for (const char* text : {"1", "0.0625", "1e-30", "5e-324", "1.7e308"})
    EXPECT_EQ(Says(Positive(), text), "") << text;
  for (const std::string text :
       {"0", "-0.0", "-1", "nan", "-nan", "inf", "-inf", "1e-999", "1e999", "1x", "x", "0x"})
    EXPECT_EQ(Says(Positive(), text), text + " must be a finite number above 0");
  for (const std::string text : {"nan", "inf", "1.1", "-0.1"})
    EXPECT_EQ(Says(NumberFrom(0, 1, "rule"), text), text + " rule");
}

// The parser reads integers as C does: what begins with 0 is octal.
TEST(OptionsTest, IntegersHaveNoZerosBeforeThem) {
  for (const char* text : {"0", "8", "100", "-5"}) EXPECT_EQ(Says(IntegerFrom(-5, 100), text), "");
  for (const std::string text : {"010", "08", "00", "-05", "+5", "0x10", "1e1", "5 ", " 5", "101"})
    EXPECT_EQ(Says(IntegerFrom(-5, 100), text), text + " must be an integer, -5 to 100");
  for (const char* text : {"0", "10", "0x0a", "0xffffffffffffffff", "18446744073709551615"})
    EXPECT_EQ(Says(Unsigned64("n"), text), "") << text;
  for (const std::string text : {"010", "00", "-1", "0x", "18446744073709551616", "0x1g"})
    EXPECT_EQ(Says(Unsigned64("n"), text),
              text + " must be n, 0 to 2^64 - 1, decimal or hex (0x...)");
}

}  // namespace
}  // namespace vta::test
