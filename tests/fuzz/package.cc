// Any bytes either are refused with an Error or are a package that serialises to the same bytes.
// The container's hashes stop most mutants, so an input that starts with "{" is taken as a manifest
// with empty sections.
#include "isa/package.h"

#include "isa/support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::isa;
  try {
    if (size > 0 && data[0] == '{') {
      ValidatePackage(ParseManifest({reinterpret_cast<const char*>(data), size}, {}, "input"),
                      "input");
    } else {
      const Package package = ParsePackage({data, size}, "input");
      VTA_CHECK(ParsePackage(SerializePackage(package), "again").code == package.code);
    }
  } catch (const vta::Error&) {
  }
  return 0;
}
