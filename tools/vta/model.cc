// vta model NAME -o F.onnx
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "tools/vta/commands.h"
#include "tools/vta/options.h"

namespace vta::tools {

std::function<int()> AddModelCommand(CLI::App& app) {
  struct Options {
    std::string name, path, type = compiler::kModelTypes[0].name;
    uint64_t seed = 1;
  };
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  app.add_option("NAME", options->name, StrCat("one of ", Listed(names)))
      ->required()
      ->check(OneOf(names));
  std::vector<std::string> types;
  for (const auto& known : compiler::kModelTypes) types.emplace_back(known.name);
  app.add_option("--type", options->type,
                 StrCat("what it computes in: ", Listed(types),
                        "; int8 and uint8 are the types of activations, of weights int8"))
      ->check(OneOf(types))
      ->capture_default_str();
  WritesFile(app.add_option("-o,--output", options->path, "the ONNX file to write"))->required();
  app.add_option("--seed", options->seed, "seed of the weights")
      ->check(Unsigned64("an integer"))
      ->capture_default_str();
  return [options] {
    const auto* type =
        std::ranges::find(compiler::kModelTypes, options->type, &compiler::ModelTypeInfo::name);
    compiler::BuildModel(options->name, options->seed, options->path, type->type);
    return 0;
  };
}

}  // namespace vta::tools
