// The commands of the vta tool. A command is one file with one Add function, and one row in
// commands.cc.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace vta::tools {

/// Declares every command on `app`, in the order in which --help lists them. Returns what does the
/// one that was parsed: the exit status.
std::function<int()> AddCommands(CLI::App& app);

/// Declares a command's options on `app` and returns what it does once they are parsed: the exit
/// status (0 done, 1 failed). What a user caused is thrown as Error. Results go to stdout,
/// diagnostics to the log.
using AddCommand = std::function<int()> (*)(CLI::App& app);

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
std::function<int()> AddMeasureCommand(CLI::App& app);
std::function<int()> AddModelCommand(CLI::App& app);
std::function<int()> AddTuneCommand(CLI::App& app);
std::function<int()> AddExploreCommand(CLI::App& app);
std::function<int()> AddServeCommand(CLI::App& app);
std::function<int()> AddTrackerCommand(CLI::App& app);
std::function<int()> AddDevicesCommand(CLI::App& app);
std::function<int()> AddDeployCommand(CLI::App& app);
std::function<int()> AddWorkerCommand(CLI::App& app);
std::function<int()> AddFarmCommand(CLI::App& app);
std::function<int()> AddReportCommand(CLI::App& app);
std::function<int()> AddVersionCommand(CLI::App& app);
std::function<int()> AddHelpCommand(CLI::App& app);
std::function<int()> AddManCommand(CLI::App& app);
std::function<int()> AddCompletionCommand(CLI::App& app);

}  // namespace vta::tools
