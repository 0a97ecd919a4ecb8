// The VTA target: which operators of the integer graph it takes, and their programs.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/code_target.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "isa/config.h"

namespace vta::compiler::targets {

struct StepPlan;

class VtaTarget : public CodeTarget {
 public:
  /// What its programs are for: to run, or to be costed. The latter have the cycles of the former,
  /// constants of their sizes without values, and nothing is proved of them.
  enum class Use : uint8_t { kRun, kCost };

  /// Convolutions hide latency so; it does not take those that cannot.
  /// `memos`: what schedules for other configs made, or nullptr.
  explicit VtaTarget(isa::Config config, Hiding hiding = Hiding::kAny, Use use = Use::kRun,
                     std::shared_ptr<loop::StepMemos> memos = nullptr);

  std::string Name() const override { return "vta"; }
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  FoldChoice ChooseFold(const Graph& graph, const Node& conv) const override;
  std::optional<ActivationBlocks> Layout() const override;
  std::optional<ProductBlocks> BlocksOfProduct(const Node& node) const override;
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;
  std::shared_ptr<const Joinable> Draft(const Graph& graph, const Step& step,
                                        const tune::Space* space, const tune::Point* point,
                                        const Joinable* made,
                                        const StepAddresses& addresses) const override;
  std::optional<JoinedCode> Join(std::span<const Joinable* const> programs, int64_t constants,
                                 bool is_trial) const override;

 private:
  class KnownPrograms;
  struct StepProgram;

  Searching searching() const { return {hiding_, known_.get(), use_ == Use::kCost}; }
  StepProgram Program(const Graph& graph, const StepPlan& plan,
                      const std::string& definition) const;

  isa::Config config_;
  Hiding hiding_;
  Use use_;
  std::shared_ptr<KnownTilings> known_;
  std::shared_ptr<KnownPrograms> programs_;
  std::shared_ptr<loop::StepMemos> memos_;
};

}  // namespace vta::compiler::targets
