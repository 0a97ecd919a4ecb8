#include "tools/shared/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <numeric>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/terminal.h"

namespace vta::tools {
namespace {

using isa::ElementType;

// The number as its element type has it: float32 in as few digits as tell it from its neighbours
// would be too many to read.
std::string NumberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

const isa::PackageTensor& OutputTensor(const isa::Package& package, size_t output) {
  return package.tensors[package.outputs[output]];
}

isa::OutputFacts FactsOf(const isa::Package& package, size_t output) {
  return package.output_facts.empty() ? isa::OutputFacts{} : package.output_facts[output];
}

std::string Head(const isa::PackageTensor& tensor) {
  return StrCat(Visible(tensor.name), " ", ShapeText(tensor.shape), " ",
                isa::ElementTypeName(tensor.type));
}

// Of all values of an output.
struct Range {
  double least = std::numeric_limits<double>::infinity(), greatest = -least, sum = 0;
  int64_t count = 0, nan = 0;  // count without them
  double mean() const { return sum / static_cast<double>(count); }
};

Range RangeOf(const isa::Package& package, size_t output, const Inferences& outputs) {
  const isa::PackageTensor& tensor = OutputTensor(package, output);
  const isa::OutputFacts facts = FactsOf(package, output);
  Range range;
  for (const auto& inference : outputs)
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const double stored = ValueAt(inference[output], i, tensor.type);
      const double value = (stored - static_cast<double>(facts.zero_point)) * facts.scale;
      if (std::isnan(value)) {
        ++range.nan;
        continue;
      }
      range.least = std::min(range.least, value);
      range.greatest = std::max(range.greatest, value);
      range.sum += value;
      ++range.count;
    }
  return range;
}

std::string RangeText(const Range& range) {
  std::string text;
  if (range.count > 0)
    text = StrCat(NumberText(range.least), " to ", NumberText(range.greatest), ", mean ",
                  NumberText(range.mean()));
  if (range.nan > 0) text += StrCat(text.empty() ? "" : ", ", range.nan, " NaN");
  return text.empty() ? "no values" : text;
}

// What one inference scored, and which it was.
struct Answer {
  std::string sample;
  std::vector<Score> scores;
};

std::vector<Answer> Answers(const isa::Package& package, size_t output, const Inferences& outputs,
                            const std::vector<std::string>& samples) {
  const auto batch = static_cast<size_t>(BatchOf(package));
  std::vector<Answer> answers;
  const size_t all = outputs.size() * batch;
  for (size_t i = 0; i < (samples.empty() ? std::min(all, kMostAnswers) : all); ++i) {
    const std::span<const uint8_t> run = outputs[i / batch][output];
    const size_t bytes = run.size() / batch;
    answers.push_back({i < samples.size() ? samples[i] : StrCat("sample ", i),
                       TopScores(package, output, run.subspan(i % batch * bytes, bytes))});
  }
  return answers;
}

std::string ClassText(int64_t index, const std::vector<std::string>& names) {
  return names.empty() ? std::to_string(index) : StrCat(index, " ", Visible(names[index]));
}

std::string Padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// A class a line.
std::string OneAnswer(const Answer& answer, const std::vector<std::string>& names) {
  size_t class_width = 0, score_width = 0;
  for (const Score& score : answer.scores) {
    class_width = std::max(class_width, ColumnsOf(ClassText(score.index, names)));
    score_width = std::max(score_width, NumberText(score.value).size());
  }
  std::string text;
  for (const Score& score : answer.scores) {
    const std::string name = ClassText(score.index, names);
    text += StrCat("  ", name, std::string(class_width - ColumnsOf(name) + 2, ' '),
                   Padded(NumberText(score.value), score_width));
    if (score.softmax) text += "  " + Padded(PercentText(*score.softmax), 8);
    text += "\n";
  }
  return text;
}

// A line for all its classes.
std::string AnswerLine(const Answer& answer, const std::vector<std::string>& names) {
  std::string text;
  for (const Score& score : answer.scores) {
    text += StrCat(text.empty() ? "" : ", ", ClassText(score.index, names), ": ",
                   NumberText(score.value));
    if (score.softmax) text += StrCat(" (", PercentText(*score.softmax), ")");
  }
  return StrCat("  ", Visible(answer.sample), ": ", text, "\n");
}

const std::vector<std::string>& NamesFor(int64_t classes, const std::vector<std::string>& names) {
  static const std::vector<std::string> kNone;
  return std::ssize(names) == classes ? names : kNone;
}

}  // namespace

std::optional<int64_t> ClassesOf(const isa::Package& package, size_t output) {
  const isa::PackageTensor& tensor = OutputTensor(package, output);
  if (tensor.type != ElementType::kFloat32 && tensor.type != ElementType::kInt8 &&
      tensor.type != ElementType::kUint8)
    return std::nullopt;
  const int64_t classes = tensor.elements() / BatchOf(package);
  const size_t first = BatchOf(package) > 1 ? 1 : 0;
  if (classes < 2 ||
      std::find(tensor.shape.begin() + static_cast<int64_t>(std::min(first, tensor.shape.size())),
                tensor.shape.end(), classes) == tensor.shape.end())
    return std::nullopt;
  return classes;
}

