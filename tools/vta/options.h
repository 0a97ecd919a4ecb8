// What the commands demand of their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "isa/asm.h"
#include "tools/vta/usage.h"

namespace vta::tools {

/// A finite number in [low, high], refused as a usage error that says `rule`.
inline CLI::Validator NumberFrom(double low, double high, const std::string& rule) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string() : text + " " + rule;
      },
      "");
}

/// A number of 64 bits without sign, decimal or hexadecimal (0x...), refused as a usage error that
/// says so of `what`.
CLI::Validator Unsigned64(const std::string& what);

/// An integer in [low, high], refused as a usage error that says both.
CLI::Validator IntegerFrom(int64_t low, int64_t high);

/// One of some names, refused as a usage error that lists them.
CLI::Validator OneOf(std::vector<std::string> names);

/// Says what the values of an option are: files that the command reads, accelerator configs (a
/// shipped name or a file), or files that it writes. Help shows it, and CheckFiles goes by it.
CLI::Option* ReadsFile(CLI::Option* option);
CLI::Option* ReadsConfig(CLI::Option* option);
CLI::Option* WritesFile(CLI::Option* option);

/// Holds every file that a parsed command line writes against every file that it reads.
/// Errors: as CheckOutputs; throws UsageError for a config that is none.
void CheckFiles(const CLI::App& app);

/// Loads configs that a file of the command line names: files that are read as well.
/// Errors: as FindConfig and CheckOutputs. `app` is borrowed.
isa::ConfigLoader ConfigsBeside(const CLI::App& app);

/// Refuses, before anything runs, what could not be written at the end.
/// Errors: throws UsageError naming an output file without a name, that is named twice, or is also
/// an input; and Error naming one that lies where nothing can be written.
void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Refuses, before anything runs, a folder that could not be made or written into.
/// Errors: throws UsageError for one without a name; and Error naming it.
void CheckFolder(const std::string& path);

}  // namespace vta::tools
