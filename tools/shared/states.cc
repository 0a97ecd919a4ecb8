#include "tools/shared/states.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

constexpr char kOption[] = "--state", kForm[] = "must be IN=OUT, an input and an output";

using Places = std::vector<int64_t>;  // of inputs or outputs among the package's tensors

std::optional<size_t> Find(const isa::Package& package, const Places& places,
                           std::string_view name) {
  for (size_t i = 0; i < places.size(); ++i)
    if (package.tensors[places[i]].name == name) return i;
  return std::nullopt;
}

std::string NamesOf(const isa::Package& package, const Places& places) {
  std::vector<std::string> names;
  for (const int64_t place : places) names.push_back(package.tensors[place].name);
  return names.empty() ? "none" : Listed(names);
}

std::string TypeText(const isa::PackageTensor& tensor) {
  return StrCat(isa::ElementTypeName(tensor.type), " ", ShapeText(tensor.shape));
}

/// Names may have an =, too: the first that parts an input from an output does.
std::pair<size_t, size_t> Parse(const isa::Package& package, const std::string& text) {
  std::optional<size_t> input;
  for (size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const auto in = Find(package, package.inputs, text.substr(0, at));
    if (in && !input) input = in;
    const auto out = Find(package, package.outputs, text.substr(at + 1));
    if (in && out) return {*in, *out};
  }
  throw UsageError(
      kOption, "", text,
      input ? StrCat("the model has no such output; it has ", NamesOf(package, package.outputs))
            : StrCat("the model has no such input; it has ", NamesOf(package, package.inputs)));
}

/// What a state begins with.
std::vector<uint8_t> FirstOf(const isa::PackageTensor& tensor, const std::string& file,
                             ParseFunction* parse) {
  if (file.empty()) return std::vector<uint8_t>(tensor.bytes());
  auto samples = parse(ReadFile(file), file, tensor, {});
  if (samples.size() != 1)
    throw Error(
        file, "samples", StrCat(samples.size()),
        StrCat("must be one, with which ", tensor.name, " begins, as ", kOption, " has it"));
  RequireFinite(samples[0], tensor, file);
  return std::move(samples[0]);
}

}  // namespace

CLI::Option* AddStateTo(CLI::App& app, std::vector<std::string>* states) {
  return app
      .add_option(kOption, *states,
                  "an input that is an output for the sample before: zeros for the first, or what "
                  "its --input holds; may be repeated")
      ->check(CLI::Validator(
          [](std::string& text) {
            const size_t equals = text.find('=');
            const bool good = equals != std::string::npos && equals > 0 && text.back() != '=';
            return good ? std::string() : StrCat(text, " ", kForm);
          },
          ""))
      ->allow_extra_args(false)
      ->type_name("IN=OUT");
}

States::States(const isa::Package& package, const std::vector<std::string>& options) {
  for (const std::string& text : options) {
    const auto [input, output] = Parse(package, text);
    const isa::PackageTensor& in = package.tensors[package.inputs[input]];
    const isa::PackageTensor& out = package.tensors[package.outputs[output]];
    if (in.type != out.type || in.shape != out.shape)
      throw UsageError(kOption, "", text,
                       StrCat(in.name, " is ", TypeText(in), " and ", out.name, " is ",
                              TypeText(out), ": must be of one type and shape"));
    if (IsState(input)) throw UsageError(kOption, "", text, "gives an input a second output");
    pairs_.emplace_back(input, output);
  }
}

bool States::IsState(size_t input) const {
  return std::ranges::any_of(pairs_, [&](const auto& pair) { return pair.first == input; });
}

Inputs States::ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                          const Encoding& encoding, uint64_t seed, ParseFunction* parse) const {
  isa::Package fed;  // of which only these count
  fed.tensors = package.tensors;
  for (size_t i = 0; i < package.inputs.size(); ++i)
    if (!IsState(i)) fed.inputs.push_back(package.inputs[i]);
  const bool for_all = !files.empty() && files.size() == package.inputs.size();
  if (!for_all && !files.empty() && files.size() != fed.inputs.size())
    throw UsageError("--input", "", Counted(files.size(), "file"),
                     StrCat("the model has ", package.inputs.size(), "; give --input once for each",
                            pairs_.empty() ? ""
                                           : StrCat(", or once for each of the ", fed.inputs.size(),
                                                    " that are no state")));
  std::vector<std::string> of_fed;
  for (size_t i = 0; i < files.size(); ++i)
    if (!for_all || !IsState(i)) of_fed.push_back(files[i]);
  Inputs inputs;
  if (fed.inputs.empty())
    inputs.samples.resize(1);
  else
    inputs = tools::ReadInputs(fed, of_fed, encoding, seed, parse);
  std::vector<std::vector<uint8_t>> first(package.inputs.size());
  for (size_t i = 0; i < first.size(); ++i)
    if (IsState(i))
      first[i] = FirstOf(package.tensors[package.inputs[i]], for_all ? files[i] : "", parse);
  for (std::vector<std::vector<uint8_t>>& sample : inputs.samples) {
    std::vector<std::vector<uint8_t>> whole = first;
    size_t next = 0;
    for (size_t i = 0; i < whole.size(); ++i)
      if (!IsState(i)) whole[i] = std::move(sample[next++]);
    sample = std::move(whole);
  }
  return inputs;
}

void States::Carry(const std::vector<std::vector<uint8_t>>& outputs,
                   std::vector<std::vector<uint8_t>>& inputs) const {
  for (const auto& [input, output] : pairs_) inputs[input] = outputs[output];
}

}  // namespace vta::tools