std::vector<Score> TopScores(const isa::Package& package, size_t output,
                             std::span<const uint8_t> values) {
  const isa::PackageTensor& tensor = OutputTensor(package, output);
  const isa::OutputFacts facts = FactsOf(package, output);
  const auto count = static_cast<int64_t>(values.size()) / isa::ElementTypeBytes(tensor.type);
  std::vector<Score> scores(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    scores[i] = {
        i, (ValueAt(values, i, tensor.type) - static_cast<double>(facts.zero_point)) * facts.scale};
  if (!package.output_facts.empty() && !facts.is_probability) {
    double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const Score& score : scores) greatest = std::max(greatest, score.value);
    for (Score& score : scores) sum += *(score.softmax = std::exp(score.value - greatest));
    for (Score& score : scores) *score.softmax /= sum;
  }
  const auto rank = [](const Score& score) {
    return std::isnan(score.value) ? -std::numeric_limits<double>::infinity() : score.value;
  };
  const size_t shown = std::min(scores.size(), kMostClasses);
  std::ranges::partial_sort(scores, scores.begin() + static_cast<int64_t>(shown),
                            [&](const Score& a, const Score& b) {
                              return std::pair(-rank(a), a.index) < std::pair(-rank(b), b.index);
                            });
  scores.resize(shown);
  return scores;
}

std::vector<std::string> LoadClassNames(const std::string& path, const isa::Package& package) {
  std::vector<std::string> names;
  const std::string text = ReadTextFile(path, kMostStreamBytes);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    names.push_back(text.substr(at, end - at));
    if (names.back().ends_with('\r')) names.back().pop_back();
    at = end + 1;
  }
  std::string others;
  for (size_t output = 0; output < package.outputs.size(); ++output)
    if (const auto classes = ClassesOf(package, output)) {
      if (*classes == std::ssize(names)) return names;
      others += StrCat(others.empty() ? "" : ", ", OutputTensor(package, output).name, " scores ",
                       *classes, " classes");
    }
  throw Error(path, "names", std::to_string(names.size()),
              others.empty() ? "no output scores classes" : others);
}

std::string AnswerText(const isa::Package& package, const Inferences& outputs,
                       const std::vector<std::string>& samples,
                       const std::vector<std::string>& class_names) {
  std::string text;
  for (size_t output = 0; output < package.outputs.size(); ++output) {
    const isa::PackageTensor& tensor = OutputTensor(package, output);
    const std::optional<int64_t> classes = ClassesOf(package, output);
    if (!classes) {
      text += StrCat(Head(tensor), ": ", RangeText(RangeOf(package, output, outputs)), "\n");
      continue;
    }
    const std::vector<Answer> answers = Answers(package, output, outputs, samples);
    const std::vector<std::string>& names = NamesFor(*classes, class_names);
    const bool has_softmax = !answers.empty() && answers[0].scores[0].softmax;
    text += StrCat(Head(tensor), ": the highest of ", *classes, " scores",
                   has_softmax ? ", and their softmax" : "", "\n");
    const size_t all = outputs.size() * static_cast<size_t>(BatchOf(package));
    if (all == 1)
      text += OneAnswer(answers[0], names);
    else
      for (const Answer& answer : answers) text += AnswerLine(answer, names);
    if (all > answers.size())
      text +=
          StrCat("  and ", Counted(all - answers.size(), "more sample"), ": --output writes all\n");
  }
  return text;
}

Json AnswerJson(const isa::Package& package, const Inferences& outputs,
                const std::vector<std::string>& samples,
                const std::vector<std::string>& class_names) {
  Json::Array all;
  for (size_t output = 0; output < package.outputs.size(); ++output) {
    const isa::PackageTensor& tensor = OutputTensor(package, output);
    Json::Array shape;
    for (const int64_t extent : tensor.shape) shape.push_back(extent);
    Json& json = all.emplace_back(Json()
                                      .Set("name", tensor.name)
                                      .Set("type", std::string(isa::ElementTypeName(tensor.type)))
                                      .Set("shape", std::move(shape)));
    const std::optional<int64_t> classes = ClassesOf(package, output);
    if (!classes) {
      const Range range = RangeOf(package, output, outputs);
      if (range.count > 0 && std::isfinite(range.sum))
        json.Set("least", range.least).Set("greatest", range.greatest).Set("mean", range.mean());
      if (range.nan > 0) json.Set("nan", range.nan);
      continue;
    }
    const std::vector<std::string>& names = NamesFor(*classes, class_names);
    Json::Array answers;
    for (const Answer& answer : Answers(package, output, outputs, samples)) {
      Json::Array scores;
      for (const Score& score : answer.scores) {
        Json& one = scores.emplace_back(Json().Set("class", score.index));
        if (!names.empty()) one.Set("name", names[score.index]);
        if (std::isfinite(score.value)) one.Set("score", score.value);
        if (score.softmax && std::isfinite(*score.softmax)) one.Set("softmax", *score.softmax);
      }
      answers.push_back(Json().Set("sample", answer.sample).Set("top", std::move(scores)));
    }
    json.Set("classes", *classes).Set("samples", std::move(answers));
  }
  return Json(std::move(all));
}

}  // namespace vta::tools
