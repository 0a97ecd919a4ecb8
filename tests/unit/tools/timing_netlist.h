// Netlists of a few cells, made by hand, as Yosys' write_json writes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/support/json.h"

namespace vta::tools {

/// Bits of the netlist are numbers; kLow is a constant.
class HandNetlist {
 public:
  using Bits = std::vector<int>;
  using Pins = std::vector<std::pair<std::string, Bits>>;
  static constexpr int kLow = -1;

  HandNetlist& Input(const std::string& name, const Bits& bits) {
    return Port(name, "input", bits);
  }
  HandNetlist& Output(const std::string& name, const Bits& bits) {
    return Port(name, "output", bits);
  }

  HandNetlist& Cell(const std::string& name, const std::string& type, const Pins& inputs,
                    const Pins& outputs, const std::vector<std::string>& parameters = {}) {
    Json directions{Json::Object{}}, connections{Json::Object{}}, values{Json::Object{}};
    for (const auto& [pin, bits] : inputs) {
      directions.Set(pin, "input");
      connections.Set(pin, Array(bits));
    }
    for (const auto& [pin, bits] : outputs) {
      directions.Set(pin, "output");
      connections.Set(pin, Array(bits));
    }
    for (const std::string& text : parameters) {
      const size_t equal = text.find('=');
      values.Set(text.substr(0, equal), text.substr(equal + 1));
    }
    cells_.Set(name, Json()
                         .Set("type", type)
                         .Set("parameters", values)
                         .Set("port_directions", directions)
                         .Set("connections", connections));
    return *this;
  }

  /// A flip-flop of Xilinx with clock 1.
  HandNetlist& Flop(const std::string& name, int d, int q, int enable = kLow) {
    return Cell(name, "FDRE", {{"C", {1}}, {"CE", {enable}}, {"D", {d}}, {"R", {kLow}}},
                {{"Q", {q}}});
  }

  HandNetlist& Name(const std::string& name, const Bits& bits, bool hidden = false) {
    names_.Set(name, Json().Set("hide_name", hidden ? 1 : 0).Set("bits", Array(bits)));
    return *this;
  }

  Json Build() const {
    Json module;
    module.Set("attributes", Json().Set("top", "1"))
        .Set("ports", ports_)
        .Set("cells", cells_)
        .Set("netnames", names_);
    return Json().Set("modules", Json().Set("vta_core", module));
  }

 private:
  HandNetlist& Port(const std::string& name, const std::string& direction, const Bits& bits) {
    ports_.Set(name, Json().Set("direction", direction).Set("bits", Array(bits)));
    return *this;
  }

  static Json Array(const Bits& bits) {
    Json::Array array;
    for (const int bit : bits) array.push_back(bit == kLow ? Json("0") : Json(bit));
    return array;
  }

  Json ports_{Json::Object{}}, cells_{Json::Object{}}, names_{Json::Object{}};
};

}  // namespace vta::tools
