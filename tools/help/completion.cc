#include "tools/help/completion.h"

#include <algorithm>

#include "isa/support/error.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

// In single quotes, as all three shells read it.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += StrCat(out.empty() ? "" : " ", word);
  return out;
}

// The name of a shell function for a command: _vta__run is of "vta run", _vta_run of vta-run.
std::string FunctionOf(const std::string& name) {
  std::string out = "_";
  for (const char c : name) out += c == ' ' ? "__" : c == '-' ? "_" : std::string(1, c);
  return out;
}

// The options that may follow a command, the program's own among them.
std::vector<const OptionFacts*> OptionsOf(const CommandFacts& command) {
  std::vector<const OptionFacts*> options;
  for (const auto* list : {&command.options, &command.everywhere})
    for (const OptionFacts& option : *list)
      if (!option.positional()) options.push_back(&option);
  return options;
}

std::vector<std::string> NamesOf(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts* option : OptionsOf(command))
    names.insert(names.end(), option->names.begin(), option->names.end());
  return names;
}

std::vector<std::string> WordsOf(const CommandFacts& command) {
  std::vector<std::string> words;
  for (const CommandFacts& inner : command.commands) words.push_back(inner.word());
  return words;
}

// What an argument without dashes may be: that of all of the command's.
ValueCompletion ArgumentsOf(const CommandFacts& command, const KnownValues& known) {
  ValueCompletion all;
  for (const OptionFacts& option : command.options) {
    if (!option.positional()) continue;
    const ValueCompletion one = CompletionOf(option, known);
    all.words.insert(all.words.end(), one.words.begin(), one.words.end());
    all.files |= one.files;
    all.folders |= one.folders;
  }
  return all;
}

template <typename Visit>
void ForEach(const CommandFacts& command, const Visit& visit) {
  visit(command);
  for (const CommandFacts& inner : command.commands) ForEach(inner, visit);
}

// --- bash ---

std::string BashReply(const ValueCompletion& value) {
  std::string out = StrCat("_vta_reply ", Quoted(Joined(value.words)));
  if (value.files || value.folders) out += value.files ? " -f" : " -d";
  return out;
}

std::string BashProgram(const CommandFacts& program, const KnownValues& known) {
  std::string commands, values, arguments;
  ForEach(program, [&](const CommandFacts& command) {
    for (const CommandFacts& inner : command.commands)
      commands +=
          StrCat(commands.empty() ? "" : " | ", Quoted(StrCat(command.name, " ", inner.word())));
    for (const OptionFacts* option : OptionsOf(command)) {
      if (option->kind.empty()) continue;
      std::string pattern;
      for (const std::string& name : option->names)
        pattern += StrCat(pattern.empty() ? "" : " | ", Quoted(StrCat(command.name, " ", name)));
      values +=
          StrCat("    ", pattern, ") ", BashReply(CompletionOf(*option, known)), "; return ;;\n");
    }
    ValueCompletion plain = ArgumentsOf(command, known);
    const std::vector<std::string> words = WordsOf(command);
    plain.words.insert(plain.words.end(), words.begin(), words.end());
    arguments +=
        StrCat("    ", Quoted(command.name), ")\n      if [[ $cur == -* ]]; then _vta_reply ",
               Quoted(Joined(NamesOf(command))), "\n      else ", BashReply(plain), "; fi ;;\n");
  });
  const std::string function = FunctionOf(program.name);
  std::string out = StrCat(function, "() {\n  local cur previous command=", Quoted(program.name),
                           " word\n  _vta_words\n");
  if (!commands.empty())
    out += StrCat("  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n",
                  "    case \"$command $word\" in\n      ", commands,
                  ") command+=\" $word\" ;;\n    esac\n  done\n");
  return StrCat(out, "  case \"$command $previous\" in\n", values,
                "  esac\n  case \"$command\" in\n", arguments, "  esac\n}\ncomplete -F ", function,
                " ", program.name, "\n");
}

