#include "tools/timing/predict_clock.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "tools/area/families.h"
#include "tools/area/least_squares.h"
#include "tools/timing/calibration.h"
#include "tools/timing/estimates.h"
#include "tools/timing/kept_clocks.h"

namespace vta::tools {
namespace {

// What the longest path grows with, in nanoseconds: wires to more lanes, sums of more products.
std::vector<double> TermsOf(const isa::Config& config) {
  const auto doublings = [](int64_t of) { return std::log2(static_cast<double>(of)); };
  return {1, doublings(config.arch.batch * config.arch.block_out), doublings(config.arch.block_in)};
}

struct Fit {
  std::vector<double> factors;
  double error = 0;
};

constexpr double kNsOfMhz = 1000;

double Mhz(const isa::Config& config, const Fit& fit) {
  const std::vector<double> terms = TermsOf(config);
  double ns = 0;
  for (size_t i = 0; i < terms.size(); ++i) ns += terms[i] * fit.factors[i];
  return kNsOfMhz / ns;
}

Fit FitOf(std::string_view family) {
  std::vector<Sample> samples;
  for (const KeptClock& clock : KeptClocks())
    if (clock.family == family)
      samples.push_back({TermsOf(clock.config), kNsOfMhz / clock.mhz, kNsOfMhz / clock.mhz});
  if (samples.empty())
    throw Error("hw/synth/clocks.jsonl", "family", std::string(family), "has no design");
  // No path becomes shorter where there is more: a term that says so is left out.
  Fit fit;
  for (;;) {
    fit.factors = LeastSquares(samples);
    const auto least = std::ranges::min_element(fit.factors);
    if (*least >= 0) break;
    for (Sample& sample : samples) sample.terms[least - fit.factors.begin()] = 0;
  }
  for (const auto& [config, part, mhz] : ShippedEstimates())
    if (part->family == family)
      fit.error = std::max(fit.error, std::abs(Mhz(config, fit) / mhz - 1));
  return fit;
}

}  // namespace

ClockPrediction PredictClock(const isa::Config& config, const Part& part) {
  const Fit& fit = OfFamily<FitOf>(part.family);
  const double mhz = Mhz(config, fit);
  return {mhz, mhz / (1 + TimingError(CalibrationPoints())), fit.error};
}

}  // namespace vta::tools
