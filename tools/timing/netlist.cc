#include "tools/timing/netlist.h"

#include <cctype>
#include <limits>

namespace vta::tools {
namespace {

/// A value of one kind, or an Error that names its place.
template <typename T>
const T& Want(const T* value, const std::string& file, const std::string& place,
              std::string_view kind) {
  if (!value) throw Error(file, place, "", StrCat("must be ", kind));
  return *value;
}

class Reader {
 public:
  Reader(const std::string& file, const Json& module, const std::string& place)
      : file_(file), module_(module), place_(place) {}

  Netlist Read() {
    for (const auto& [name, port] : Object(module_, "ports"))
      netlist_.ports.push_back(
          {name, Direction(port.Find("direction"), name), Nets(port.Find("bits"), name)});
    for (const auto& [name, cell] : Object(module_, "cells")) ReadCell(name, cell);
    netlist_.names.resize(nets_.size());
    std::vector<int> ranks(nets_.size(), std::numeric_limits<int>::min());
    for (const auto& [name, net] : Object(module_, "netnames")) ReadName(name, net, ranks);
    return std::move(netlist_);
  }

 private:
  const Json::Object& Object(const Json& of, std::string_view key) const {
    const Json* json = of.Find(key);
    return Want(json ? json->as_object() : nullptr, file_, StrCat(place_, ".", key), "an object");
  }

  bool Direction(const Json* json, const std::string& port) const {
    const std::string* text = json ? json->as_string() : nullptr;
    if (!text || (*text != "input" && *text != "output"))
      throw Error(file_, StrCat(place_, ", port ", port), text ? *text : "",
                  "must be an input or an output");
    return *text == "output";
  }

  std::vector<Net> Nets(const Json* bits, const std::string& of) {
    std::vector<Net> nets;
    for (const Json& bit :
         Want(bits ? bits->as_array() : nullptr, file_, StrCat(place_, ", ", of), "a list of bits"))
      if (const int64_t* number = bit.as_int())
        nets.push_back(nets_.try_emplace(*number, static_cast<Net>(nets_.size())).first->second);
      else
        nets.push_back(kConstant);
    return nets;
  }

  void ReadCell(const std::string& name, const Json& json) {
    NetlistCell cell;
    cell.name = name;
    const Json* type = json.Find("type");
    cell.type =
        Want(type ? type->as_string() : nullptr, file_, StrCat(place_, ", cell ", name), "a cell");
    if (const Json* parameters = json.Find("parameters"); parameters && parameters->as_object())
      for (const auto& [key, value] : *parameters->as_object())
        if (const std::string* text = value.as_string()) cell.parameters[key] = *text;
    const Json::Object& directions = Object(json, "port_directions");
    for (const auto& [port, bits] : Object(json, "connections")) {
      const Json* direction = nullptr;
      for (const auto& [key, value] : directions)
        if (key == port) direction = &value;
      cell.ports.push_back({port, Direction(direction, StrCat(name, ".", port)),
                            Nets(&bits, StrCat(name, ".", port))});
    }
    // Yosys 0.70 keeps places of the source as cells without pins.
    if (!cell.ports.empty()) netlist_.cells.push_back(std::move(cell));
  }

  // A net has the name of a register where it has one, else the one deepest in the design: that is
  // the name where it is made.
  static int Rank(const std::string& name, bool hidden) {
    int rank = hidden ? -1000 : 0;
    if (RtlName(name).ends_with("_q")) rank += 500;
    for (const char c : name) rank += c == '.';
    return rank;
  }

  void ReadName(const std::string& name, const Json& json, std::vector<int>& ranks) {
    const Json* hide = json.Find("hide_name");
    const int rank = Rank(name, hide && hide->as_int() && *hide->as_int() != 0);
    for (const Net net : Nets(json.Find("bits"), name)) {
      if (net == kConstant || net >= static_cast<Net>(ranks.size()) || rank <= ranks[net]) continue;
      ranks[net] = rank;
      netlist_.names[net] = name;
    }
  }

  const std::string& file_;
  const Json& module_;
  std::string place_;
  Netlist netlist_;
  std::map<int64_t, Net> nets_;
};

}  // namespace

Netlist ReadNetlist(const Json& json, const std::string& file) {
  const Json* modules = json.Find("modules");
  if (modules && modules->as_object())
    for (const auto& [name, module] : *modules->as_object())
      if (const Json* attributes = module.Find("attributes"); attributes && attributes->Find("top"))
        return Reader(file, module, StrCat("modules.", name)).Read();
  throw Error(file, "modules", "", "none of them is marked as the top: is this of write_json?");
}

std::string RtlName(std::string_view name) {
  if (name.starts_with("$flatten")) name.remove_prefix(8);
  std::string out;
  for (size_t at = 0; at < name.size();) {
    size_t end = at;  // of this part, at the next dot outside brackets
    for (bool inside = false; end < name.size() && (inside || name[end] != '.'); ++end)
      inside = name[end] == '[' || (inside && name[end] != ']');
    std::string_view part = name.substr(at, end - at);
    at = end + 1;
    if (part.starts_with('\\')) part.remove_prefix(1);
    // What follows is of Yosys' own making.
    if (part.starts_with('$')) break;
    if (part.find_first_not_of("0123456789") == std::string_view::npos) break;
    if (const size_t own = part.find('$'); own != std::string_view::npos)
      part = part.substr(0, own);
    if (!out.empty()) out += '.';
    for (size_t i = 0; i < part.size(); ++i) {
      out += part[i];
      if (part[i] != '[') continue;
      out += '*';
      while (i + 1 < part.size() && std::isdigit(static_cast<unsigned char>(part[i + 1]))) ++i;
    }
  }
  return out;
}

}  // namespace vta::tools
