#include "tools/vta/sample_options.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "tools/shared/validators.h"

namespace vta::tools {

void AddEncodingTo(CLI::App& app, Encoding* encoding, CLI::Option* files) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  app.add_option("--input-type", encoding->type,
                 "element type in the input files, where it is not the model's")
      ->check(OneOf(StoredTypeNames()))
      ->needs(files);
  app.add_option("--input-scale", encoding->scale, "value = (stored - zero point) * scale")
      ->check(Positive())
      ->needs(files)
      ->capture_default_str();
  app.add_option("--input-zero-point", encoding->zero_point, "what is stored for 0")
      ->check(NumberFrom(-kLargest, kLargest, "must be a finite number"))
      ->needs(files)
      ->capture_default_str();
  app.add_option("--input-layout", encoding->layout,
                 "where the files have channels, if not where the model has them: nhwc, behind "
                 "height and width, or nchw, before them")
      ->check(OneOf({kChannelsLast, kChannelsFirst}))
      ->needs(files);
}

}  // namespace vta::tools
