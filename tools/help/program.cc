#include "tools/help/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

#include "isa/support/error.h"
#include "tools/help/command_facts.h"
#include "tools/help/text.h"
#include "tools/shared/exit_status.h"
#include "tools/shared/terminal.h"
#include "tools/shared/validators.h"

namespace vta::tools {
namespace {

constexpr std::pair<const char*, LogLevel> kLevels[] = {{"error", LogLevel::kError},
                                                        {"warning", LogLevel::kWarning},
                                                        {"info", LogLevel::kInfo},
                                                        {"debug", LogLevel::kDebug}};

// What was given for an option of the program, also of a command line that is wrong elsewhere.
std::string Given(const CLI::App& program, const std::string& option, const std::string& standard) {
  const CLI::Option* const declared = program.get_option(option);
  return declared->count() > 0 ? declared->results().back() : standard;
}

bool Colors(const CLI::App& program, int descriptor) {
  return UsesColor(Given(program, "--color", kColorAuto), descriptor);
}

LogOptions LogOf(const CLI::App& program) {
  LogOptions options{.program = program.get_name(), .color = Colors(program, STDERR_FILENO)};
  const std::string level = program.count("--quiet") > 0 ? "error"
                            : program.count("--verbose") > 0
                                ? "debug"
                                : Given(program, "--log-level", "info");
  for (const auto& [name, value] : kLevels)
    if (level == name) options.least = value;
  return options;
}

/// A command line, word by word, as CLI11 reads it.
struct Words {
  const CLI::App* command;     // the last that it names
  bool asks_for_help = false;  // whatever else is wrong, but for an unknown command before it
  bool has_unknown_command = false;
  std::string refusal;  // of the first word that is no option or no command; "" for none
};

std::string PathOf(const CLI::App& command) { return FactsOf(command).name; }

// An option of the command, of its option groups, or of the program.
const CLI::Option* Find(const CLI::App& program, const CLI::App& command, const std::string& name) {
  if (const CLI::Option* own = command.get_option_no_throw(name)) return own;
  return program.get_option_no_throw(name);
}

std::string NoOption(const CLI::App& command, const std::string& word) {
  const CommandFacts facts = FactsOf(command);
  std::vector<std::string> names;
  for (const auto* options : {&facts.options, &facts.everywhere})
    for (const OptionFacts& option : *options)
      if (!option.positional()) names.insert(names.end(), option.names.begin(), option.names.end());
  const std::string meant = DidYouMean(word, names);
  return StrCat(word, ": is not an option", meant.empty() ? ";" : meant, " ", facts.name,
                " --help lists them");
}

// Why a word is no command of `command`, without the word.
std::string NoCommand(const CLI::App& command, const std::string& word) {
  const CommandFacts facts = FactsOf(command);
  std::vector<std::string> names;
  for (const CommandFacts& inner : facts.commands) names.push_back(inner.word());
  if (names.empty()) return StrCat("is not a command: ", facts.name, " has none");
  const std::string meant = DidYouMean(word, names);
  return StrCat("is not a command", meant.empty() ? ";" : meant, " ", facts.name,
                " --help lists them");
}

Words Read(const CLI::App& program, std::span<const char* const> arguments) {
  Words words{&program};
  const auto refuse = [&](const std::string& why) {
    if (words.refusal.empty()) words.refusal = why;
  };
  const auto commands = [&] {
    return words.command->get_subcommands(
        [](const CLI::App* inner) { return !inner->get_name().empty(); });  // others group options
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string word = arguments[i];
    const bool is_option = word.size() > 1 && word[0] == '-' && !std::isdigit(word[1]);
    if (word == "--") break;
    if (is_option && word[1] != '-') {  // -c FILE, -cFILE, -qv
      const std::string name = word.substr(0, 2);
      const CLI::Option* option = Find(program, *words.command, name);
      if (name == "-h") words.asks_for_help = true;
      if (!option)
        refuse(NoOption(*words.command, word));
      else if (word.size() == 2)
        i += option->get_items_expected_min();
    } else if (is_option) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = Find(program, *words.command, name);
      if (name == "--help") words.asks_for_help = true;
      if (!option)
        refuse(NoOption(*words.command, name));
      else if (name == word)
        i += option->get_items_expected_min();
    } else if (const auto inner = commands(); !inner.empty()) {
      const auto named = std::ranges::find(inner, word, &CLI::App::get_name);
      if (named == inner.end()) {
        refuse(StrCat(word, ": ", NoCommand(*words.command, word)));
        words.has_unknown_command = true;
        break;
      }
      words.command = *named;
    }
  }
  if (!commands().empty() && !words.asks_for_help)
    refuse(StrCat("a command is missing; ", PathOf(*words.command), " --help lists them"));
  return words;
}

// One line, however many the argument has that it quotes.
std::string Refusal(const Words& words, const CLI::ParseError& error) {
  if (!words.refusal.empty()) return Visible(words.refusal);
  std::string what = error.what();
  if (what.ends_with(" missing"))  // "--output: 1 required OUT missing"
    what = what.substr(0, what.find(": ")) + ": a value is missing";
  else if (const size_t at = what.find(": At Most 1 required"); at != std::string::npos)
    what = what.substr(0, at) + ": is given more than once";
  else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    // "The following argument was not expected: X"
    what = StrCat(what.substr(what.find(": ") + 2), ": is more than ", PathOf(*words.command),
                  " takes");
  return Visible(what) + "\nRun with --help for more information.";
}

}  // namespace

