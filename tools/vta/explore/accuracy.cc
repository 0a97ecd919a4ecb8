#include "tools/vta/explore/accuracy.h"

#include <cmath>
#include <sstream>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "tools/vta/common/self.h"

namespace vta::tools {
namespace {

/// What the bits of a network's results depend on.
std::string ArithmeticOf(const isa::Config& config) {
  std::string text(isa::VersionName(config.version));
  for (const auto& row : isa::kArchParameters)
    if (row.kind == isa::kFlag || row.key == "requant_multiplier_bits")
      text += StrCat(" ", row.key, "=", config.arch.*row.member);
  return text;
}

}  // namespace

OutputErrors::OutputErrors(const std::string& model, const ModelFiles& files,
                           const std::vector<std::string>& dims, const std::string& options,
                           std::function<void()> on_wait)
    : on_wait_(std::move(on_wait)) {
  if (options.empty()) return;
  words_ = {"eval", ModelFile(model, folder_.path(), files), "--no-trials", "--json"};
  for (const std::string& dim : dims) words_.insert(words_.end(), {"--dim", dim});
  std::istringstream all(options);
  for (std::string word; all >> word;) words_.push_back(word);
}

double OutputErrors::ErrorOf(const isa::Config& config) {
  const auto [found, is_new] = errors_.try_emplace(ArithmeticOf(config), 0);
  if (!is_new) return found->second;
  const std::string file = folder_.path() + "/config.json", out = folder_.path() + "/eval.json";
  WriteFileAtomically(file, isa::ConfigToJson(config));
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"-c", file});
  RunSelf(words, out, on_wait_);
  const Json report = Json::Parse(ReadTextFile(out), out);
  const Json& run = report.Find("runs")->as_array()->back();
  if (const Json* right = run.Find("accuracy_percent"))
    return found->second = 100 - *right->as_double();
  const double* const db = run.Find("outputs_db")->as_double();
  return found->second = db ? 100 * std::pow(10, -*db / 20) : 0;
}

double OutputErrors::LeastErrorOf(const isa::Config& config) const {
  const auto found = errors_.find(ArithmeticOf(config));
  return found == errors_.end() ? 0 : found->second;
}

}  // namespace vta::tools
