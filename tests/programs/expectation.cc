#include "tests/programs/expectation.h"

#include <sstream>

#include "isa/support/error.h"

namespace vta::tests {
namespace {

// ".data ADDRESS" for "memory LABEL+N".
std::string DataDirective(const std::string& place, const std::string& where,
                          const isa::Program& program) {
  const size_t plus = place.find('+');
  const uint64_t* label = program.FindLabel(place.substr(0, plus));
  if (!label) throw Error(where, "label", place, "the program has no such label");
  const uint64_t offset = plus == place.npos ? 0 : std::stoull(place.substr(plus + 1), nullptr, 0);
  return ".data " + std::to_string(*label + offset);
}

}  // namespace

std::string Squeeze(std::string_view line) {
  std::istringstream words{std::string(line.substr(0, line.find('#')))};
  std::string out, word;
  while (words >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

Expectation ParseExpectation(const std::string& text, const std::string& file,
                             const isa::Program& program) {
  Expectation out;
  std::istringstream in(text);
  std::string line, data;  // `data` keeps the line numbers
  for (int number = 1; std::getline(in, line); ++number, data += '\n') {
    line = Squeeze(line);
    if (line.starts_with("memory "))
      data += DataDirective(line.substr(7), StrCat(file, ":", number), program);
    else if (line.starts_with('.'))
      data += line;
    else if (line == "unproved")
      out.unproved = true;
    else if (!line.empty())
      out.lines.push_back(line);
  }
  if (out.lines.empty()) throw Error(file, "outcome", "", "must stand in the first line");
  out.memory = isa::Assemble(data, file, program.config).sections;
  return out;
}

}  // namespace vta::tests
