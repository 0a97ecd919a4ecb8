// Programs as the commands dis, check and exec take them: an image of DRAM and where in it the
// instructions lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/layout.h"

namespace CLI {
class App;
}

namespace vta::tools {

/// The options that name a program.
struct ProgramOptions {
  std::string path;
  std::optional<std::string> config;  // absent: "default"
  std::optional<uint64_t> address;    // absent: 0
  std::optional<int64_t> count;       // absent: all of the image from address on
};
/// Declares FILE, -c, --insn and --count.
void AddProgramOptions(CLI::App& app, ProgramOptions& options);

struct ProgramRange {
  std::string name;  // of a package's step, otherwise ""
  uint64_t address = 0;
  int64_t count = 0;
};

struct ProgramImage {
  isa::Config config;
  std::vector<uint8_t> image;
  std::vector<ProgramRange> programs;
  /// These bytes are known before the programs run; the others are what earlier steps left.
  int64_t known_offset_bytes = 0, known_bytes = 0;
  bool known_are_constant = false;  // no program may change them

  std::vector<isa::Word> Words(const ProgramRange& program) const;
};

/// Reads a program: text (FILE.s), a package (FILE.vta, whose code is put after its arena), or else
/// raw bytes, of which --insn and --count name the instructions.
/// Errors: throws Error naming the file where it cannot be read, holds already what an option
/// says, or the range is not inside it.
ProgramImage LoadProgramImage(const ProgramOptions& options);

}  // namespace vta::tools
