#include "tools/shared/nearest.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace vta::tools {
namespace {

// Without dashes before it, in small letters.
std::string Plain(std::string_view word) {
  std::string plain(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

}  // namespace

size_t TypingErrors(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> errors(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t& here = errors[i][j];
      here = i + j;
      if (i == 0 || j == 0) continue;
      here = std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1,
                       errors[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here = std::min(here, errors[i - 2][j - 2] + 1);
    }
  return errors[a.size()][b.size()];
}

std::string Nearest(std::string_view word, std::span<const std::string> names) {
  constexpr size_t kLongestWord = 64;  // what is longer is no slip of the hand
  const std::string plain = Plain(word);
  if (plain.size() > kLongestWord) return "";
  size_t best = std::min<size_t>(plain.size(), 3);
  std::string nearest;
  for (const std::string& name : names)
    if (const size_t errors = TypingErrors(plain, Plain(name)); errors < best) {
      best = errors;
      nearest = name;
    }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace vta::tools
