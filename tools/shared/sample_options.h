// The options that say how files hold a model's inputs.
#pragma once

#include <string_view>

#include "tools/shared/encoding.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// What files of inputs are, for help.
inline constexpr char kInputHelp[] =
    "raw samples, back to back; a tensor (*.npy); a picture (*.png, *.jpg, *.ppm, *.pgm), a folder "
    "of them or a list (*.txt, a path a line)";

/// Declares --input-type and those beside it; each needs `files`, the option that names the files.
void AddEncodingTo(CLI::App& app, Encoding* encoding, CLI::Option* files);

/// Their names.
inline constexpr std::string_view kEncodingOptions[] = {
    "--input-type",   "--input-scale", "--input-zero-point", "--input-mean",    "--input-std",
    "--input-layout", "--input-order", "--resize",           "--resize-filter", "--resize-size"};

}  // namespace vta::tools
