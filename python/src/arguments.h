// Options of the tool's commands, given by keywords: the same names, values and refusals.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vta::python {

class Arguments {
 public:
  Arguments();
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// To declare the options in.
  CLI::App& app() { return *app_; }

  /// Takes {"memory_limit": "64M"} as --memory-limit=64M. None is left out, and a flag is True or
  /// False. A list is the option several times where it may be given so, else words with commas
  /// between them; a dict the same of KEY=VALUE.
  /// Errors: throws Error naming option, value and rule, with the tool's words.
  void Parse(const nanobind::dict& options, const std::vector<std::string>& positional = {});

 private:
  std::unique_ptr<CLI::App> app_;
  std::map<std::string, std::vector<std::string>> given_;  // values by options
};

/// A str, or what os.fspath gives of a path. Errors: throws Error naming what else it is.
std::string TextOf(nanobind::handle value, const std::string& what);

/// The JSON of a dict, "" of anything else.
std::string JsonOf(nanobind::handle value);

/// The same options once more, to be changed.
nanobind::dict CopyOf(const nanobind::dict& options);

}  // namespace vta::python