void AddEverywhere(CLI::App& program, std::function<std::string()> version) {
  program.fallthrough();
  std::vector<std::string> levels;
  for (const auto& [name, level] : kLevels) levels.emplace_back(name);
  program.set_help_flag("-h,--help", "print this and exit")->group(kEverywhere);
  program.set_version_flag("--version", std::move(version), "print the version and exit")
      ->group(kEverywhere);
  CLI::Option* const quiet =
      program.add_flag("-q,--quiet")->description("on stderr errors alone")->group(kEverywhere);
  CLI::Option* const verbose = program.add_flag("-v,--verbose")
                                   ->description("on stderr every step as well, with its time")
                                   ->group(kEverywhere)
                                   ->excludes(quiet);
  program
      .add_option_function<std::string>(
          "--log-level", [](const std::string&) {}, "the least that stderr gets")
      ->group(kEverywhere)
      ->check(OneOf(levels))
      ->default_str("info")
      ->excludes(quiet)
      ->excludes(verbose);
  program
      .add_option_function<std::string>(
          "--color", [](const std::string&) {},
          "colours; auto: on a terminal, unless NO_COLOR is set")
      ->group(kEverywhere)
      ->check(OneOf({kColorAuto, kColorAlways, kColorNever}))
      ->default_str(kColorAuto);
}

void PrintHelp(const CLI::App& program, const CLI::App& command) {
  const size_t columns =
      std::clamp<size_t>(TerminalColumns(STDOUT_FILENO).value_or(kUsualHelp), 40, kWidestHelp);
  std::fputs(HelpText(FactsOf(command), columns, Colors(program, STDOUT_FILENO)).c_str(), stdout);
}

const CLI::App& FindCommand(const CLI::App& program, std::span<const std::string> words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const auto named = command->get_subcommands(
        [&](const CLI::App* inner) { return !word.empty() && inner->get_name() == word; });
    if (named.empty()) throw UsageError("", "", word, NoCommand(*command, word));
    command = named[0];
  }
  return *command;
}

int RunProgram(CLI::App& program, int argc, const char* const* argv,
               const std::function<LogWriter(const LogOptions&)>& writer,
               const std::function<int()>& run) {
  const std::string name = program.get_name();
  std::optional<CLI::ParseError> stopped;  // help and version stop as well
  try {
    RefuseEmpty(program, {argv + 1, argv + argc});
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    stopped = error;
  }
  const LogOptions log = LogOf(program);
  StartLog(log, writer(log));
  return ExitStatus([&] {
    if (!stopped) return run();
    const Words words = Read(program, {argv + 1, argv + argc});
    if (words.asks_for_help) {
      PrintHelp(program, *words.command);
    } else if (stopped->get_exit_code() == 0 && !words.has_unknown_command) {  // --version
      std::printf("%s\n", stopped->what());
    } else {
      Log(LogLevel::kError, Refusal(words, *stopped));
      return 2;
    }
    return 0;
  });
}

}  // namespace vta::tools
