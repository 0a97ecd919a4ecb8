// The schedule space of a convolution on VTA, and its cheapest points by the estimate.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/tune/space.h"

namespace vta::compiler::targets {

/// Whether a tiling hides latency in that way alone. kSlots has kOneSlot's, too: a copy that fits
/// nowhere, or does not pay, is not there.
bool Hides(const ConvTiling& tiling, Hiding hiding);

/// A shape in words, all of it that its programs' cycles depend on but for which elements of
/// weights are absent: their number is there.
std::string Print(const ConvShape& shape);

/// What a tiling decides. Tiles are of any size, even or not; `keep` is of weights where
/// `channels_outer`, otherwise of inputs; `threads` is a ThreadAxis.
std::vector<tune::Choice> ConvChoices(const ConvShape& shape);
tune::Point ToPoint(const ConvTiling& tiling);
ConvTiling ToTiling(const tune::Point& point);
std::string Print(const ConvTiling& tiling);
/// Whether the space has the tiling, by arithmetic: what fits, and what orders, kept buffers and
/// threads ask of each other.
bool IsInSpace(const isa::Config& config, const ConvShape& shape, Hiding hiding,
               const ConvTiling& tiling);

/// What searches of one config have found, since a network's passes and steps ask for the same
/// again and again. May be used by several threads at once.
class KnownTilings {
 public:
  /// As CheapestConvTilings.
  std::vector<ConvTiling> Cheapest(const isa::Config& config, const ConvShape& shape, Hiding hiding,
                                   int64_t count);

 private:
  struct Found {
    std::vector<ConvTiling> tilings;
    int64_t asked = 0;  // for so many
  };
  std::mutex mutex_;
  std::map<std::pair<std::string, Hiding>, Found> found_;  // by shapes in words
};

/// The `count` tilings of the space with the lowest estimates, the lowest first, or all that there
/// are; of those that differ in load_slots alone the first. The same for the same arguments.
std::vector<ConvTiling> CheapestConvTilings(const isa::Config& config, const ConvShape& shape,
                                            Hiding hiding, int64_t count);
/// The cheapest tiling that fits and hides latency so.
/// Errors: throws Error at `name` if there is none.
ConvTiling ChooseConvTiling(const isa::Config& config, const ConvShape& shape,
                            const std::string& name, const Searching& searching = {});

}  // namespace vta::compiler::targets
