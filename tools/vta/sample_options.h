// The options that say how files hold a model's inputs.
#pragma once

#include "tools/shared/encoding.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// Declares --input-type and those beside it; each needs `files`, the option that names the files.
void AddEncodingTo(CLI::App& app, Encoding* encoding, CLI::Option* files);

}  // namespace vta::tools
