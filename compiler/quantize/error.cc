#include "compiler/quantize/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/quantize/side_by_side.h"

namespace vta::compiler::quantize {
namespace {

/// Calls `take` with the outputs of both for every sample.
void RunBoth(
    const Graph& real, const Graph& quantised, const Calibration& calibration,
    const MakeRunner& run_quantised,
    const std::function<void(const std::vector<Tensor>&, const std::vector<Tensor>&)>& take) {
  const Runner run = run_quantised(quantised);
  const std::vector<size_t> chosen = calibration.Chosen();
  size_t at = 0;
  calibration.Run(real, "comparing", [&](const std::vector<Tensor>& outputs) {
    take(outputs, run(calibration.samples[chosen[at++]]));
  });
}

std::vector<Noise> Sums(const Outcome& outcome) {
  std::vector<Noise> outputs(outcome.empty() ? 0 : outcome[0].size());
  for (const auto& sample : outcome)
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] += sample[i];
  return outputs;
}

}  // namespace

std::vector<Noise> NoiseBetween(const std::vector<Tensor>& want, const std::vector<Tensor>& have) {
  std::vector<Noise> noise(want.size());
  for (size_t i = 0; i < want.size(); ++i) AddNoise(want[i], have[i], &noise[i]);
  return noise;
}

void AddNoise(const Tensor& real, const Tensor& have, Noise* to) {
  for (int64_t i = 0; i < real.elements(); ++i) {
    const double x = real.At(i), error = have.At(i) - x;
    to->signal += x * x;
    to->noise += error * error;
  }
}

double Decibels(double signal, double noise) {
  if (noise == 0) return kMostDecibels;
  if (signal == 0) return -kMostDecibels;
  return std::clamp(10 * std::log10(signal / noise), -kMostDecibels, kMostDecibels);
}

double Decibels(const Outcome& outcome) {
  const std::vector<Noise> outputs = Sums(outcome);
  if (outputs.empty()) return kMostDecibels;
  double sum = 0;
  for (const Noise& output : outputs) sum += output.decibels();
  return sum / static_cast<double>(outputs.size());
}

double NoiseOfFirst(const Outcome& outcome, size_t outputs) {
  double sum = 0;
  const std::vector<Noise> sums = Sums(outcome);
  for (const Noise& noise : std::span(sums).first(std::min(outputs, sums.size())))
    if (noise.noise > 0) sum += noise.noise / noise.signal;
  return sum;
}

std::vector<Noise> OwnNoise(const Graph& real, const Inserted& quantised,
                            const Calibration& calibration) {
  SideBySide both(real, quantised.graph, quantised.pairs);
  std::vector<double> elements;
  for (const Pair& pair : quantised.pairs) {
    const ValueId x = both.Real(pair.real), y = both.Quantised(pair.quantised);
    std::vector<int64_t> axes(both.type(x).shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    both.OutputMean(pair.real + "_signal", both.Square(x), axes);
    both.OutputMean(pair.real + "_noise", both.Square(both.Difference(y, x)), axes);
    elements.push_back(static_cast<double>(Elements(both.type(x).shape)));
  }
  std::vector<Noise> noise(quantised.pairs.size());
  calibration.Run(both.Finish(), "measuring layers", [&](const std::vector<Tensor>& means) {
    for (size_t i = 0; i < noise.size(); ++i) {
      noise[i].signal += means[2 * i].At(0) * elements[i];
      noise[i].noise += means[2 * i + 1].At(0) * elements[i];
    }
  });
  return noise;
}

std::vector<Noise> WholeNoise(const Graph& real, const Inserted& quantised,
                              const Calibration& calibration, const MakeRunner& run_quantised) {
  std::vector<ValueId> of_real, of_quantised;
  for (const Pair& pair : quantised.pairs) {
    of_real.push_back(ValueNamed(real, pair.real));
    of_quantised.push_back(ValueNamed(quantised.graph, pair.quantised));
  }
  std::vector<Noise> noise(quantised.pairs.size());
  RunBoth(WithOutputs(real, of_real), WithOutputs(quantised.graph, of_quantised), calibration,
          run_quantised, [&](const auto& want, const auto& have) {
            for (size_t i = 0; i < noise.size(); ++i) AddNoise(want[i], have[i], &noise[i]);
          });
  return noise;
}

double JudgedNoise(const Graph& real, const Plan& plan, const Inserted& quantised,
                   const Judges& judges, const Calibration& calibration) {
  std::vector<Judge> seen(judges.all.begin(),
                          judges.all.begin() + static_cast<int64_t>(judges.large));
  seen.insert(seen.end(), judges.outputs.begin(), judges.outputs.end());
  std::vector<ValueId> of_real, of_quantised;
  for (const Judge& judge : seen) {
    of_real.push_back(RealValue(real, plan, judge));
    of_quantised.push_back(QuantisedValue(quantised, judge));
  }
  Outcome judged, outputs;
  RunBoth(WithOutputs(real, of_real), WithOutputs(quantised.graph, of_quantised), calibration,
          calibration.make_runner, [&](const auto& want, const auto& have) {
            const std::vector<Noise> noise = NoiseBetween(want, have);
            const auto middle = noise.begin() + static_cast<int64_t>(judges.large);
            judged.emplace_back(noise.begin(), middle);
            outputs.emplace_back(middle, noise.end());
          });
  const double noise = NoiseOfFirst(judged, judges.large);
  if (judges.outputs.empty()) return noise;
  // A function makes more of noise or less, but one that noise does not reach, or that has no
  // signal, tells nothing apart.
  constexpr double kLeast = 0.1, kMost = 1000;
  const double of_outputs = NoiseOfFirst(outputs, judges.outputs.size());
  return std::sqrt(noise * std::clamp(of_outputs, kLeast * noise, kMost * noise));
}

Noise OutputNoise(const Graph& real, const Graph& quantised, const Calibration& calibration,
                  const MakeRunner& run_quantised) {
  Noise sum;
  RunBoth(real, quantised, calibration, run_quantised, [&](const auto& want, const auto& have) {
    for (const Noise& output : NoiseBetween(want, have)) sum += output;
  });
  return sum;
}

}  // namespace vta::compiler::quantize
