// What narrow arithmetic costs: how far a network is off on a variant.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/support/temporary.h"
#include "tools/vta/common/workload.h"

namespace vta::tools {

class OutputErrors {
 public:
  /// `model`, `files`: as ModelFile has them. `options`: of vta eval, with blanks between: the
  /// data, labels, what samples are stored as. Without any there is nothing to be had. `on_wait`:
  /// as of RunSelf.
  OutputErrors(const std::string& model, const ModelFiles& files,
               const std::vector<std::string>& dims, const std::string& options,
               std::function<void()> on_wait);

  bool is_asked() const { return !words_.empty(); }
  /// Percent: with labels of the samples whose class is wrong; without, the noise of the outputs
  /// beside those without codes between layers, as a share of their amplitude. Runs vta eval once
  /// for each arithmetic there is.
  /// Errors: throws Error where that fails.
  double ErrorOf(const isa::Config& config);
  /// Of what was asked before; 0 of others, of which it is the least.
  double LeastErrorOf(const isa::Config& config) const;

 private:
  const std::function<void()> on_wait_;
  std::vector<std::string> words_;
  const Temporary folder_{NewTemporaryFolder("vta-explore")};
  std::map<std::string, double> errors_;  // by arithmetic
};

}  // namespace vta::tools
