// What is fitted once for each family of parts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "isa/support/error.h"
#include "tools/area/area.h"

namespace vta::tools {

/// What `fit_of` makes of a family, all of them made at the first call. Errors: those of `fit_of`;
/// aborts at a family that no part has.
template <auto fit_of>
const auto& OfFamily(std::string_view family) {
  static const auto fits = [] {
    std::map<std::string, decltype(fit_of(family)), std::less<>> all;
    for (const std::string& part : PartNames()) {
      const std::string_view of = FindPart(part).family;
      if (!all.contains(of)) all.emplace(of, fit_of(of));
    }
    return all;
  }();
  const auto found = fits.find(family);
  VTA_CHECK(found != fits.end(), family);
  return found->second;
}

}  // namespace vta::tools
