// How far a quantised graph is from the float one, tensor by tensor, as signal to noise.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/insert.h"
#include "compiler/quantize/judges.h"
#include "compiler/quantize/runner.h"

namespace vta::compiler::quantize {

/// 10 log10(signal / noise); Units: dB. Nothing to tell apart is kMostDecibels.
inline constexpr double kMostDecibels = 200;
double Decibels(double signal, double noise);

/// Sums of squares over all samples.
struct Noise {
  double signal = 0, noise = 0;
  double decibels() const { return Decibels(signal, noise); }
  void operator+=(const Noise& other) {
    signal += other.signal;
    noise += other.noise;
  }
};

/// Noise of a graph's outputs, by sample and output.
using Outcome = std::vector<std::vector<Noise>>;
/// The mean over the outputs: each counts the same, whatever its values. Units: dB.
double Decibels(const Outcome& outcome);
/// Of so many outputs: noise over signal, summed.
double NoiseOfFirst(const Outcome& outcome, size_t outputs);

/// Adds what a tensor should be, and what it is beside that.
void AddNoise(const Tensor& real, const Tensor& have, Noise* to);
/// Of each of the tensors.
std::vector<Noise> NoiseBetween(const std::vector<Tensor>& want, const std::vector<Tensor>& have);

/// Of each pair: the layer alone, which reads what the float graph computes, through codes.
std::vector<Noise> OwnNoise(const Graph& real, const Inserted& quantised,
                            const Calibration& calibration);

/// Of each pair: with all that the layers before it did. `run_quantised` may be an accelerator's.
std::vector<Noise> WholeNoise(const Graph& real, const Inserted& quantised,
                              const Calibration& calibration, const MakeRunner& run_quantised);

/// Of the large judges: noise over signal, summed; the geometric mean of that and of the same of
/// the outputs that are judged, where there are such, which counts within bounds.
double JudgedNoise(const Graph& real, const Plan& plan, const Inserted& quantised,
                   const Judges& judges, const Calibration& calibration);
/// Of the graph's outputs, all together.
Noise OutputNoise(const Graph& real, const Graph& quantised, const Calibration& calibration,
                  const MakeRunner& run_quantised);

}  // namespace vta::compiler::quantize
