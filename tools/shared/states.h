// Inputs of a network that are its outputs for the sample before: IN=OUT.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/shared/inferences.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vta::tools {

/// Declares --state IN=OUT.
CLI::Option* AddStateTo(CLI::App& app, std::vector<std::string>* states);

class States {
 public:
  States() = default;
  /// What that option took. Errors: throws UsageError where a text names no input and output of
  /// the package, they are not of one type and shape, or an input is a state already.
  States(const isa::Package& package, const std::vector<std::string>& options);

  /// As tools::ReadInputs, of one file for each input, or for each that is no state. A state's
  /// file, in its own type, has one sample, with which it begins; without one it begins with zeros.
  /// Errors: so too; throws UsageError for another number of files.
  Inputs ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                    const Encoding& encoding, uint64_t seed,
                    ParseFunction* parse = ParseSamples) const;
  /// Gives the states of a sample's inputs the outputs of the sample before.
  void Carry(const std::vector<std::vector<uint8_t>>& outputs,
             std::vector<std::vector<uint8_t>>& inputs) const;

 private:
  bool IsState(size_t input) const;

  std::vector<std::pair<size_t, size_t>> pairs_;  // of the inputs' and the outputs' lists
};

}  // namespace vta::tools
