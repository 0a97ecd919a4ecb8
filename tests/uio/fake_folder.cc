#include "tests/uio/fake_folder.h"

#include <cstdlib>

namespace vta::test::uio {

FakeFolder::FakeFolder() : root_(std::filesystem::temp_directory_path() / "vta_uio_XXXXXX") {
  if (!mkdtemp(root_.data())) std::abort();
  AddUio("uio0", "vta");
  AddUio("uio1", "gpio");
  Write("/dev/udmabuf0", "");
  const std::string buffer = "/sys/class/u-dma-buf/udmabuf0/";
  Write(buffer + "phys_addr", "0x1f000000\n");
  Write(buffer + "size", "1048576\n");
  Write(buffer + "sync_for_cpu", "0\n");
  Write(buffer + "sync_for_device", "0\n");
}

void FakeFolder::AddUio(const std::string& device, const std::string& name) const {
  const std::string folder = "/sys/class/uio/" + device;
  Write("/dev/" + device, "");
  Write(folder + "/name", name + "\n");
  Write(folder + "/maps/map0/addr", "0x43c00000\n");
  Write(folder + "/maps/map0/offset", "0x0\n");
  Write(folder + "/maps/map0/size", "0x00010000\n");
}

}  // namespace vta::test::uio
