#include "tools/vta/run/engine_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/samples.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

double Seconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

int64_t Sum(const std::map<int64_t, int64_t>& by_step) {
  int64_t sum = 0;
  for (const auto& [step, value] : by_step) sum += value;
  return sum;
}

bool OnVta(const isa::PackageStep& step) { return step.kind == isa::PackageStep::Kind::kProgram; }

}  // namespace

EngineGroup::EngineGroup(std::shared_ptr<const runtime::Model> model,
                         const EngineOptions& options) {
  const std::vector<std::string> names = model->package().config || options.IsRemote()
                                             ? options.names()
                                             : std::vector<std::string>{"cpu"};
  if (names.size() > 1 && std::ranges::any_of(names, driver::remote::IsRemote))
    throw UsageError("--engine", "", options.name,
                     "compares layers, which stay on a server: name it alone");
  for (const std::string& name : names) {
    EngineOptions one = options;
    one.name = name;
    one.apart |= names.size() > 1;  // what each layer leaves is compared
    const size_t engine = sessions_.size();
    sessions_.push_back(std::make_unique<EngineSession>(model, one));
    const driver::DeviceId* device = sessions_.back()->device();
    engines_.push_back({name, device ? device->timing_hash : std::nullopt});
    if (engines_.back().timing_hash || !engines_[reported_].timing_hash) reported_ = engine;
    if (names.size() > 1)
      sessions_.back()->AfterSteps([this, engine](int64_t step) { Look(engine, step); });
  }
}

void EngineGroup::StopAt(runtime::Session::Deadline deadline) {
  for (const auto& session : sessions_) session->StopAt(deadline);
}

void EngineGroup::Offer(Difference difference) {
  if (!first_ || difference.place() < first_->place()) first_ = std::move(difference);
}

// What a step has left.
void EngineGroup::Look(size_t engine, int64_t step) {
  const isa::PackageStep& at = package().steps[step];
  for (size_t i = 0; i < at.outputs.size(); ++i) {
    std::vector<uint8_t> have = sessions_[engine]->ReadTensor(at.outputs[i]);
    if (engine == 0) {
      values_[step].push_back(std::move(have));
      continue;
    }
    const std::vector<uint8_t>& want = values_[step][i];
    if (have == want) continue;
    engines_[engine].values_equal = false;
    const isa::PackageTensor& tensor = package().tensors[at.outputs[i]];
    const auto byte = std::ranges::mismatch(want, have).in1 - want.begin();
    const int64_t element = byte / isa::ElementTypeBytes(tensor.type);
    Offer({inference_, step, false,
           StrCat("layer ", at.name, ", tensor ", tensor.name, ", element ", element, ": ",
                  engines_[0].name, " ", ValueAt(want, element, tensor.type), ", ",
                  engines_[engine].name, " ", ValueAt(have, element, tensor.type))});
  }
}

void EngineGroup::Count(size_t engine, const runtime::RunProfile& profile) {
  Engine& of = engines_[engine];
  for (size_t s = 0; s < profile.steps.size(); ++s)
    if (OnVta(package().steps[s])) of.seconds += Seconds(profile.steps[s].wall);
  of.estimates.clear();
  for (size_t s = 0; s < profile.steps.size(); ++s)
    if (const auto& estimate = profile.steps[s].counters.estimated_cycles)
      of.estimates[static_cast<int64_t>(s)] = *estimate;
  if (!of.timing_hash) return;
  for (const runtime::StepProfile& step : profile.steps)
    if (step.counters.time) of.cycles += step.counters.time->cycles;
  if (!timed_) {
    timed_ = profile;
    timed_name_ = of.name;
    return;
  }
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    if (!profile.steps[s].counters.time) continue;
    const int64_t want = timed_->steps[s].counters.time->cycles,
                  have = profile.steps[s].counters.time->cycles;
    if (want == have) continue;
    of.cycles_equal = false;
    Offer({inference_, static_cast<int64_t>(s), true,
           StrCat("layer ", package().steps[s].name, ": ", timed_name_, " ", WithCommas(want),
                  " cycles, ", of.name, " ", WithCommas(have))});
  }
}

