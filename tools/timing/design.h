// Which hardware a config is, whatever it is called and however fast its clock: what figures that
// are kept of a design belong to.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/tune/log.h"
#include "isa/config.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/json.h"

namespace vta::tools {

/// All of arch, and uarch but for the clock.
bool IsSameHardware(const isa::Config& a, const isa::Config& b);

/// The RTL and the config's package without their comments, and a script of hw/synth.
/// Errors: throws Error when a file of `sources` cannot be read.
Hasher HashDesign(const isa::Config& config, const std::string& script, const std::string& sources);

/// A line of hw/synth/*.jsonl: a design for a family of parts, whose parts Yosys makes alike.
struct KeptDesign {
  std::string family;
  isa::Config config;         // without its memory
  std::string yosys, design;  // its version; a hash of what the figures follow from, in hexadecimal

  bool IsOf(const KeptDesign& other) const;  // family and hardware
};
/// Its keys among others. Errors: throws Error naming the key, as of a family that no part has.
KeptDesign ReadDesign(JsonReader& reader);
Json ToJson(const KeptDesign& design);

/// Lines that are a KeptDesign and more, of which `read` takes the keys. Errors: those of `read`;
/// throws Error naming the line that is no JSON, or of a design that stands twice.
template <typename Line>
std::vector<Line> ParseDesigns(std::string_view text, const std::string& file,
                               Line (*read)(JsonReader& reader)) {
  std::vector<Line> lines;
  for (const auto& [where, line] : compiler::tune::LinesOf(text, file)) {
    const Json json = Json::Parse(line, where);
    JsonReader reader(json, where);
    Line one = read(reader);
    reader.Finish();
    if (std::ranges::any_of(lines, [&](const Line& other) { return one.IsOf(other); }))
      throw Error(where, "config", one.config.name, "stands twice");
    lines.push_back(std::move(one));
  }
  return lines;
}

/// Puts a line in place of the one of its design, or at the end. Errors: those of ParseDesigns;
/// throws Error when the file cannot be written.
template <typename Line>
void KeepDesign(const std::string& file, Line line, Line (*read)(JsonReader& reader)) {
  std::vector<Line> lines = ParseDesigns(ReadTextFile(file), file, read);
  std::erase_if(lines, [&](const Line& other) { return line.IsOf(other); });
  lines.push_back(std::move(line));
  std::string text;
  for (const Line& one : lines) text += ToJson(one).Dump(-1) + "\n";
  WriteFileAtomically(file, text);
}

/// A row of hw/synth/*.txt: its words, of which it has one at least, and where it stands.
struct KeptRow {
  std::string place;  // "line 3"
  std::vector<std::string> words;
};
/// Those of such a text; '#' begins a comment.
std::vector<KeptRow> KeptRows(std::string_view text);

/// The rows of such a file, with this one in place of the one that has its first `keys` words, or
/// at the end.
std::string WithRow(const std::string& text, const std::string& row, size_t keys);

}  // namespace vta::tools
