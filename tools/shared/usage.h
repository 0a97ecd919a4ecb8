// What is wrong with a command line, whatever its files hold.
#pragma once

#include <string>
#include <vector>

#include "isa/support/error.h"

namespace vta::tools {

/// The command line is wrong: exit status 2. What a file holds or how a run ends is a plain Error,
/// exit status 1; so is a UsageError that was put In() a file.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The words of a list, with commas between them, or what `between` is.
inline std::vector<std::string> SplitList(const std::string& list, char between = ',') {
  std::vector<std::string> words(1);
  for (const char letter : list)
    if (letter == between)
      words.emplace_back();
    else
      words.back() += letter;
  return words;
}

/// "a, b, c" for help texts and messages.
inline std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += StrCat(list.empty() ? "" : ", ", name);
  return list;
}

}  // namespace vta::tools
