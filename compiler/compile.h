// The compile driver: an imported graph, a config and targets in; a package out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/memory_plan.h"
#include "compiler/lower/cpu.h"
#include "compiler/lower/kernel.h"
#include "compiler/targets/code_target.h"
#include "compiler/tune/chooser.h"
#include "isa/package.h"

namespace vta::compiler {

/// A module's code, and where it is to be dumped the text of its stages.
struct ModuleCode {
  std::vector<uint8_t> code;
  std::vector<Dump> dumps;
};

/// The steps of a loop::Schedule, and the file that they are from.
struct ScheduleTrace {
  std::string text, file;
};

struct CompileOptions {
  /// Of the accelerator that a target makes programs for; absent where none does.
  std::optional<isa::Config> config;
  /// Absent: as the graph has it.
  std::optional<isa::Rounding> rounding;
  /// In order of preference. The last takes what no other took.
  std::span<const CodeTarget* const> targets;
  /// By targets' names who chooses among the schedules of their steps; targets without one take
  /// what they estimate to be the best.
  std::map<std::string, tune::Chooser*> choosers;
  /// Steps by a node's name, and the traces that are their schedules.
  std::map<std::string, ScheduleTrace> traces;
  /// Is told why a trace does not apply; the step then has the schedule that it has without. Empty:
  /// that is an error.
  std::function<void(const std::string& why)> on_unusable_trace;
  /// Nodes by their names, and the targets that they must go to.
  std::map<std::string, std::string> places;
  /// What kernels are made for, a module each, in order of preference, and what makes the code of
  /// one.
  std::span<const lower::CpuSpec> cpus;
  std::function<ModuleCode(std::span<const lower::Kernel>, const lower::CpuSpec&, bool dump)>
      build_module;
  /// Where the text of each stage is written; empty for nowhere.
  std::string dump_dir;
  /// Is told what is done from now on, and which of how many parts of the whole it is, counted from
  /// 1: passes, the steps one by one, and the kernels of each CPU. May be empty.
  std::function<void(const std::string& what, int64_t number, int64_t total)> on_phase;
};

struct CompileResult {
  isa::Package package;
  std::vector<loop::Function> kernels;  // what the package's modules compute
};

/// Errors: throws Error naming the pass, node or step, and the rule, or the file of a trace, the
/// step of it and the rule; nothing is written but dumps.
CompileResult Compile(const Graph& imported, const CompileOptions& options);

/// The part of Compile that no config, target or schedule changes: what is compiled for many of
/// them is normalised once. Errors: as Compile.
Graph Normalize(const Graph& imported);
/// The rest of it, without the facts of the outputs. `options.rounding` and `dump_dir` are left
/// alone.
CompileResult CompileNormalized(Graph normalized, const CompileOptions& options);

}  // namespace vta::compiler
