// The networks that variants are costed with: read and normalised once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/graph.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/config.h"
#include "tools/energy/technology.h"
#include "tools/explore/results.h"
#include "tools/vta/common/processes.h"

namespace vta::tools {

struct WorkloadNetwork {
  std::string name;  // as the command line has it
  double weight = 1;
  std::shared_ptr<const compiler::Graph> normalized;
  int64_t macs = 0;        // of its layers, as the network states them
  bool has_int8 = false;   // weights
  int64_t inferences = 1;  // of a run: its batch
};

/// Files by the names of networks that stand for them in results.
using ModelFiles = std::map<std::string, std::string>;

/// That file; else a file itself; a name of `vta model` as one in the folder.
std::string ModelFile(const std::string& model, const std::string& folder, const ModelFiles& files);

class Workload {
 public:
  /// Files, names of `vta model`, or those of `files`; as many weights, or none for 1 each. Errors:
  /// as ImportModelFile; throws UsageError for a number of weights that is not that of the models,
  /// or a weight that is not more than 0. `assume`: as ImportAssuming has it, of networks in float
  /// or of shapes alone. `energy`: of the table by which energies go, as FindEnergyModel has it.
  Workload(const std::vector<std::string>& models, ModelFiles files,
           const std::vector<double>& weights, const compiler::ImportOptions& import,
           const std::string& assume, std::string energy);

  const std::vector<WorkloadNetwork>& networks() const { return networks_; }
  const ModelFiles& files() const { return files_; }
  /// Of the networks as they are normalised, and the table of energies; not of the weights.
  uint64_t hash() const { return hash_; }

  /// How a variant is costed.
  struct Costing {
    int64_t effort = 0;          // schedules of a layer that the cycle model costs, as of vta run
    bool on_rtl = false;         // too, whose cycles must be the same
    const Part* part = nullptr;  // by whose synthesis it is counted and timed, too
    /// Whose memory chooses the table of energies: the config's own where there is none.
    const isa::Config* energy_of = nullptr;
  };
  /// A point of a config: of each network as `vta run --engine cycle` has it, to the cycle, without
  /// data. Refused, with the reason: where a network cannot be compiled for the config, a program
  /// does not finish, the RTL takes other cycles or cannot be had; and where less than kMacsShare
  /// of the multiplications is the accelerator's, for the host's time is not counted.
  PointResult CostOn(int64_t point, const isa::Config& config, const Costing& costing) const;
  static constexpr double kMacsShare = 0.99;

  /// Over the networks, by their weights: of a run, and of one inference of it.
  struct Means {
    double ms = 0;
    double inference_ms = 0, inference_mj = 0;
  };
  Means MeansOf(const isa::Config& config, const std::vector<NetworkCost>& networks) const;

  /// No point of the config costs less: its multiplications on all lanes, what those read and
  /// write of the scratchpads, nothing else.
  PointResult LeastOn(int64_t point, const isa::Config& config) const;

 private:
  const EnergyModel& ModelOf(const isa::Config& config) const;

  ModelFiles files_;
  std::vector<WorkloadNetwork> networks_;
  std::string energy_;
  // By memory and clock, of which the choice of a table is made. References stay.
  struct Model {
    isa::Memory memory;
    int64_t clock_mhz;
    EnergyModel model;
  };
  mutable std::deque<Model> models_;
  // Variants schedule much alike.
  const std::shared_ptr<compiler::loop::StepMemos> memos_ =
      std::make_shared<compiler::loop::StepMemos>();
  uint64_t hash_ = 0;
};

/// What became of a point, by what its job said, which is the point's JSON.
PointResult PointEndOf(int64_t point, const JobEnd& end);

/// Runs `work(job)` for each job in processes, as RunInProcesses does. `done` gets what it says, or
/// that it failed.
void RunPoints(const NextJob& next, const ProcessLimits& limits,
               const std::function<PointResult(int64_t job)>& work,
               const std::function<bool(int64_t job, PointResult result)>& done);

}  // namespace vta::tools
