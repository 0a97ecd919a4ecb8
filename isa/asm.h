// Assembler and disassembler: programs as text, one instruction a line. docs/assembly.md describes
// the language; the spec rows and isa/spec/syntax.h say what instructions and operands there are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/layout.h"
#include "isa/package.h"

namespace vta::isa {

/// The last two are a package's and lie in no memory: its manifest, and its code for CPUs.
enum class SectionKind : uint8_t { kCode, kUop, kData, kManifest, kModules };
constexpr bool InMemory(SectionKind kind) { return kind <= SectionKind::kData; }

/// Bytes that lie together in memory.
struct Section {
  SectionKind kind = SectionKind::kData;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
  bool operator==(const Section&) const = default;
};

/// An assembled program: what lies where in a flat DRAM image with all base registers 0.
struct Program {
  Config config;
  /// In source order, disjoint; at most one each of code, manifest and modules.
  std::vector<Section> sections;
  std::map<std::string, uint64_t, std::less<>> labels;  // addresses

  /// The first section of a kind, or nullptr.
  const Section* Find(SectionKind kind) const;
  const Section* code() const { return Find(SectionKind::kCode); }
  /// A label's address, or nullptr.
  const uint64_t* FindLabel(std::string_view name) const;
  /// Byte n of the image is the byte at address n; what no section holds is 0.
  std::vector<uint8_t> Image() const;
};

/// Images end below this.
inline constexpr uint64_t kMaximumImageBytes = uint64_t{1} << 28;

/// Turns the NAME of ".config NAME" into a config.
using ConfigLoader = std::function<Config(const std::string& name)>;

/// Assembles `text`, which messages call `file`, for `config` unless the text names another.
/// Errors: throws Error with file:line, token, value and rule.
Program Assemble(std::string_view text, const std::string& file, const Config& config,
                 const ConfigLoader& load_config = LoadConfig);

/// One line each; what the language cannot say otherwise (reserved bits, opcodes that do not
/// exist) is a ".word". Assembling the line gives the same bits back.
std::string Disassemble(const Layout& layout, Word word);
std::string DisassembleUop(const Layout& layout, uint32_t word);

/// All sections as text that assembles, for the same config, to the same sections, with the labels
/// of instructions. Instructions that fault on this config are marked by a comment; with `number`,
/// each by its index.
std::string Disassemble(const Program& program, bool number = false);

/// A whole package as a program: manifest, modules, the instructions of all steps, and the
/// constants with their micro-op tables, as they lie in `PackageImage`.
Program ProgramOfPackage(const Package& package);
/// The package of a program that has a manifest: the inverse.
/// Errors: throws Error naming `file`, place, value and rule, as ParseManifest and ValidatePackage
/// do.
Package PackageOfProgram(const Program& program, const std::string& file);
/// A package in a flat image, all base registers 0: its arena, then from the next multiple of 16 on
/// its instructions. Errors: throws Error naming `file` where that is too large.
std::vector<uint8_t> PackageImage(const Package& package, const std::string& file);
uint64_t PackageCodeAddress(const Package& package);

/// The words at `address` of an image as a program: its code and the micro-op tables that it loads.
/// Errors: throws Error where the words are not inside the image.
Program ProgramInImage(const Config& config, const std::vector<uint8_t>& image, uint64_t address,
                       int64_t count);

}  // namespace vta::isa
