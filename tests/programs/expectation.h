// An .exp file: what a program must print and leave. Lines, '#' begins a comment:
//   TEXT            a line that `vta exec` prints, blanks squeezed; the first one is the outcome
//   unproved        the proof refuses the program, though it finishes
//   memory LABEL+N  the data directives that follow are what must lie there after the run
// All other memory must be as it was.
#pragma once

#include <string>
#include <vector>

#include "isa/asm.h"

namespace vta::tests {

struct Expectation {
  std::vector<std::string> lines;
  std::vector<isa::Section> memory;
  bool unproved = false;
};

/// "a  b " -> "a b".
std::string Squeeze(std::string_view line);

/// Errors: throws Error with file and line.
Expectation ParseExpectation(const std::string& text, const std::string& file,
                             const isa::Program& program);

}  // namespace vta::tests
