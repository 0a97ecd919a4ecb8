// The schedule space of a product on a GPU: how it is cut into tiles.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/schedule.h"
#include "compiler/targets/gpu/tile.h"
#include "compiler/tune/space.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

/// Estimates are nanoseconds of a large GPU; nothing is known that no point can cost less than.
class GpuSpace : public tune::Space {
 public:
  /// Refers to the graph. The step begins with the product, which has a tile by the rule.
  GpuSpace(const Graph& graph, const Step& step, const GpuProduct& product, const isa::GpuRow& gpu);

  std::string Workload() const override { return workload_; }
  const std::vector<tune::Choice>& Choices() const override { return choices_; }
  bool Has(const tune::Point& point) const override;
  int64_t Estimate(const tune::Point& point) const override;
  /// The first is that of ChooseGpuTile.
  std::vector<tune::Point> Cheapest(int64_t count) const override;
  int64_t Bound() const override { return 0; }
  loop::Features FeaturesOf(const tune::Point& point) const override;
  tune::Trial Try(const tune::Point& point) const override;

 private:
  const Graph& graph_;
  const Step step_;
  const GpuProduct product_;
  const isa::GpuRow& gpu_;
  const std::string workload_;
  const std::vector<tune::Choice> choices_;
};

GpuTile GpuTileAt(const tune::Point& point);

/// The step's kernel in the tile, of a product, or as the rule has it.
KernelCode GpuKernelOf(const Graph& graph, const Step& step, const isa::GpuRow& gpu,
                       isa::Precision precision, const std::optional<GpuTile>& tile);

}  // namespace vta::compiler::targets
