#include "tools/serve/program/temperature.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kThousand = 1000;  // Linux has thousandths of a degree

std::optional<double> NumberIn(const fs::path& path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// An IIO device's channel: (raw + offset) * scale.
std::optional<double> Scaled(const fs::path& raw) {
  const std::string name = raw.string(), stem = name.substr(0, name.size() - 3);
  const auto value = NumberIn(raw), scale = NumberIn(stem + "scale");
  if (!value || !scale) return std::nullopt;
  return (*value + NumberIn(stem + "offset").value_or(0)) * *scale;
}

}  // namespace

std::optional<double> WarmestOf(const std::string& sys) {
  constexpr struct {
    const char* folder;
    std::string_view begins, ends;
    std::optional<double> (*read)(const fs::path&);
  } kPlaces[] = {{"class/thermal", "temp", "temp", NumberIn},
                 {"class/hwmon", "temp", "_input", NumberIn},
                 {"bus/iio/devices", "in_temp", "_raw", Scaled}};
  std::optional<double> warmest;
  std::error_code none;
  for (const auto& place : kPlaces)
    for (const auto& device : fs::directory_iterator(fs::path(sys) / place.folder, none))
      for (const auto& file : fs::directory_iterator(device.path(), none)) {
        const std::string name = file.path().filename();
        if (!name.starts_with(place.begins) || !name.ends_with(place.ends)) continue;
        if (const std::optional<double> here = place.read(file.path()))
          warmest = std::max(warmest.value_or(*here / kThousand), *here / kThousand);
      }
  return warmest;
}

}  // namespace vta::tools
