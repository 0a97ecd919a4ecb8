#include "tools/vta/common/assume.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "compiler/frontend/model.h"
#include "compiler/quantize/assume.h"
#include "isa/support/error.h"
#include "tools/shared/log.h"
#include "tools/vta/common/graph_runner.h"

namespace vta::tools {
namespace {

constexpr uint32_t kUsualSeed = 1;

/// Nothing where the text is not what the option takes.
std::optional<uint32_t> SeedOf(std::string_view text) {
  constexpr std::string_view kForm = "int8";
  if (!text.starts_with(kForm)) return std::nullopt;
  text.remove_prefix(kForm.size());
  if (text.empty()) return kUsualSeed;
  uint32_t seed = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), seed);
  const bool good = text[0] == ':' && error == std::errc() && end == text.data() + text.size();
  return good ? std::optional(seed) : std::nullopt;
}

}  // namespace

CLI::Option* AddAssumeTo(CLI::App& app, std::string* assume) {
  return app
      .add_option("--assume", *assume,
                  "int8, or int8:SEED, for cycles alone: a network in float or of shapes gets int8 "
                  "codes and scales from random inputs, and random weights where it has none")
      ->type_name("FORM")
      ->check(CLI::Validator(
          [](std::string& text) {
            return SeedOf(text) ? std::string()
                                : text + " must be int8, or int8:SEED with a seed up to 2^32 - 1";
          },
          ""));
}

ImportedModel ImportAssuming(const std::string& model, compiler::ImportOptions options,
                             const std::string& assume, const std::optional<isa::Config>& config) {
  options.on_left_out = [&](const std::string& layer) {
    Log(LogLevel::kWarning, StrCat(model, ": left out: ", layer));
  };
  if (assume.empty()) return {compiler::ImportModelFile(model, options), std::nullopt};
  const uint32_t seed = *SeedOf(assume);
  isa::Assumption assumed{.seed = seed};
  options.weights_seed = seed;
  options.on_random_weights = [&](const std::string&) { ++assumed.weights; };
  const compiler::Graph imported = compiler::ImportModelFile(model, options);
  try {
    compiler::Graph graph = compiler::quantize::Assume(imported, seed, config, OnCpu());
    Log(LogLevel::kWarning, StrCat(model, ": ", TextOf(assumed), ": outputs mean nothing"));
    return {std::move(graph), assumed};
  } catch (const Error& error) {
    throw error.In(model);
  }
}

}  // namespace vta::tools
