// What somebody meant who wrote a word that is none of those known.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vta::tools {

/// Typing errors between two words: letters put in, left out, exchanged, or swapped with the next
/// (optimal string alignment).
size_t TypingErrors(std::string_view a, std::string_view b);

/// The first of the names that is fewest typing errors away from `word`, of one or two, and not all
/// of its letters; "" where none is. Dashes in front do not count, nor
/// do capitals.
std::string Nearest(std::string_view word, std::span<const std::string> names);

/// "; did you mean NAME?" of the nearest name, "" where none is near.
std::string DidYouMean(std::string_view word, std::span<const std::string> names);

}  // namespace vta::tools
