// Sizes of a model's symbolic dimensions, as a command line gives them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// Declares --dim NAME=SIZE.
CLI::Option* AddDimTo(CLI::App& app, std::vector<std::string>* dims);

/// Of what that option took. Errors: throws UsageError where a dimension has two sizes.
std::map<std::string, int64_t> Dimensions(const std::vector<std::string>& dims);

}  // namespace vta::tools
