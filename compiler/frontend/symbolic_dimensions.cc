#include "compiler/frontend/symbolic_dimensions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

/// Sizes that networks have, as far as one is looked for: of pictures, of sequences.
constexpr std::array<int64_t, 9> kUsual = {224, 128, 64, 48, 32, 16, 8, 2, 1};

/// Whether a name can stand on a command line as it is, and is more than a "?".
bool IsPlain(const std::string& name) {
  return std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-.:/+,").find(c) != std::string_view::npos;
  });
}

std::string Join(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text;
}

std::string NamesOf(const std::vector<OpenDimension>& dimensions) {
  std::string text;
  for (const OpenDimension& dimension : dimensions)
    text += StrCat(text.empty() ? "" : ", ", dimension.name);
  return text;
}

std::string RuleOf(const std::vector<OpenDimension>& dimensions, const std::string& command,
                   const std::vector<int64_t>& sizes) {
  std::string text = StrCat("give ", dimensions.size() == 1 ? "its size" : "their sizes",
                            ", such as", command.empty() ? "" : " ", command);
  for (size_t i = 0; i < dimensions.size(); ++i)
    text += StrCat(" --dim ", dimensions[i].name, "=", sizes.empty() ? "SIZE" : StrCat(sizes[i]));
  return text;
}

/// Sizes to try: the batch of what is also a first dimension and the others alike; all alike; one
/// of them, and the others 1.
std::vector<std::vector<int64_t>> Guesses(const std::vector<OpenDimension>& dimensions,
                                          int64_t batch) {
  std::vector<std::vector<int64_t>> guesses;
  const bool is_any_other = !std::ranges::all_of(dimensions, &OpenDimension::is_first);
  for (const int64_t size : kUsual) {
    if (!is_any_other) break;
    std::vector<int64_t>& guess = guesses.emplace_back();
    for (const OpenDimension& one : dimensions) guess.push_back(one.is_first ? batch : size);
  }
  for (const int64_t size : kUsual) guesses.emplace_back(dimensions.size(), size);
  for (const int64_t size : kUsual)
    for (size_t i = 0; i < dimensions.size(); ++i) {
      guesses.emplace_back(dimensions.size(), 1);
      guesses.back()[i] = size;
    }
  return guesses;
}

}  // namespace

int64_t SymbolicDimensions::Add(const std::string& input, int64_t axis, const std::string& name) {
  const std::string place = StrCat(input, ":", axis);
  const bool is_plain = !name.empty() && IsPlain(name);
  places_.push_back({is_plain ? name : place,
                     {place, StrCat(input, "[", axis, "]"), name},
                     axis == 0,
                     sizes_.Open()});
  return places_.back().dim;
}

/// What becomes known may say more, until nothing new does.
void SymbolicDimensions::Settle(const std::function<void(Sizes&)>& follow) {
  if (!follow) return;
  for (Shape before; before != Found();) {
    before = Found();
    follow(sizes_);
  }
}

Shape SymbolicDimensions::Found() const {
  Shape found;
  for (const Place& place : places_) found.push_back(sizes_.Of(place.dim));
  return found;
}

/// Open ones that are nothing but first.
std::set<int64_t> SymbolicDimensions::Batches() const {
  std::set<int64_t> batches, others;
  for (const Place& place : places_)
    if (sizes_.IsOpen(place.dim)) (place.is_first ? batches : others).insert(sizes_.Of(place.dim));
  for (int64_t other : others) batches.erase(other);
  return batches;
}

void SymbolicDimensions::Infer(const std::function<void(Sizes&)>& follow) {
  if (places_.empty()) return;
  for (const Place& place : places_)
    for (const std::string& alias : place.aliases)
      if (const auto given = options_.dimensions.find(alias); given != options_.dimensions.end())
        sizes_.Equal(place.dim, given->second);
  if (std::ranges::any_of(options_.dimensions,
                          [](const auto& d) { return d.second > kMostElements; }))
    return;  // no tensor has such a size
  Settle(follow);
  for (size_t i = 0; i < places_.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (places_[i].known == places_[j].known) sizes_.Equal(places_[i].dim, places_[j].dim);
  Settle(follow);
  for (int64_t batch : Batches()) sizes_.Equal(batch, options_.batch);
  Settle(follow);
  sizes_.TakeBroadcastsForEqual();
  Settle(follow);
}

void SymbolicDimensions::Check() const {
  std::set<std::string> names, aliases;
  for (const Place& place : places_) {
    names.insert(place.known);
    aliases.insert(place.aliases.begin(), place.aliases.end());
  }
  for (const auto& [name, size] : options_.dimensions)
    if (!aliases.contains(name))
      throw Error("", "--dim", StrCat(name, "=", size),
                  StrCat("the model has no such symbolic dimension; it has ",
                         names.empty() ? "none" : Join(names)));
  std::vector<OpenDimension> open;
  std::map<int64_t, size_t> listed;  // one of those that are equal is enough
  for (const Place& place : places_) {
    if (!sizes_.IsOpen(place.dim)) continue;
    const auto [known, is_new] = listed.emplace(sizes_.Of(place.dim), open.size());
    if (is_new) open.push_back({place.known});
    open[known->second].is_first |= place.is_first;
  }
  if (!open.empty()) throw OpenDimensions(open, options_.command);
}

OpenDimensions::OpenDimensions(std::vector<OpenDimension> dimensions, const std::string& command,
                               const std::vector<int64_t>& sizes)
    : Error("", Plural(std::ssize(dimensions), "symbolic dimension"), NamesOf(dimensions),
            RuleOf(dimensions, command, sizes)),
      dimensions_(std::move(dimensions)) {}

Graph ImportSized(const ImportOptions& options,
                  const std::function<Graph(const ImportOptions&)>& import) {
  try {
    return import(options);
  } catch (const OpenDimensions& open) {
    ImportOptions trial = options;
    trial.on_remark = trial.on_left_out = trial.on_random_weights = {};
    for (const std::vector<int64_t>& sizes : Guesses(open.dimensions(), options.batch)) {
      for (size_t i = 0; i < sizes.size(); ++i)
        trial.dimensions[open.dimensions()[i].name] = sizes[i];
      try {
        import(trial);
      } catch (const std::exception&) {
        continue;
      }
      throw OpenDimensions(open.dimensions(), options.command, sizes);
    }
    throw;
  }
}

}  // namespace vta::compiler
