// Any text either is refused with an Error or assembles to a program whose disassembly assembles to
// the same program and is stable. The same bytes, taken as words, survive their disassembly.
#include "isa/asm.h"

#include "isa/codec.h"
#include "isa/support/error.h"

namespace {

using namespace vta::isa;

Config NoFiles(const std::string& name) {
  throw vta::Error("input", ".config", name, "names a file");
}

void RoundTrip(const Program& program) {
  const std::string text = Disassemble(program);
  const Program again = Assemble(text, "again", program.config, NoFiles);
  VTA_CHECK(again.sections == program.sections, text);
  VTA_CHECK(Disassemble(again) == text, text);
}

void TryText(std::string_view text) {
  try {
    const Program program = Assemble(text, "input", Config{}, NoFiles);
    size_t bytes = 0;
    for (const Section& section : program.sections) bytes += section.bytes.size();
    if (bytes < 65536) RoundTrip(program);
  } catch (const vta::Error&) {
  }
}

void TryWords(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> image(data, data + size / kInstructionBytes * kInstructionBytes);
  const int64_t count = static_cast<int64_t>(image.size()) / kInstructionBytes;
  Config config;
  config.version = Version::k100;
  config.arch.requant = config.arch.pad_value = config.arch.overwrite = 1;
  config.arch.inp_depth = 256;  // unused bits
  RoundTrip(ProgramInImage(config, image, 0, count));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  TryText({reinterpret_cast<const char*>(data), size});
  TryWords(data, size);
  return 0;
}
