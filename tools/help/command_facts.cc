#include "tools/help/command_facts.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "isa/support/error.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"

namespace vta::tools {
namespace {

// What type names stand for: those of CLI11 for C++ types, and ours that say more than help does.
constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"INT", "N"}, {"UINT", "N"}, {"FLOAT", "X"}, {kWritten, kFile}};

std::string_view KindOf(std::string_view type) {
  for (const auto& [name, kind] : kTypes)
    if (name == type) return kind;
  return type;
}

// "--input-type": TYPE.
std::string LastWord(const std::string& name) {
  std::string word = name.substr(name.find_last_of("-") + 1);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

// Fills in what the option's type says: a kind and, behind a colon, the choices of validators.
void ReadType(const std::string& type, OptionFacts& facts) {
  constexpr size_t kLongestShown = 24;
  const size_t colon = type.find(':');
  facts.kind = KindOf(std::string_view(type).substr(0, colon));
  facts.value = facts.kind;
  const std::optional<Choices> choices =
      colon == std::string::npos ? std::nullopt : ParseChoices(type.substr(colon + 1));
  if (!choices) return;
  facts.choices = choices->names;
  const std::string listed = Listed(facts.choices);
  std::string shown;
  for (const std::string& name : facts.choices) shown += StrCat(shown.empty() ? "" : "|", name);
  if (choices->several) shown += "[,...]";
  if (shown.size() <= kLongestShown) {
    facts.value = shown;
    return;
  }
  if (facts.kind == "TEXT") facts.value = LastWord(facts.name());
  const bool said = std::ranges::all_of(facts.choices, [&](const std::string& name) {
    return facts.summary.find(name) != std::string::npos;
  });
  if (!said) facts.summary += StrCat(facts.summary.empty() ? "" : "; ", "one of ", listed);
}

OptionFacts OptionFactsOf(const CLI::Option& option) {
  OptionFacts facts;
  if (option.get_positional()) {
    facts.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.summary = option.get_description();
  facts.group = option.get_group();
  facts.required = option.get_required();
  if (option.get_items_expected_max() == 0) return facts;
  ReadType(option.get_type_name(), facts);
  facts.standard = option.get_default_str();
  facts.repeated = option.get_items_expected_max() > 1;
  return facts;
}

// Those of the app and of its option groups, which are apps without names. Each has --help, and the
// program's stands for all.
void AddOptions(const CLI::App& app, std::vector<OptionFacts>& out) {
  for (const CLI::Option* option : app.get_options()) {
    const bool again = app.get_parent() && option == app.get_help_ptr();
    if (!again && !option->get_group().empty()) out.push_back(OptionFactsOf(*option));
  }
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    if (inner->get_name().empty()) AddOptions(*inner, out);
}

template <typename Facts>
std::vector<Group<Facts>> Grouped(const std::vector<Facts>& all) {
  std::vector<Group<Facts>> groups;
  for (const Facts& one : all) {
    auto group = std::ranges::find(groups, one.group, &Group<Facts>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {one.group, {}});
    group->second.push_back(&one);
  }
  std::ranges::stable_sort(groups, {}, [](const Group<Facts>& group) {
    return std::pair(group.first == kEverywhere, group.second.size());
  });
  return groups;
}

}  // namespace

std::vector<Group<OptionFacts>> GroupsOf(const std::vector<OptionFacts>& options) {
  return Grouped(options);
}
std::vector<Group<CommandFacts>> GroupsOf(const std::vector<CommandFacts>& commands) {
  return Grouped(commands);
}

CommandFacts FactsOf(const CLI::App& app) {
  CommandFacts facts;
  facts.name = app.get_name();
  const CLI::App* root = &app;
  while (root->get_parent()) {
    root = root->get_parent();
    facts.name = root->get_name() + " " + facts.name;
  }
  facts.group = app.get_group();
  facts.summary = app.get_description();
  facts.footer = app.get_footer();
  AddOptions(app, facts.options);
  std::ranges::stable_partition(facts.options, &OptionFacts::positional);
  AddOptions(*root, facts.everywhere);
  std::erase_if(facts.everywhere, [](const OptionFacts& o) { return o.group != kEverywhere; });
  std::erase_if(facts.options, [](const OptionFacts& o) { return o.group == kEverywhere; });
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_name().empty() && !command->get_group().empty())
      facts.commands.push_back(FactsOf(*command));
  return facts;
}

}  // namespace vta::tools
