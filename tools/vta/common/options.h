// What the commands demand of their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "isa/asm.h"
#include "tools/help/command_facts.h"
#include "tools/shared/output_files.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"

namespace vta::tools {

/// Says what the values of an option are: files that the command reads, accelerator configs (a
/// shipped name or a file), tables of energies (the same), files that it writes, or folders that it
/// fills. Help and completion show it, and CheckFiles goes by it.
CLI::Option* ReadsFile(CLI::Option* option);
CLI::Option* ReadsConfig(CLI::Option* option);
CLI::Option* ReadsEnergyTable(CLI::Option* option);
CLI::Option* WritesFile(CLI::Option* option);
CLI::Option* WritesFolder(CLI::Option* option);

/// Declares --threads, of what runs on the CPU.
void AddCpuThreadsTo(CLI::App& app, int64_t* threads);

/// Holds every file that a parsed command line writes against every file that it reads.
/// Errors: as CheckOutputs; throws UsageError for a config that is none.
void CheckFiles(const CLI::App& app);

/// Loads configs that a file of the command line names: files that are read as well.
/// Errors: as FindConfig and CheckOutputs. `app` is borrowed.
isa::ConfigLoader ConfigsBeside(const CLI::App& app);

}  // namespace vta::tools
