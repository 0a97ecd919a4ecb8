// Any text either is refused with an Error or is a config that survives being written and read
// again.
#include "isa/config.h"

#include "isa/support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::isa::Config config;
  try {
    config = vta::isa::ParseConfig({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const vta::Error&) {
    return 0;
  }
  const std::string text = vta::isa::ConfigToJson(config);
  VTA_CHECK(vta::isa::ConfigToJson(vta::isa::ParseConfig(text, "written")) == text, text);
  return 0;
}
