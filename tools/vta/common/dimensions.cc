#include "tools/vta/common/dimensions.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>

#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

constexpr char kDimRule[] = "must be NAME=SIZE, with a size of 1 or more";

// NAME and SIZE of a symbolic dimension; nothing unless the text is that.
std::optional<std::pair<std::string, int64_t>> Dimension(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string::npos) return std::nullopt;
  int64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, size);
  if (error != std::errc() || stop != end || size < 1) return std::nullopt;
  return std::pair(text.substr(0, equals), size);
}

}  // namespace

CLI::Option* AddDimTo(CLI::App& app, std::vector<std::string>* dims) {
  return app.add_option("--dim", *dims, "size of a symbolic dimension; may be repeated")
      ->check(CLI::Validator(
          [](std::string& text) {
            return Dimension(text) ? std::string() : StrCat(text, " ", kDimRule);
          },
          ""))
      ->allow_extra_args(false)
      ->type_name("NAME=SIZE");
}

std::map<std::string, int64_t> Dimensions(const std::vector<std::string>& dims) {
  std::map<std::string, int64_t> out;
  for (const std::string& text : dims)
    if (!out.insert(*Dimension(text)).second)
      throw UsageError("--dim", "", text, "gives a dimension a second size");
  return out;
}

}  // namespace vta::tools
