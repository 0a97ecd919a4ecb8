// One model file of a zoo: as it is on the CPU, beside the runtime that its format is made for, and
// in int8 on an accelerator variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/vta/bench/dear_steps.h"

namespace vta::tools {

/// How a model file is to be run.
struct ZooModel {
  std::string file, name;                // the latter within its folder
  std::vector<std::string> dims;         // as --dim has them
  std::vector<std::string> preparation;  // options of vta quantize by which pictures become inputs
  std::string pictures;                  // a folder of them; "" to quantise on noise
};

struct ZooOptions {
  std::string config = "default";
  int64_t runs = 10, samples = 16;
  bool on_cpu = true, on_vta = true;  // what is measured
  std::vector<int64_t> cores;         // where both sides stay, with a thread each
  CpuBounds bounds;                   // of one
};

/// The model's own arithmetic on the CPU, beside its runtime, one run of each in turn.
struct ZooOnCpu {
  std::string runtime;
  double ms = 0, runtime_ms = 0;  // 0 where a runtime of references is not timed
  double difference = 0;          // as OutputDifference
  int64_t differing = 0, elements = 0;
};
struct ZooOnVta {
  std::optional<double> decibels;  // of a quantised one's outputs, on samples held back
  int64_t on_vta = 0, layers = 0, steps_bound = 0, host_bytes = 0, host_bound = 0, cycles = 0;
};
/// Each part, or why it is not there.
struct ZooRow {
  std::string name;
  bool on_pictures = false;
  std::optional<int64_t> macs;        // of a model that is read
  std::optional<NetworkSteps> steps;  // on the CPU
  std::optional<ZooOnCpu> cpu;
  std::optional<ZooOnVta> vta;
  std::string why_not_read, why_no_cpu, why_no_vta;
};

Json ToJson(const ZooRow& row);
/// Errors: throws Error naming what is no row's.
ZooRow ReadZooRow(const Json& json, const std::string& where);

/// Errors: none; a row says what failed.
ZooRow MeasureModel(const ZooModel& model, const ZooOptions& options);

}  // namespace vta::tools
