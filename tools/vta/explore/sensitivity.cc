#include "tools/vta/explore/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "tools/area/predict.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

/// The values a step away.
template <typename Section>
std::vector<int64_t> Neighbours(const isa::Parameter<Section>& row, int64_t value) {
  std::vector<int64_t> values;
  switch (row.kind) {
    case isa::kFlag:
      return {1 - value};
    case isa::kChoice:
      for (int64_t other = row.low; other <= row.high; ++other)
        if (other != value) values.push_back(other);
      return values;
    case isa::kPowerOfTwo:
      values = {value * 2, value / 2};
      break;
    case isa::kInteger:
      if (row.unit == "cycles" || row.unit == "tokens" || row.unit == "bytes")
        values = {std::max<int64_t>(value, 1) * 2, value / 2};
      else
        values = {value + 1, value - 1};
      break;
  }
  std::erase_if(
      values, [&](int64_t other) { return other < row.low || other > row.high || other == value; });
  return values;
}

template <typename Section>
std::string Text(const isa::Parameter<Section>& row, int64_t value) {
  if (row.kind == isa::kFlag) return value != 0 ? "true" : "false";
  if (row.kind == isa::kChoice) return std::string(row.choices[static_cast<size_t>(value)]);
  return std::to_string(value);
}

template <typename Section, size_t kRows>
void AddSteps(const isa::Config& config, const std::string& name, Section isa::Config::*section,
              const isa::Parameter<Section> (&rows)[kRows], std::vector<Step>& steps) {
  for (const isa::Parameter<Section>& row : rows) {
    if (row.key == "clock_mhz") continue;
    const int64_t value = config.*section.*row.member;
    for (const int64_t other : Neighbours(row, value)) {
      Step& step =
          steps.emplace_back(Step{StrCat(name, ".", row.key), Text(row, value), Text(row, other)});
      isa::Config changed = config;
      changed.*section.*row.member = other;
      changed.name = StrCat(config.name, "_", row.key, "_", step.to);
      try {
        isa::ValidateConfig(changed, config.name);
        isa::CheckHardware(changed, config.name);
        step.config = std::move(changed);
      } catch (const Error& error) {
        step.why = error.rule();
      }
    }
  }
}

std::string More(double is, double was) {
  return was > 0 ? fmt::format("{:+.1f} %", 100 * (is / was - 1)) : "";
}
std::string Signed(double more) { return more == 0 ? "" : fmt::format("{:+.4g}", more); }

}  // namespace

std::vector<Step> StepsFrom(const isa::Config& config) {
  std::vector<Step> steps;
  AddSteps(config, "arch", &isa::Config::arch, isa::kArchParameters, steps);
  AddSteps(config, "uarch", &isa::Config::uarch, isa::kUarchParameters, steps);
  AddSteps(config, "memory", &isa::Config::memory, isa::kMemoryParameters, steps);
  return steps;
}

std::vector<Step> Sensitivity(const Workload& workload, const isa::Config& config, int64_t effort,
                              int64_t jobs, Progress* progress) {
  std::vector<Step> steps = {Step{}};
  steps[0].config = config;
  for (Step& step : StepsFrom(config)) steps.push_back(std::move(step));
  std::vector<size_t> costed;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].config) costed.push_back(i);
  int64_t done = 0;
  RunPoints(
      EachOf(std::ssize(costed)),
      {.at_once = jobs, .on_wait = [progress] { progress->RequireGoingOn(); }},
      [&](int64_t job) {
        return workload.CostOn(job, *steps[costed[static_cast<size_t>(job)]].config,
                               {.effort = effort, .energy_of = &config});
      },
      [&](int64_t job, const PointResult& result) {
        Step& step = steps[costed[static_cast<size_t>(job)]];
        progress->Count(++done, std::ssize(costed));
        progress->At(step.parameter.empty() ? config.name : step.parameter);
        step.why = result.why;
        if (!result.networks.empty()) step.means = workload.MeansOf(*step.config, result.networks);
        return true;
      });
  if (!steps[0].why.empty()) throw Error(config.name, "costs", "", steps[0].why);
  const Resources base = FittedResources(config);
  for (Step& step : steps) {
    if (!step.config) continue;
    const Resources takes = FittedResources(*step.config);
    step.more = takes;
    step.more += base * -1;
  }
  std::ranges::stable_sort(steps.begin() + 1, steps.end(), {}, [](const Step& step) {
    return std::pair(!step.why.empty(), step.means.ms);
  });
  return steps;
}

std::string SensitivityText(const isa::Config& config, const std::vector<Step>& steps) {
  const Step& base = steps.front();
  std::string text = fmt::format("{}: {:.3f} ms, {:.3f} mJ (a model)\n\n", config.name,
                                 base.means.ms, base.means.inference_mj);
  TableRows cells = {
      {"parameter", "from", "to", "ms", "time", "energy", "LUT", "FF", "DSP", "BRAM", "why not"}};
  for (const Step& step : std::span(steps).subspan(1)) {
    std::vector<std::string>& row = cells.emplace_back();
    row = {step.parameter, step.from, step.to};
    if (step.why.empty())
      row.insert(row.end(),
                 {fmt::format("{:.3f}", step.means.ms), More(step.means.ms, base.means.ms),
                  More(step.means.inference_mj, base.means.inference_mj), Signed(step.more.lut),
                  Signed(step.more.ff), Signed(step.more.dsp), Signed(step.more.bram), ""});
    else
      row.insert(row.end(), {"", "", "", "", "", "", "", step.why});
  }
  return text +
         FormatTable(cells, {false, true, true, true, true, true, true, true, true, true, false});
}

Json SensitivityJson(const isa::Config& config, const std::vector<Step>& steps) {
  Json::Array list;
  for (const Step& step : std::span(steps).subspan(1)) {
    Json json = Json().Set("parameter", step.parameter).Set("from", step.from).Set("to", step.to);
    if (step.why.empty()) {
      json.Set("ms", step.means.ms).Set("energy_mj", step.means.inference_mj);
      for (const ResourceKind& kind : kResourceKinds)
        json.Set(std::string(kind.key), step.more.*kind.of);
    } else
      json.Set("why", Visible(step.why));
    list.push_back(std::move(json));
  }
  return HeadOf(kSensitivityDocument)
      .Set("config", config.name)
      .Set("ms", steps.front().means.ms)
      .Set("energy_mj", steps.front().means.inference_mj)
      .Set("steps", std::move(list));
}

}  // namespace vta::tools
