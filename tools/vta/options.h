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

/// Refuses, before anything runs, what could not be written at the end.
/// Errors: throws Error naming an output file that is named twice, is also an input, or lies where
/// nothing can be written.
void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace vta::tools
