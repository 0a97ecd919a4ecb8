// The other side of a benchmark: a process of its own that loads a model, runs it when it is asked
// to, and says how long each run took. tools/bench/onnxruntime_peer.py is one, and has the
// protocol.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/tensor.h"
#include "isa/support/temporary.h"
#include "tools/vta/common/json_process.h"

namespace vta::tools {

struct PeerOptions {
  std::string name = "peer";         // in messages
  std::vector<std::string> command;  // program and arguments; cores and threads follow them
  std::vector<int64_t> cores = {0};  // where all its threads stay
  int64_t threads = 1;
  double limit_s = 600;  // for an answer
};

/// ONNX Runtime, as tools/python.txt has it.
/// Errors: as FindPythonTools and ShippedPath.
PeerOptions OnnxRuntimePeer(std::vector<int64_t> cores, int64_t threads);

/// TensorFlow Lite's runtime for CPUs, or its one for microcontrollers, whose kernels are
/// references. Errors: as FindPythonTools and ShippedPath.
PeerOptions LiteRtPeer(bool is_micro, std::vector<int64_t> cores, int64_t threads);

using NamedTensors = std::map<std::string, compiler::Tensor>;

/// What a peer says of the model that it loaded.
struct PeerModel {
  std::string runtime, version;
  std::vector<std::string> providers;                  // of execution
  std::vector<std::pair<std::string, int64_t>> nodes;  // operator and count, once it is optimised
};

/// How much of a model a peer computes in integers. Nodes that only move or convert data do not
/// count.
struct PeerPrecision {
  int64_t in_int8 = 0, in_float = 0;                    // all nodes that compute
  int64_t products_in_int8 = 0, products_in_float = 0;  // of them convolutions, matrix products
};
PeerPrecision PrecisionOf(const PeerModel& model);

class Peer {
 public:
  static constexpr int64_t kMostRuns = 1'000'000;  // of one call

  /// Starts it; it ends with its owner.
  /// Errors: throws Error where it cannot be started. Each call throws Error where the peer says
  /// that it failed, and, with the last of what it wrote to stderr, where it has ended, says
  /// something else, or nothing in time.
  explicit Peer(PeerOptions options);

  PeerModel Load(const std::string& model, const NamedTensors& inputs);
  /// Units: ns, of each run.
  std::vector<int64_t> Run(int64_t count);
  /// Of the last run.
  NamedTensors Outputs();
  /// Takes no processor until it is asked again.
  void Rest() { process_.Rest(); }

 private:
  PeerOptions options_;
  Temporary folder_;  // inputs, outputs
  JsonProcess process_;
};

}  // namespace vta::tools
