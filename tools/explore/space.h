// A space of accelerator variants: a config file some of whose values are lists, and what every
// point of it has to keep to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "isa/support/json.h"
#include "tools/area/area.h"
#include "tools/explore/expression.h"

namespace vta::tools {

/// A parameter that points may differ in: its values, or what it follows from.
struct SpaceParameter {
  std::string name;  // "arch.block_in"
  std::vector<Json> values;
  std::optional<Expression> expression;
};

/// What a point has to keep to.
struct Constraints {
  std::string part;  // "" for none: then nothing is asked of area and clock
  Resources shares{.lut = 0.75, .ff = 0.75, .dsp = 0.9, .bram = 0.9};  // of the part's, at most
  double clock = 1;  // of the clock that is predicted, with its error, at most
  std::optional<int64_t> scratchpad_bytes;       // of all scratchpads together, at most
  std::optional<double> min_fps, max_energy_mj;  // of the workload
  std::vector<Expression> where;                 // none is 0
};

/// Numbers of values, one of each parameter that has a list, in their order.
using SpacePoint = std::vector<int32_t>;

class Space {
 public:
  /// Of a config file's sections: a value may be {"list": [...]}, {"pow2": [LOW, HIGH]} or {"expr":
  /// "arch.block_in"}; "constraints" stand beside them. Errors: throws Error with file, key, value
  /// and rule: an unknown key, a value that the parameter cannot have, an empty list, an expression
  /// that names nothing.
  static Space Parse(std::string_view text, const std::string& file);

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }
  const Constraints& constraints() const { return constraints_; }
  /// Those with lists, in the order of the file.
  const std::vector<SpaceParameter>& parameters() const { return parameters_; }
  /// How many points there are.
  int64_t size() const { return size_; }
  /// The last parameter changes first. `index`: from 0.
  SpacePoint PointAt(int64_t index) const;
  int64_t IndexOf(const SpacePoint& point) const;
  /// By the name of the space and the point's index. Errors: throws Error where its parameters do
  /// not go together, as ParseConfig does.
  isa::Config ConfigOf(const SpacePoint& point) const;
  /// "block_in=16 bus_bits=64": what is this point's own.
  std::string Describe(const SpacePoint& point) const;
  /// Of all but its name and what it is about: results of one space are of no other.
  uint64_t hash() const { return hash_; }

 private:
  Json Fill(const SpacePoint& point) const;
  /// Of the followers, in their order; `known` has what the parameters are.
  std::vector<double> Follow(const isa::Config& known) const;

  std::string name_, file_;
  Json fixed_{Json::Object{}};  // the config, without the parameters
  std::vector<SpaceParameter> parameters_, followers_;
  Constraints constraints_;
  int64_t size_ = 1;
  uint64_t hash_ = 0;
};

/// Of a parameter by its name; nothing where a config has none of that name.
std::optional<double> ValueOf(const isa::Config& config, std::string_view name);

}  // namespace vta::tools
