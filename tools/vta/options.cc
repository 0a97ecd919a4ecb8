#include "tools/vta/options.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

// What the values of options are, as help shows it.
constexpr char kRead[] = "FILE", kConfig[] = "CONFIG", kWritten[] = "OUT";

// The values of the options of a kind, of the app and the commands in it that were named.
std::vector<std::string> ValuesOf(const CLI::App& app, const std::string& kind) {
  std::vector<std::string> values;
  const auto add = [&](const std::vector<std::string>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  for (const CLI::Option* option : app.get_options())
    if (option->get_type_name() == kind) {
      if (option->count() > 0)
        add(option->results());
      else if (!option->get_default_str().empty())
        add({option->get_default_str()});
    }
  for (const CLI::App* command : app.get_subcommands()) add(ValuesOf(*command, kind));
  const auto is_group = [](const CLI::App* inner) { return inner->get_name().empty(); };
  for (const CLI::App* group : app.get_subcommands(is_group)) add(ValuesOf(*group, kind));
  return values;
}

std::string Canonical(const std::string& path) {
  std::error_code failed;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(LinkTarget(path), failed), failed);
  return failed ? path : canonical.string();
}

// A pipe or a device takes any number of outputs.
bool IsStream(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && fs::is_other(path, ignored);
}

}  // namespace

CLI::Validator Unsigned64(const std::string& what) {
  return CLI::Validator(
      [=](std::string& text) {
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
        uint64_t value = 0;
        const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
        return error == std::errc() && stop == end
                   ? std::string()
                   : StrCat(text, " must be ", what, ", 0 to 2^64 - 1, decimal or hex (0x...)");
      },
      "");
}

CLI::Validator IntegerFrom(int64_t low, int64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        int64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_integer = error == std::errc() && stop == text.data() + text.size();
        return is_integer && value >= low && value <= high
                   ? std::string()
                   : StrCat(text, " must be an integer, ", low, " to ", high);
      },
      "");
}

CLI::Validator OneOf(std::vector<std::string> names) {
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        for (const std::string& name : names)
          if (name == text) return std::string();
        return StrCat(text, " must be one of ", Listed(names));
      },
      "");
}

CLI::Option* ReadsFile(CLI::Option* option) { return option->type_name(kRead); }
CLI::Option* ReadsConfig(CLI::Option* option) { return option->type_name(kConfig); }
CLI::Option* WritesFile(CLI::Option* option) { return option->type_name(kWritten); }

void CheckFiles(const CLI::App& app) {
  std::vector<std::string> read = ValuesOf(app, kRead);
  for (const std::string& config : ValuesOf(app, kConfig)) read.push_back(ConfigFile(config));
  CheckOutputs(ValuesOf(app, kWritten), read);
}

isa::ConfigLoader ConfigsBeside(const CLI::App& app) {
  return [&app](const std::string& config) {
    CheckOutputs(ValuesOf(app, kWritten), {ConfigFile(config)});
    return FindConfig(config);
  };
}

void CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::set<std::string> taken, read;
  for (const std::string& input : inputs) read.insert(Canonical(input));
  for (const std::string& output : outputs) {
    if (output.empty()) throw UsageError("", "file name", "\"\"", "must not be empty");
    RequireWritable(output);
    if (IsStream(output)) continue;
    if (read.contains(Canonical(output)))
      throw UsageError(output, "output", "", "is also an input, which it would replace");
    if (!taken.insert(Canonical(output)).second)
      throw UsageError(output, "output", "", "is named twice");
  }
}

void CheckFolder(const std::string& path) {
  if (path.empty()) throw UsageError("", "folder name", "\"\"", "must not be empty");
  fs::path folder = Canonical(path);
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  const bool is_folder = fs::is_directory(folder, ignored);
  if (!is_folder || access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(path, is_folder ? "cannot write" : "cannot create", "",
                std::strerror(is_folder ? errno : ENOTDIR));
}

}  // namespace vta::tools
