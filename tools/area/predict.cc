#include "tools/area/predict.h"

#include <cmath>
#include <string>

#include "isa/support/error.h"
#include "tools/area/kept_area.h"

namespace vta::tools {
namespace {

/// Of one resource: of the design, an output lane, such a lane of requant, and a product.
struct Line {
  double fixed, lane, requant_lane, product;
  double At(const isa::Config& config) const {
    const auto lanes = static_cast<double>(config.arch.batch * config.arch.block_out);
    return fixed + (lane + requant_lane * static_cast<double>(config.arch.requant)) * lanes +
           product * static_cast<double>(config.macs_per_cycle());
  }
};
constexpr char kFamily[] = "xc7";
constexpr Line kLut{8469, 557, 508, 11.4}, kFf{7783, 119, 332, 13.8};
constexpr double kLutError = 0.02, kFfError = 0.08;

}  // namespace

Resources FittedResources(const isa::Config& config) {
  Resources resources = LeastResources(config);
  resources += {.lut = kLut.At(config), .ff = kFf.At(config)};
  return resources;
}

Resources ResourcesOf(const isa::Config& config) {
  for (const std::string& part : PartNames())
    if (const auto kept = AreaEstimateOf(config, FindPart(part))) return kept->resources;
  return FittedResources(config);
}

std::vector<std::string> PredictableParts() {
  std::vector<std::string> names = PartNames();
  std::erase_if(names, [](const std::string& name) { return FindPart(name).family != kFamily; });
  return names;
}

AreaPrediction PredictArea(const isa::Config& config, const Part& part) {
  if (part.family != kFamily)
    throw Error("", "part", std::string(part.name),
                "must be of the family xc7: no other has designs that predictions are fitted to");
  Resources resources = FittedResources(config);
  resources.lut = std::round(resources.lut), resources.ff = std::round(resources.ff);
  return {resources, kLutError, kFfError};
}

}  // namespace vta::tools
