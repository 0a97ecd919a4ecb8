// A package on several engines at once: what they disagree about, layer by layer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "isa/support/json.h"
#include "tools/vta/common/session.h"

namespace vta::tools {

/// The engines that --engine lists, mostly one. Each runs every inference; the values of each layer
/// are held against those of the first engine, its cycles against those of the first that has time.
class EngineGroup {
 public:
  EngineGroup(std::shared_ptr<const runtime::Model> model, const EngineOptions& options);

  const isa::Package& package() const { return sessions_[0]->package(); }
  /// Of the engine that Run() reports on: the last one that has time, or else the last one.
  /// Null for a package without programs.
  const driver::DeviceId* device() const { return sessions_[reported_]->device(); }
  /// The first one, which is alone where nothing is compared.
  EngineSession& first() { return *sessions_[0]; }
  runtime::MemoryUse memory() const { return sessions_[reported_]->memory(); }
  void StopAt(runtime::Session::Deadline deadline);
  /// One inference; the outputs are those of the first engine.
  std::vector<std::vector<uint8_t>> Run(const std::vector<std::vector<uint8_t>>& inputs,
                                        runtime::RunProfile* profile);

  /// Nothing differs.
  bool equal() const { return !first_; }
  /// With several engines: a table, and whether outputs and cycles are equal or what differs first.
  /// Cycles and times are of the accelerator's layers, of all inferences.
  std::string Text() const;
  Json ToJson() const;

 private:
  struct Difference {
    size_t inference;
    int64_t step;
    bool cycles;  // not values, which come first
    std::string text;
    auto place() const { return std::tuple(inference, step, cycles); }
  };
  struct Engine {
    std::string name;
    std::optional<uint64_t> timing_hash;
    int64_t cycles = 0;
    double seconds = 0;
    bool values_equal = true, cycles_equal = true;
    std::map<int64_t, int64_t> estimates;  // of cycles, by step, of the last inference
  };
  struct Miss {
    std::string layer;
    int64_t cycles, estimated;
  };
  void Look(size_t engine, int64_t step);
  void Count(size_t engine, const runtime::RunProfile& profile);
  void Offer(Difference difference);
  /// Layers that an engine estimates more than 10 % wrong.
  std::vector<Miss> MissesOf(const Engine& engine) const;
  std::string EstimateText(const Engine& engine) const;

  std::vector<std::unique_ptr<EngineSession>> sessions_;
  std::vector<Engine> engines_;
  size_t reported_ = 0;
  size_t inference_ = 0;
  std::map<int64_t, std::vector<std::vector<uint8_t>>> values_;  // of the first engine, by step
  std::optional<runtime::RunProfile> timed_;                     // of the first that has time
  std::string timed_name_;
  std::optional<Difference> first_;
};

}  // namespace vta::tools
