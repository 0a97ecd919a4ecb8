// The state of one assembly: lines become statements in sections, then sections are placed, then
// instructions are encoded, so that a label may be used before it is defined.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/asm.h"
#include "isa/asm/syntax.h"

namespace vta::isa {

class Assembler {
 public:
  Assembler(std::string file, const Config& config, const ConfigLoader& load_config);

  void Line(std::string_view line);
  Program Finish();

 private:
  using Words = std::vector<std::string_view>;  // borrowed from the text

  struct Statement {  // an instruction or micro-op, encoded at the end
    std::string where;
    size_t section;
    size_t offset;
    Words words;
  };
  struct Draft {
    std::string where;
    bool placed;  // its address is written in the text
    Section section;
  };
  struct Mark {
    std::string where;
    size_t section;
    size_t offset;
  };

  void DefineLabel(std::string_view name);
  void Directive(const Words& words);
  void ConfigLine(const Words& words);
  void OpenSection(SectionKind kind, const Words& words);
  void Data(const Words& words);
  void Verbatim(std::string_view text);
  void Encoded(const Words& words);
  void Append(int64_t value, int64_t count, int bytes);
  void Count(int64_t bytes);
  Section& Current();
  uint64_t AddressEnd() const;
  void Place();
  void CheckOverlap() const;
  void TakeConfigOfPackage();
  void Encode(Program& program) const;

  std::string file_, where_;
  int64_t line_ = 0;
  Config config_;
  bool config_line_ = false, has_package_ = false;
  const ConfigLoader& load_config_;
  std::vector<Draft> drafts_;
  std::vector<Statement> statements_;
  std::map<std::string, Mark, std::less<>> marks_;
  uint64_t total_bytes_ = 0;
};

}  // namespace vta::isa
