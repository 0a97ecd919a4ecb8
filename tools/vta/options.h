// What the commands demand of their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

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

/// Refuses, before anything runs, what could not be written at the end.
/// Errors: throws Error naming an output file that is named twice, is also an input, or lies where
/// nothing can be written.
void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Refuses, before anything runs, a folder that could not be made or written into.
/// Errors: throws Error naming it.
void CheckFolder(const std::string& path);

}  // namespace vta::tools
