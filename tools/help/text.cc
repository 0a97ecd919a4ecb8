#include "tools/help/text.h"

#include <algorithm>
#include <sstream>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr size_t kIndent = 2, kWidestNames = 26;

// `text` behind `head`, broken between words at `columns`; its lines begin at `column`. A head that
// is longer has a line of its own.
std::string Wrapped(const std::string& head, const std::string& text, size_t column,
                    size_t columns) {
  std::string out, line = head;
  const auto end_line = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    line.clear();
  };
  const bool apart = head.empty() || head.ends_with(' ');
  if (head.size() + (apart ? 0 : 1) > column && !text.empty()) end_line();
  line.resize(std::max(line.size(), column), ' ');
  std::istringstream words(text);
  bool fresh = true;
  for (std::string word; words >> word; fresh = false) {
    if (!fresh && line.size() + 1 + word.size() > columns) {
      end_line();
      line.assign(column, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
  }
  end_line();
  return out;
}

std::string Heading(const std::string& text, bool color) {
  return color ? StrCat("\033[1m", text, ":\033[0m\n") : StrCat(text, ":\n");
}

// Rows of names and what they mean.
std::string Rows(const std::vector<std::pair<std::string, std::string>>& rows, size_t column,
                 size_t columns) {
  std::string out;
  for (const auto& [names, text] : rows)
    out += Wrapped(std::string(kIndent, ' ') + names, text, column, columns);
  return out;
}

std::string RowNames(const OptionFacts& option) {
  const bool is_short = option.names.front()[0] == '-' && option.names.front()[1] != '-';
  return (is_short || option.positional() ? "" : "    ") + NamesOf(option);
}

// Where the texts of all rows begin.
size_t TextColumn(const CommandFacts& command) {
  size_t widest = 0;
  const auto see = [&](size_t size) {
    if (size <= kWidestNames) widest = std::max(widest, size);
  };
  for (const auto* options : {&command.options, &command.everywhere})
    for (const OptionFacts& option : *options) see(RowNames(option).size());
  for (const CommandFacts& inner : command.commands) see(inner.word().size());
  return kIndent + widest + 2;
}

std::string OptionRows(const std::vector<const OptionFacts*>& options, size_t column,
                       size_t columns) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const OptionFacts* option : options)
    rows.emplace_back(RowNames(*option), SummaryOf(*option));
  return Rows(rows, column, columns);
}

// The program's own help has the options that stand anywhere in full, that of a command their
// names.
std::string Everywhere(const CommandFacts& command, size_t column, size_t columns, bool color) {
  const std::string program = command.name.substr(0, command.name.find(' '));
  if (program == command.name) {
    std::vector<const OptionFacts*> options;
    for (const OptionFacts& option : command.everywhere) options.push_back(&option);
    return "\n" + Heading(command.everywhere.front().group, color) +
           OptionRows(options, column, columns);
  }
  std::string names;
  for (const OptionFacts& option : command.everywhere)
    names += StrCat(names.empty() ? "" : ", ", option.name());
  return "\n" + Heading(command.everywhere.front().group, color) +
         Wrapped("", StrCat(names, ": ", program, " --help"), kIndent, columns);
}

}  // namespace

std::string NamesOf(const OptionFacts& option) {
  std::string names;
  for (const std::string& name : option.names) names += StrCat(names.empty() ? "" : ", ", name);
  if (option.positional()) return names + (option.repeated ? "..." : "");
  if (!option.value.empty()) names += StrCat(" ", option.value, option.repeated ? "..." : "");
  return names;
}

std::string UsageOf(const CommandFacts& command) {
  std::string usage = command.name;
  if (!command.commands.empty()) return usage + " COMMAND [OPTION...]";
  const auto has_choice = [](const OptionFacts& o) { return !o.positional() && !o.required; };
  for (const OptionFacts& option : command.options)
    if (option.required && !option.positional())
      usage += StrCat(" ", option.name(), " ", option.value);
  if (std::ranges::any_of(command.options, has_choice)) usage += " [OPTION...]";
  for (const OptionFacts& option : command.options)
    if (option.positional())
      usage += option.required ? " " + NamesOf(option) : StrCat(" [", NamesOf(option), "]");
  return usage;
}

std::string SummaryOf(const OptionFacts& option) {
  return option.standard.empty() ? option.summary
                                 : StrCat(option.summary, " [default: ", option.standard, "]");
}

std::string HelpText(const CommandFacts& command, size_t columns, bool color) {
  const size_t column = TextColumn(command);
  std::string out = Wrapped("usage: ", UsageOf(command), 7, columns);
  if (!command.summary.empty()) out += "\n" + Wrapped("", command.summary, 0, columns);
  std::vector<const OptionFacts*> arguments;
  std::vector<OptionFacts> options;
  for (const OptionFacts& option : command.options)
    if (option.positional())
      arguments.push_back(&option);
    else
      options.push_back(option);
  if (!arguments.empty()) out += "\n" + OptionRows(arguments, column, columns);
  for (const auto& [group, commands] : GroupsOf(command.commands)) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const CommandFacts* inner : commands) rows.emplace_back(inner->word(), inner->summary);
    out += "\n" + Heading(group, color) + Rows(rows, column, columns);
  }
  for (const auto& [group, members] : GroupsOf(options))
    out += "\n" + Heading(group, color) + OptionRows(members, column, columns);
  if (!command.everywhere.empty()) out += Everywhere(command, column, columns, color);
  if (!command.footer.empty()) out += "\n" + Wrapped("", command.footer, 0, columns);
  return out;
}

}  // namespace vta::tools