std::vector<std::vector<uint8_t>> EngineGroup::Run(const std::vector<std::vector<uint8_t>>& inputs,
                                                   runtime::RunProfile* profile) {
  std::vector<std::vector<uint8_t>> outputs;
  values_.clear();
  timed_.reset();
  for (size_t e = 0; e < sessions_.size(); ++e) {
    runtime::RunProfile measured;
    auto have = sessions_[e]->Run(inputs, &measured);
    if (e == 0) outputs = std::move(have);
    Count(e, measured);
    if (e == reported_) *profile = std::move(measured);
  }
  ++inference_;
  return outputs;
}

std::vector<EngineGroup::Miss> EngineGroup::MissesOf(const Engine& engine) const {
  constexpr int64_t kMostPercent = 10;
  std::vector<Miss> misses;
  for (const auto& [step, estimated] : engine.estimates) {
    const int64_t cycles = timed_->steps[step].counters.time->cycles;
    if (100 * std::abs(estimated - cycles) > kMostPercent * cycles)
      misses.push_back({package().steps[step].name, cycles, estimated});
  }
  return misses;
}

std::string EngineGroup::EstimateText(const Engine& engine) const {
  if (!timed_ || engine.estimates.empty()) return "";
  const std::vector<Miss> misses = MissesOf(engine);
  const auto layers = std::ssize(engine.estimates);
  std::string text =
      fmt::format("{} estimates {} of {} within 10 % of {}", engine.name,
                  layers - std::ssize(misses), Counted(layers, "layer"), timed_name_);
  for (const Miss& miss : misses)
    text += fmt::format("{} {} {:+.1f} %", &miss == misses.data() ? "; the others:" : ",",
                        Visible(miss.layer),
                        100.0 * static_cast<double>(miss.estimated - miss.cycles) /
                            static_cast<double>(miss.cycles));
  return text + "\n";
}

std::string EngineGroup::Text() const {
  if (engines_.size() < 2) return "";
  std::vector<std::vector<std::string>> rows = {
      {"engine", "outputs", "cycles", "wall s", "Mcycle/s", "timing hash"}};
  for (const Engine& engine : engines_)
    rows.push_back({engine.name, engine.values_equal ? "equal" : "differ",
                    !engine.estimates.empty() ? StrCat("about ", WithCommas(Sum(engine.estimates)))
                    : !engine.timing_hash     ? ""
                    : engine.cycles_equal     ? WithCommas(engine.cycles)
                                              : WithCommas(engine.cycles) + " differ",
                    fmt::format("{:.3f}", engine.seconds),
                    engine.cycles > 0 ? fmt::format("{:.3f}", static_cast<double>(engine.cycles) /
                                                                  engine.seconds * 1e-6)
                                      : "",
                    engine.timing_hash ? Hex(*engine.timing_hash, 16) : ""});
  std::string text = StrCat("\n", FormatTable(rows, {false, false, true, true, true, false}));
  for (const Engine& engine : engines_) text += EstimateText(engine);
  const auto timed = std::ranges::count_if(
      engines_, [](const Engine& engine) { return engine.timing_hash.has_value(); });
  if (equal()) return text + (timed > 1 ? "outputs equal, cycles equal\n" : "outputs equal\n");
  return text + "first difference: " +
         (inference_ > 1 ? StrCat("inference ", first_->inference, ", ") : "") +
         Visible(first_->text) + "\n";
}

Json EngineGroup::ToJson() const {
  Json::Array engines;
  for (const Engine& engine : engines_) {
    Json json = Json()
                    .Set("engine", engine.name)
                    .Set("outputs_equal", engine.values_equal)
                    .Set("wall_s", engine.seconds);
    if (engine.timing_hash)
      json.Set("timing_hash", Hex(*engine.timing_hash, 16))
          .Set("cycles", engine.cycles)
          .Set("cycles_equal", engine.cycles_equal);
    if (!engine.estimates.empty()) json.Set("estimated_cycles", Sum(engine.estimates));
    if (timed_ && !engine.estimates.empty()) {
      Json::Array misses;
      for (const Miss& miss : MissesOf(engine))
        misses.push_back(Json()
                             .Set("layer", miss.layer)
                             .Set("cycles", miss.cycles)
                             .Set("estimated", miss.estimated));
      json.Set("estimates_off", std::move(misses));
    }
    if (engine.cycles > 0)
      json.Set("cycles_per_s", static_cast<double>(engine.cycles) / engine.seconds);
    engines.push_back(std::move(json));
  }
  Json json = Json().Set("equal", equal()).Set("engines", std::move(engines));
  if (first_) json.Set("first_difference", first_->text);
  return json;
}

}  // namespace vta::tools
