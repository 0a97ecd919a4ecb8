// Programs as the commands dis, check and exec take them: out of text, a package, or a flat image.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/asm.h"
#include "isa/check/check.h"
#include "isa/config.h"
#include "isa/package.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/raw.h"

namespace CLI {
class App;
}

namespace vta::tools {

/// The options that name a program.
struct ProgramOptions {
  std::string path;
  std::optional<std::string> config;      // absent: "default"
  std::optional<uint64_t> address;        // absent: 0
  std::optional<int64_t> count;           // absent: all of the image from address on
  isa::ConfigLoader load_config;          // of configs that a text names; empty: FindConfig
  std::optional<isa::Config> own_config;  // in place of the one that `config` names
};
/// Declares FILE, -c, --insn and --count.
void AddProgramOptions(CLI::App& app, ProgramOptions& options);

struct ProgramRange {
  std::string name;      // of a package's step, otherwise ""
  uint64_t address = 0;  // in the image
  int64_t count = 0;     // of instructions
  int64_t step = -1;     // of a package; or
  int64_t launch = -1;   // of several steps
};

struct ProgramImage {
  isa::Config config;
  std::optional<isa::Package> package;
  std::vector<uint8_t> image;  // DRAM with all base registers 0; of a package made by TakeImage
  std::vector<ProgramRange> programs;
  std::vector<ProgramRange> launches;                   // of a package, those of several steps
  std::map<std::string, uint64_t, std::less<>> labels;  // of text, addresses

  /// What runs, in order: as a session launches a package's layers, or each alone.
  std::vector<ProgramRange> Launched(Launches launches) const;
  std::vector<isa::Word> Words(const ProgramRange& program) const;
  /// Calls `use` with the launch of a program: of a package's step as the runtime launches it,
  /// otherwise on the image.
  void WithLaunch(const ProgramRange& program,
                  const std::function<void(const isa::Launch&)>& use) const;
  /// The proof's verdict on that launch.
  isa::Report Prove(const ProgramRange& program) const;
  /// The image to run on; `file` names it in errors.
  std::vector<uint8_t> TakeImage(const std::string& file) &&;
};

/// Reads a program: text (*.s, which may hold a package), a package, or, where --insn or --count
/// say so, a flat image. Errors: throws Error naming the file where it cannot be read, is none of
/// these, holds already what an option says, or the range is not inside it.
ProgramImage LoadProgramImage(const ProgramOptions& options);

/// The same of text. Errors: as AssembleText.
ProgramImage ImageOfText(const std::string& text, const ProgramOptions& options);

/// The programs of a package.
ProgramImage ImageOfPackage(isa::Package package);

/// One launch of a raw folder.
ProgramImage LoadRawImage(const isa::Config& config, const RawLaunch& launch);

/// Assembles `text` for the config that it names, which `load_config` loads, or else for `own`, or
/// for `config`, or else for "default". Errors: as isa::Assemble; and where both text and `config`
/// name one.
isa::Program AssembleText(const std::string& text, const std::string& file,
                          const std::optional<std::string>& config,
                          const isa::ConfigLoader& load_config,
                          const std::optional<isa::Config>& own = {});

/// The text of these instructions of a program, with their numbers.
std::string InstructionsText(const ProgramImage& programs, const ProgramRange& program,
                             const std::set<int64_t>& indices);

/// What the proof says of one program: for people, with the text of the instructions that it names.
std::string VerdictText(const ProgramImage& programs, const ProgramRange& program,
                        const isa::Report& report);

}  // namespace vta::tools
