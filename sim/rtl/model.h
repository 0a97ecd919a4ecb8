// One instance of a compiled model.
#pragma once

#include <memory>
#include <string>

#include "sim/rtl/model/abi.h"

namespace vta::sim {

class Model {
 public:
  /// Errors: throws Error when the shared object cannot be loaded.
  explicit Model(const std::string& path);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const VtaPorts& ports() const { return ports_; }
  /// Settles the trace ports and waves of the cycle for its inputs. Who looks at neither leaves it
  /// out: all other outputs are registers. Errors: throws Error with the message of an assertion
  /// that failed.
  void Settle() {
    *ports_.clk_i = 0;
    Check(eval_(model_));
    if (waves_) wave_dump_(model_, static_cast<uint64_t>(cycle_));
  }
  /// Ends the cycle. Errors: as Settle.
  void Edge() {
    Check(edge_(model_));
    ++cycle_;
  }
  int64_t cycle() const { return cycle_; }

  /// From now on every cycle goes into an FST file: at its time, all signals as they settled.
  /// Errors: throws Error when the file cannot be written or the model has no waves.
  void OpenWaves(const std::string& path);
  void CloseWaves();

 private:
  void Check(int failed) const {
    if (failed) Fail();
  }
  [[noreturn]] void Fail() const;

  std::string path_;
  void* library_ = nullptr;
  void* model_ = nullptr;
  VtaModelDelete delete_;
  VtaModelEval eval_;
  VtaModelEdge edge_;
  VtaModelMessage message_;
  VtaModelWaveOpen wave_open_;
  VtaModelWaveDump wave_dump_;
  VtaModelWaveClose wave_close_;
  VtaPorts ports_;
  bool waves_ = false;
  int64_t cycle_ = 0;
};

}  // namespace vta::sim
