// The networks that variants are costed with: read and normalised once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/config.h"
#include "tools/explore/results.h"

namespace vta::tools {

struct WorkloadNetwork {
  std::string name;  // as the command line has it
  double weight = 1;
  std::shared_ptr<const compiler::Graph> normalized;
  int64_t macs = 0, weight_bytes = 0;  // of its layers, as the network states them
};

class Workload {
 public:
  /// Files, or names of `vta model`; as many weights, or none for 1 each. Errors: as
  /// ImportModelFile; throws UsageError for a number of weights that is not that of the models.
  /// `assume`: as ImportAssuming has it, of networks in float or of shapes alone. `energy`: of the
  /// table by which energies go, as FindEnergyModel has it.
  Workload(const std::vector<std::string>& models, const std::vector<double>& weights,
           const std::vector<std::string>& dims, const std::string& assume, std::string energy);

  const std::vector<WorkloadNetwork>& networks() const { return networks_; }
  /// Of the networks, what stands in them, and the table of energies; not of the weights.
  uint64_t hash() const { return hash_; }

  /// How a variant is costed.
  struct Costing {
    int64_t effort = 0;   // schedules of a layer that the cycle model costs, as of vta run
    bool on_rtl = false;  // too, whose cycles must be the same
    /// Whose memory chooses the table of energies: the config's own where there is none.
    const isa::Config* energy_of = nullptr;
  };
  /// Of each network: as `vta run --engine cycle` has it, to the cycle, without data.
  /// Errors: throws Error where a network cannot be compiled for the config, a program does not
  /// finish, or the RTL takes other cycles; and as RtlMachine.
  std::vector<NetworkCost> CostOn(const isa::Config& config, const Costing& costing) const;

  /// No variant needs fewer cycles for a network: its multiplications on all lanes, or its weights
  /// over the bus. `macs_share` is what the accelerator does at least.
  static int64_t LeastCycles(const WorkloadNetwork& network, const isa::Config& config,
                             double macs_share);

 private:
  std::vector<WorkloadNetwork> networks_;
  std::string energy_;
  uint64_t hash_ = 0;
};

}  // namespace vta::tools
