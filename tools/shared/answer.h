// What a network answered: the classes that its outputs score highest, and the ranges of the other
// outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/package.h"
#include "isa/support/json.h"
#include "tools/shared/inferences.h"

namespace vta::tools {

/// How many classes are named, and of how many inferences where these have no names.
inline constexpr size_t kMostClasses = 5, kMostAnswers = 16;

/// The classes that an output scores in each inference: two or more, along its one axis, behind
/// the batch, that is longer than 1, in float32 or codes of 8 bits. Nothing for other outputs.
std::optional<int64_t> ClassesOf(const isa::Package& package, size_t output);

struct Score {
  int64_t index = 0;
  double value = 0;               // the network's own: of codes, what they stand for
  std::optional<double> softmax;  // of all scores, where the network has none of its own
};

/// The highest scores of one inference, first the highest, of equal ones the first class. Softmax
/// is taken where the package says that the network has no softmax or sigmoid. NaN comes last.
std::vector<Score> TopScores(const isa::Package& package, size_t output,
                             std::span<const uint8_t> values);

/// A name a line, of as many classes as some output of the package scores.
/// Errors: throws Error naming the file, its names and those classes.
std::vector<std::string> LoadClassNames(const std::string& path, const isa::Package& package);

/// What inferences gave, for people and for machines. `samples` names them; without names they
/// have numbers. `class_names` go to outputs with as many classes.
std::string AnswerText(const isa::Package& package, const Inferences& outputs,
                       const std::vector<std::string>& samples,
                       const std::vector<std::string>& class_names);
Json AnswerJson(const isa::Package& package, const Inferences& outputs,
                const std::vector<std::string>& samples,
                const std::vector<std::string>& class_names);

}  // namespace vta::tools