std::string Bash(std::span<const CommandFacts> programs, const KnownValues& known) {
  std::string out = R"(# bash completion, made by: vta completion bash

# Sets cur and previous; "--option=value" comes from bash in three words.
_vta_words() {
  cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $previous == '=' && COMP_CWORD -gt 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
}

# _vta_reply WORDS [-f | -d]: what completes $cur; -f and -d: files or folders as well.
_vta_reply() {
  local IFS=$' \t\n'
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
  if [[ -n ${2:-} ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$2" -- "$cur")
  fi
}

)";
  for (const CommandFacts& program : programs) out += BashProgram(program, known);
  return out;
}

// --- zsh ---

// _vta is the file, which zsh loads as a function; those in it have one more _.
std::string ZshFunction(const CommandFacts& command) { return "_" + FunctionOf(command.name); }

// A description inside [ ] or behind a colon of _arguments.
std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshValue(const OptionFacts& option, const KnownValues& known) {
  const ValueCompletion value = CompletionOf(option, known);
  std::string words;
  for (const std::string& word : value.words)
    words += StrCat(words.empty() ? "" : " ", ZshText(word));
  const char* const files = value.files ? "_files" : value.folders ? "_files -/" : "";
  std::string action = StrCat("(", words, ")");
  if (words.empty())
    action = files;
  else if (*files)
    action =
        StrCat("{_alternative \"names\\:name\\:(", words, ")\" \"files\\:file\\:", files, "\"}");
  return StrCat(":", ZshText(option.kind), ":", action);
}

std::string ZshOptions(const CommandFacts& command, const KnownValues& known) {
  std::string out;
  for (const OptionFacts* option : OptionsOf(command))
    for (const std::string& name : option->names) {
      std::string spec =
          StrCat(option->repeated ? "*" : "", name, "[", ZshText(option->summary), "]");
      if (!option->kind.empty()) spec += ZshValue(*option, known);
      out += StrCat(" \\\n    ", Quoted(spec));
    }
  for (const OptionFacts& option : command.options)
    if (option.positional())
      out +=
          StrCat(" \\\n    ", Quoted(StrCat(option.repeated ? "*" : "", ZshValue(option, known))));
  return out;
}

void ZshCommand(const CommandFacts& command, const KnownValues& known, std::string& out) {
  for (const CommandFacts& inner : command.commands) ZshCommand(inner, known, out);
  out += StrCat(ZshFunction(command), "() {\n");
  if (command.commands.empty()) {
    out += StrCat("  _arguments -s", ZshOptions(command, known), "\n}\n");
    return;
  }
  std::string rows, cases;
  for (const CommandFacts& inner : command.commands) {
    std::string row = StrCat(inner.word(), ":", ZshText(inner.summary));
    rows += StrCat("    ", Quoted(row), "\n");
    cases += StrCat("    ", inner.word(), ") ", ZshFunction(inner), " ;;\n");
  }
  out += StrCat("  local curcontext=$curcontext state line\n  local -a commands=(\n", rows,
                "  )\n  _arguments -C -s", ZshOptions(command, known),
                " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n",
                "  command) _describe command commands ;;\n  rest)\n    case $words[1] in\n", cases,
                "    esac ;;\n  esac\n}\n");
}

std::string Zsh(std::span<const CommandFacts> programs, const KnownValues& known) {
  std::string names, functions, cases;
  for (const CommandFacts& program : programs) {
    names += " " + program.name;
    ZshCommand(program, known, functions);
    cases += StrCat("  ", program.name, ") ", ZshFunction(program), " ;;\n");
  }
  return StrCat("#compdef", names, "\n# zsh completion, made by: vta completion zsh\n\n", functions,
                "case $service in\n", cases, "esac\n");
}

// --- fish ---

void FishCommand(const CommandFacts& command, const std::string& condition,
                 const KnownValues& known, const std::string& program, std::string& out) {
  const std::string head = StrCat("complete -c ", program, " -n ");
  std::string above = condition;  // and no command of this one yet
  if (!command.commands.empty())
    above += StrCat(above.empty() ? "" : "; and ", "not __fish_seen_subcommand_from ",
                    Joined(WordsOf(command)));
  const std::string here = Quoted(above.empty() ? "true" : above);
  for (const CommandFacts& inner : command.commands)
    out += StrCat(head, here, " -f -a ", inner.word(), " -d ", Quoted(inner.summary), "\n");
  for (const OptionFacts& option : command.options) {
    const ValueCompletion value = CompletionOf(option, known);
    std::string line = head + here;
    if (!option.positional())
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.kind.empty()) {
      if (!option.positional()) line += value.files || value.folders ? " -r" : " -x";
      if (!value.words.empty()) line += " -a " + Quoted(Joined(value.words));
      if (option.positional()) line += value.files || value.folders ? " -F" : " -f";
    }
    out += StrCat(line, " -d ", Quoted(option.summary), "\n");
  }
  for (const CommandFacts& inner : command.commands)
    FishCommand(inner,
                StrCat(condition.empty() ? "" : condition + "; and ",
                       "__fish_seen_subcommand_from ", inner.word()),
                known, program, out);
}

std::string Fish(std::span<const CommandFacts> programs, const KnownValues& known) {
  std::string out = "# fish completion, made by: vta completion fish\n\n";
  for (const CommandFacts& program : programs) {
    out += StrCat("complete -c ", program.name, " -e\ncomplete -c ", program.name, " -f\n");
    CommandFacts everywhere{.name = program.name, .options = program.everywhere};
    FishCommand(everywhere, "", known, program.name, out);
    FishCommand(program, "", known, program.name, out);
  }
  return out;
}

struct Shell {
  std::string_view name;
  std::string (*write)(std::span<const CommandFacts>, const KnownValues&);
};
constexpr Shell kShells[] = {{"bash", Bash}, {"zsh", Zsh}, {"fish", Fish}};

}  // namespace

ValueCompletion CompletionOf(const OptionFacts& option, const KnownValues& known) {
  ValueCompletion value;
  for (const std::string& choice : option.choices)
    value.words.push_back(choice.substr(0, choice.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ")));
  const auto names = known.find(option.kind);
  if (names != known.end())
    value.words.insert(value.words.end(), names->second.begin(), names->second.end());
  value.folders = option.kind == kFolder;
  value.files = option.kind == kFile || names != known.end();
  return value;
}

std::vector<std::string> Shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

std::string Completion(const std::string& shell, std::span<const CommandFacts> programs,
                       const KnownValues& known) {
  for (const Shell& row : kShells)
    if (row.name == shell) return row.write(programs, known);
  throw UsageError("completion", "", shell, StrCat("must be one of ", Listed(Shells())));
}

}  // namespace vta::tools
