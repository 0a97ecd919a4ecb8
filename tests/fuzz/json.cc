// Any text either is refused with an Error or is JSON that prints and parses back to the same text.
#include "isa/support/json.h"

#include <string>

#include "isa/support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vta::Json json;
  try {
    json = vta::Json::Parse({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const vta::Error&) {
    return 0;
  }
  const std::string printed = json.Dump();
  VTA_CHECK(vta::Json::Parse(printed, "printed").Dump() == printed, printed);
  return 0;
}
