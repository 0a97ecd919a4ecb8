// What narrow arithmetic costs: how far a network is off on a variant.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/support/temporary.h"

namespace vta::tools {

class Accuracy {
 public:
  /// `options`: of vta eval, with blanks between: the data, labels, what samples are stored as.
  /// Without any there is nothing to be had.
  Accuracy(const std::string& model, const std::vector<std::string>& dims,
           const std::string& options);

  bool is_asked() const { return !words_.empty(); }
  /// Percent: with labels of the samples whose class is wrong; without, the noise of the outputs
  /// beside those without codes between layers, as a share of their amplitude. Runs vta eval once
  /// for each arithmetic there is.
  /// Errors: throws Error where that fails.
  double ErrorOf(const isa::Config& config);
  /// Of what was asked before; 0 of others, of which it is the least.
  double LeastErrorOf(const isa::Config& config) const;

 private:
  std::vector<std::string> words_;
  const Temporary folder_{NewTemporaryFolder("vta-explore")};
  std::map<std::string, double> errors_;  // by arithmetic
};

}  // namespace vta::tools
