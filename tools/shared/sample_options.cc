#include "tools/shared/sample_options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "tools/shared/pictures.h"
#include "tools/shared/validators.h"

namespace vta::tools {
namespace {

// A finite number, or the quotient of two, such as 1/255.
std::optional<double> Number(const std::string& text) {
  const size_t slash = text.find('/');
  double value = 0, divisor = 1;
  if (!CLI::detail::lexical_cast(text.substr(0, slash), value)) return std::nullopt;
  if (slash != std::string::npos && !CLI::detail::lexical_cast(text.substr(slash + 1), divisor))
    return std::nullopt;
  value /= divisor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Numbers with commas between them, each greater than `above`.
std::vector<double> Numbers(const std::string& option, const std::string& text, double above) {
  std::vector<double> numbers;
  for (const std::string& word : SplitList(text)) {
    const std::optional<double> number = Number(word);
    if (!number || !(*number > above))
      throw CLI::ValidationError(
          option, StrCat(word, " must be a finite number", above == 0 ? " above 0" : ""));
    numbers.push_back(*number);
  }
  return numbers;
}

constexpr double kAny = -std::numeric_limits<double>::infinity();

}  // namespace

void AddEncodingTo(CLI::App& app, Encoding* encoding, CLI::Option* files) {
  app.option_defaults()->group("Inputs");
  const auto numbers = [&](const std::string& option, const std::string& help, double above,
                           const std::function<void(std::vector<double>)>& set) {
    return app
        .add_option_function<std::string>(
            option, [=](const std::string& text) { set(Numbers(option, text, above)); }, help)
        ->needs(files);
  };
  const auto one = [](const std::string& option, double* value) {
    return [=](const std::vector<double>& values) {
      if (values.size() > 1) throw CLI::ValidationError(option, "takes one number");
      *value = values[0];
    };
  };
  app.add_option("--input-type", encoding->type,
                 "element type in the input files, where it is not the model's")
      ->check(OneOf(StoredTypeNames()))
      ->needs(files);
  numbers("--input-scale", "value = ((stored - zero point) * scale - mean) / std; such as 1/255", 0,
          one("--input-scale", &encoding->scale));
  numbers("--input-zero-point", "what is stored for 0", kAny,
          one("--input-zero-point", &encoding->zero_point));
  numbers("--input-mean", "one number, or one for each channel, with commas between them", kAny,
          [=](std::vector<double> values) { encoding->mean = std::move(values); });
  numbers("--input-std",
          "of the same form; values have this deviation where the network was trained", 0,
          [=](std::vector<double> values) { encoding->std = std::move(values); });
  app.add_option("--input-layout", encoding->layout,
                 "where the files have channels: nhwc, behind height and width, or nchw, before "
                 "them; of pictures, where the model has them, if its shape does not say")
      ->check(OneOf({kChannelsLast, kChannelsFirst}))
      ->needs(files);
  app.option_defaults()->group("Pictures");
  app.add_option_function<std::string>(
         "--input-order", [=](const std::string& order) { encoding->blue_first = order == "bgr"; },
         "of the colours of pictures: rgb, or bgr as some networks were trained")
      ->check(OneOf({"rgb", "bgr"}))
      ->needs(files);
  CLI::Option* resize =
      app.add_option("--resize", encoding->size.resize,
                     "pictures become as large as the model's input: stretch; crop, which keeps "
                     "their shape and the middle; pad, which keeps their shape, on black")
          ->check(OneOf(ResizeNames()))
          ->needs(files);
  app.add_option("--resize-filter", encoding->size.filter,
                 StrCat("as Pillow's: ", Listed(FilterNames())))
      ->check(OneOf(FilterNames()))
      ->needs(resize)
      ->capture_default_str();
  constexpr int64_t kMostPixelsASide = 65535;
  app.add_option_function<int64_t>(
         "--resize-size",
         [=](int64_t size) {
           if (encoding->size.resize != "crop")
             throw CLI::ValidationError("--resize-size", "is for --resize crop");
           encoding->size.shorter = size;
         },
         "with crop: what the shorter side becomes before the middle is cut out, such as 256 for "
         "224; just enough where it is left out")
      ->check(IntegerFrom(1, kMostPixelsASide))
      ->needs(resize);
  app.option_defaults()->group("Inputs");
}

}  // namespace vta::tools
