#include "tools/vta/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace vta::tools {
namespace {

struct CommandRow {
  std::string_view group, name, summary;
  AddCommand add;
  std::string_view example = {};  // its words after "vta"
};

// The groups go from the one with the fewest commands to the one with the most.
constexpr CommandRow kRows[] = {
    {"To begin with", "demo", "compile and run the shipped network, check and report it",
     AddDemoCommand, "demo -c small_8x8"},
    {"To begin with", "run", "run a model or package on an engine, compare and report",
     AddRunCommand, "run net.onnx -c ultra96 --input in.bin --output out.bin --report report.json"},

    {"Programs", "exec", "prove raw instruction streams and run them on a flat DRAM image",
     AddExecCommand, "exec dram.img --insn 0x1000 --count 11 -c vta_0.0.2 -o after.img"},
    {"Programs", "check", "prove that no timing can break a program", AddCheckCommand,
     "check net.vta"},
    {"Programs", "asm", "assemble program text to a DRAM image or a package", AddAsmCommand,
     "asm program.s -o program.img"},
    {"Programs", "dis", "print a program as text", AddDisCommand, "dis net.vta"},

    {"The tool itself", "version", "say which vta this is, as --version does", AddVersionCommand},
    {"The tool itself", "help", "print what a command takes, as its --help does", AddHelpCommand,
     "help hw pnr"},
    {"The tool itself", "man", "print or write manual pages", AddManCommand, "man run | man -l -"},
    {"The tool itself", "completion", "print what completes command lines in a shell",
     AddCompletionCommand, "completion bash -o ~/.local/share/bash-completion/completions/vta"},

    {"Networks", "compile", "compile a model to a package", AddCompileCommand,
     "compile net.onnx -c pynq -o net.vta"},
    {"Networks", "quantize", "quantise a float network with samples of its inputs",
     AddQuantizeCommand, "quantize net.onnx --data in.npy -o net_int8.onnx"},
    {"Networks", "eval",
     "accuracy of a network in float and quantised, and the error of each layer", AddEvalCommand,
     "eval net.onnx --data in.npy --labels labels.txt"},
    {"Networks", "model", "write a known network with seeded weights as ONNX", AddModelCommand,
     "model resnet18 -o resnet18.onnx"},
    {"Networks", "tune", "search for quicker schedules of a network's layers, and log them",
     AddTuneCommand, "tune net.onnx -c pynq --log pynq.jsonl"},

    {"Other machines", "serve", "give devices to other machines, each to one client at a time",
     AddServeCommand, "serve --device cycle --listen 127.0.0.1:7227"},
    {"Other machines", "tracker", "join servers, so that a client gets a device of whichever",
     AddTrackerCommand, "tracker --listen 127.0.0.1:7229"},
    {"Other machines", "devices", "list what a server has, who has it and who waits",
     AddDevicesCommand, "devices 127.0.0.1:7227"},
    {"Other machines", "deploy", "put a server and a package on a board, and test both",
     AddDeployCommand, "deploy my.vta --to root@ultra96 --device uio"},
    {"Other machines", "worker", "do work that searches on other machines give out",
     AddWorkerCommand, "worker --nats nats://10.0.0.1:4222"},
    {"Other machines", "farm", "start what gives the work of searches out", AddFarmCommand,
     "farm up --listen 127.0.0.1:7228"},

    {"Hardware and measures", "hw",
     "check the RTL of a config, say what it takes of an FPGA, place and route it", AddHwCommand,
     "hw area -c pynq --part xc7z020"},
    {"Hardware and measures", "isa", "print the ISA manual and generated files of a config",
     AddIsaCommand, "isa --sv -c small.json"},
    {"Hardware and measures", "bench", "measure simulators and the CPU beside their peers",
     AddBenchCommand, "bench cycle -c default --json"},
    {"Hardware and measures", "measure", "say what kernels take on a GPU", AddMeasureCommand,
     "measure net.vta --device cuda:0"},
    {"Hardware and measures", "report", "compare the reports of two runs", AddReportCommand,
     "report diff before.json after.json"},
    {"Hardware and measures", "explore",
     "cost many accelerator variants with networks, and say which nothing beats", AddExploreCommand,
     "explore resnet18 --space space.json -o results"},
};

}  // namespace

std::function<int()> AddCommands(CLI::App& app) {
  app.require_subcommand(1);
  auto run = std::make_shared<std::function<int()>>();
  for (const CommandRow& row : kRows) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
    command->group(std::string(row.group));
    command->callback([run, action = row.add(*command)] { *run = action; });
    if (!row.example.empty()) command->footer("Example: vta " + std::string(row.example));
  }
  app.footer("vta COMMAND --help says more. Exit status: 0 done, 1 failed, 2 wrong usage.");
  return [run] { return (*run)(); };
}

}  // namespace vta::tools
