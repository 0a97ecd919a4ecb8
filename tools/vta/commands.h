// The commands of the vta tool. A command is one file with one Add function, and one row in
// commands.cc.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace vta::tools {

/// Declares a command's options on `app` and returns what it does once they are parsed: the exit
/// status (0 done, 1 failed). What a user caused is thrown as Error. Results go to stdout,
/// diagnostics to stderr.
using AddCommand = std::function<int()> (*)(CLI::App& app);

struct CommandRow {
  std::string_view name;
  std::string_view summary;
  AddCommand add;
  std::string_view example = {};  // its words after "vta"
};

/// Every command, in the order in which --help lists them.
std::span<const CommandRow> Commands();

std::function<int()> AddDemoCommand(CLI::App& app);
std::function<int()> AddRunCommand(CLI::App& app);
std::function<int()> AddCompileCommand(CLI::App& app);
std::function<int()> AddAsmCommand(CLI::App& app);
std::function<int()> AddCheckCommand(CLI::App& app);
std::function<int()> AddDisCommand(CLI::App& app);
std::function<int()> AddBenchCommand(CLI::App& app);
std::function<int()> AddExecCommand(CLI::App& app);
std::function<int()> AddHwCommand(CLI::App& app);
std::function<int()> AddIsaCommand(CLI::App& app);
std::function<int()> AddEvalCommand(CLI::App& app);
std::function<int()> AddQuantizeCommand(CLI::App& app);
std::function<int()> AddModelCommand(CLI::App& app);
std::function<int()> AddReportCommand(CLI::App& app);

}  // namespace vta::tools
