#include "isa/gen/kernel_xml.h"

#include "isa/gen/host_registers.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

std::string Argument(const HostRegister& row, int64_t id) {
  const std::string size = Hex(static_cast<uint64_t>(row.bits) / 8);
  return StrCat("      <arg name=\"", row.name, "\" addressQualifier=\"", row.is_address ? 1 : 0,
                "\" id=\"", id, "\" port=\"", row.is_address ? "m_axi_gmem" : "s_axi_control",
                "\" size=\"", size, "\" offset=\"", Hex(static_cast<uint64_t>(row.offset_bytes), 3),
                "\" type=\"", row.is_address ? "void*" : "uint",
                "\" hostOffset=\"0x0\" hostSize=\"", size, "\"/>\n");
}

std::string Port(std::string_view name, std::string_view mode, const std::string& range,
                 int64_t bits) {
  return StrCat("      <port name=\"", name, "\" mode=\"", mode, "\" range=\"", range,
                "\" dataWidth=\"", bits, "\" portType=\"addressable\" base=\"0x0\"/>\n");
}

}  // namespace

std::string KernelPorts(const Config& config) {
  return Port("m_axi_gmem", "master", "0xFFFFFFFFFFFFFFFF", config.uarch.bus_bits) +
         Port("s_axi_control", "slave", Hex(uint64_t{1} << kRegisterAddressBits), 32);
}

std::string KernelArguments() {
  std::string arguments;
  int64_t id = 0;
  for (const HostRegister& row : HostRegisters())
    if (row.IsArgument()) arguments += Argument(row, id++);
  return arguments;
}

std::string KernelXml(const Config& config) {
  return StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root versionMajor=\"1\" versionMinor=\"6\">\n"
      "  <kernel name=\"",
      kIpName, "\" language=\"ip_c\" vlnv=\"", kIpVendor, ":", kIpLibrary, ":", kIpName, ":",
      kIpVersion,
      "\" attributes=\"\" preferredWorkGroupSizeMultiple=\"0\" workGroupSize=\"1\" "
      "interrupt=\"true\" hwControlProtocol=\"user_managed\">\n    <ports>\n",
      KernelPorts(config), "    </ports>\n    <args>\n", KernelArguments(),
      "    </args>\n  </kernel>\n</root>\n");
}

}  // namespace vta::isa
