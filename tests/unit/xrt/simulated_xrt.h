// XRT with a simulated device, for one test: a folder of its own, so that tests beside it have
// theirs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "driver/xrt/writer/make_xclbin.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"

namespace vta::test {

class SimulatedXrt {
 public:
  SimulatedXrt() : folder_(MakeFolder()) {
    namespace fs = std::filesystem;
    fs::create_directories(folder_.path() + "/lib");
    fs::create_symlink(VTA_XRT_DRIVER, folder_.path() + "/lib/libxrt_core.so.2");
    setenv("XILINX_XRT", folder_.path().c_str(), 1);
    SetFault("");
  }

  /// What the next device to be opened does wrong; empty: nothing.
  static void SetFault(const std::string& fault) { setenv("VTA_XRT_FAULT", fault.c_str(), 1); }

  /// The path of a file for the config.
  std::string Xclbin(const isa::Config& config) const {
    std::string path = StrCat(folder_.path(), "/", config.name, ".xclbin");
    WriteFileAtomically(
        path,
        driver::MakeXclbin(config, {}, {.control_address = 0xa000'0000, .memory_bytes = 1 << 30}));
    return path;
  }

 private:
  static std::string MakeFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "vta-xrt-XXXXXX").string();
    VTA_CHECK(mkdtemp(name.data()), name);
    return name;
  }
  Temporary folder_;
};

}  // namespace vta::test
