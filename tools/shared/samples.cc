#include "tools/shared/samples.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/log.h"

namespace vta::tools {
namespace {

// Calls f with a zero of the C++ type of an element.
template <typename F>
decltype(auto) Dispatch(isa::ElementType type, F&& f) {
  switch (type) {
    case isa::ElementType::kInt8:
      return f(int8_t{});
    case isa::ElementType::kUint8:
    case isa::ElementType::kBool:
      return f(uint8_t{});
    case isa::ElementType::kInt16:
      return f(int16_t{});
    case isa::ElementType::kInt32:
      return f(int32_t{});
    case isa::ElementType::kInt64:
      return f(int64_t{});
    case isa::ElementType::kFloat32:
      break;
  }
  return f(float{});
}

double ValueAt(const uint8_t* bytes, int64_t index, isa::ElementType type) {
  return Dispatch(type, [&](auto zero) {
    std::memcpy(&zero, bytes + index * static_cast<int64_t>(sizeof zero), sizeof zero);
    return static_cast<double>(zero);
  });
}

// False, and nothing stored, where the type does not hold the value: an integer takes the nearest
// whole number.
bool StoreAt(uint8_t* bytes, int64_t index, isa::ElementType type, double value) {
  return Dispatch(type, [&](auto zero) {
    using Element = decltype(zero);
    if constexpr (std::is_integral_v<Element>) {
      value = std::nearbyint(value);
      // The limits of int64 are no doubles; those of one more bit are.
      const double end = std::ldexp(1.0, std::numeric_limits<Element>::digits);
      if (!(value >= static_cast<double>(std::numeric_limits<Element>::min()) && value < end))
        return false;
    }
    zero = static_cast<Element>(value);
    std::memcpy(bytes + index * static_cast<int64_t>(sizeof zero), &zero, sizeof zero);
    return true;
  });
}

// Whether a tensor of shape `stored` is samples of shape `one`: one, or several as a longer first
// dimension or as another before it.
bool HoldsSamples(const std::vector<int64_t>& stored, const std::vector<int64_t>& one) {
  if (stored.size() == one.size() + 1)
    return std::equal(one.begin(), one.end(), stored.begin() + 1);
  if (stored.size() != one.size() || one.empty()) return stored == one;
  return std::equal(one.begin() + 1, one.end(), stored.begin() + 1) && one[0] > 0 &&
         stored[0] % one[0] == 0;
}

std::vector<std::vector<uint8_t>> ParseRaw(std::span<const uint8_t> bytes, const std::string& file,
                                           const isa::PackageTensor& tensor,
                                           const Encoding& encoding) {
  const isa::ElementType stored = encoding.type.empty() ? tensor.type : StoredType(encoding.type);
  const int64_t elements = tensor.elements();
  const int64_t sample_bytes = elements * isa::ElementTypeBytes(stored);
  const auto size = static_cast<int64_t>(bytes.size());
  if (size == 0 || sample_bytes == 0 || size % sample_bytes != 0)
    throw Error(
        file, "size", Counted(size, "byte"),
        StrCat("must be whole samples of ", tensor.name, ": ", elements, " ",
               isa::ElementTypeName(stored), " values, ", Counted(sample_bytes, "byte"), " each"));
  StoredShape(tensor, encoding, file);
  const std::vector<int64_t> places = StoredPlaces(tensor, encoding);
  const std::vector<int64_t> channels = ChannelsOf(tensor, encoding);
  const auto of_channel = [&](const std::vector<double>& values, int64_t i, double none) {
    return values.empty() ? none : values[values.size() == 1 ? 0 : channels[i]];
  };
  std::vector<std::vector<uint8_t>> samples;
  for (int64_t at = 0; at < size; at += sample_bytes) {
    const uint8_t* in = bytes.data() + at;
    if (stored == tensor.type && !encoding.converts_values() && places.empty()) {
      samples.emplace_back(in, in + sample_bytes);
      continue;
    }
    std::vector<uint8_t>& sample = samples.emplace_back(tensor.bytes());
    for (int64_t i = 0; i < elements; ++i) {
      const double code = ValueAt(in, places.empty() ? i : places[i], stored);
      const double scaled = (code - encoding.zero_point) * encoding.scale;
      const double value =
          (scaled - of_channel(encoding.mean, i, 0)) / of_channel(encoding.std, i, 1);
      if (!StoreAt(sample.data(), i, tensor.type, value))
        throw Error(
            StrCat(file, ": sample ", at / sample_bytes), StrCat("element ", i), StrCat(value),
            StrCat("does not fit ", tensor.name, ", which is ", isa::ElementTypeName(tensor.type)));
    }
  }
  return samples;
}

// Of an array whose shape says that it has its channels at the other end than the tensor: the
// encoding that moves them, which it says on stderr.
std::optional<Encoding> WithLayoutOf(const StoredTensor& stored, const std::string& file,
                                     const isa::PackageTensor& tensor, Encoding encoding) {
  const auto layout = LayoutOf(tensor.shape);
  if (!layout || !encoding.layout.empty()) return std::nullopt;
  encoding.layout = layout == kChannelsFirst ? kChannelsLast : kChannelsFirst;
  if (!HoldsSamples(stored.shape, StoredShape(tensor, encoding, file))) return std::nullopt;
  Log(LogLevel::kInfo,
      StrCat(file, ": its channels, ", encoding.layout, " by its shape ", ShapeText(stored.shape),
             ", move to where ", tensor.name, " ", ShapeText(tensor.shape), " has them"));
  return encoding;
}

}  // namespace

std::vector<std::vector<uint8_t>> ParseSamples(std::span<const uint8_t> bytes,
                                               const std::string& file,
                                               const isa::PackageTensor& tensor,
                                               const Encoding& encoding) {
  return IsNpy(file) ? SamplesOf(ParseNpy(bytes, file), file, tensor, encoding)
                     : ParseRaw(bytes, file, tensor, encoding);
}

std::vector<std::vector<uint8_t>> SamplesOf(const StoredTensor& stored, const std::string& file,
                                            const isa::PackageTensor& tensor,
                                            const Encoding& encoding) {
  const std::string wanted(encoding.type.empty() ? isa::ElementTypeName(tensor.type)
                                                 : encoding.type);
  if (stored.type != wanted)
    throw Error(file, "element type", stored.type,
                StrCat("must be ", wanted, encoding.type.empty() ? ", as is " : " to convert to ",
                       tensor.name, encoding.type.empty() ? "; --input-type converts inputs" : ""));
  const std::vector<int64_t> one = StoredShape(tensor, encoding, file);
  if (!HoldsSamples(stored.shape, one)) {
    if (const auto moved = WithLayoutOf(stored, file, tensor, encoding))
      return ParseRaw(stored.bytes, file, tensor, *moved);
    throw Error(file, "shape", ShapeText(stored.shape),
                StrCat("must be ", ShapeText(one), " of ", tensor.name,
                       ", or several along the first dimension"));
  }
  return ParseRaw(stored.bytes, file, tensor, encoding);
}

StoredTensor Joined(const std::vector<std::vector<uint8_t>>& samples,
                    const isa::PackageTensor& tensor) {
  StoredTensor all{std::string(isa::ElementTypeName(tensor.type)), tensor.shape, {}};
  for (const auto& sample : samples)
    all.bytes.insert(all.bytes.end(), sample.begin(), sample.end());
  const auto count = static_cast<int64_t>(samples.size());
  if (!all.shape.empty())
    all.shape[0] *= count;
  else if (count > 1)
    all.shape = {count};
  return all;
}

std::vector<uint8_t> SerializeSamples(const std::vector<std::vector<uint8_t>>& samples,
                                      const isa::PackageTensor& tensor, const std::string& path) {
  StoredTensor all = Joined(samples, tensor);
  return IsNpy(path) ? SerializeNpy(all) : std::move(all.bytes);
}

void RequireFinite(const std::vector<uint8_t>& sample, const isa::PackageTensor& tensor,
                   const std::string& where) {
  if (tensor.type != isa::ElementType::kFloat32) return;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (const double value = ValueAt(sample.data(), i, tensor.type); !std::isfinite(value))
      throw Error(where, StrCat("element ", i), StrCat(value),
                  StrCat("must be finite: an input of ", tensor.name));
}

std::vector<uint8_t> RandomSample(const isa::PackageTensor& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> sample(tensor.bytes());
  if (tensor.type == isa::ElementType::kFloat32) {
    for (int64_t i = 0; i < tensor.elements(); ++i)
      StoreAt(sample.data(), i, tensor.type, static_cast<double>(random() >> 40) / (1 << 24));
  } else {
    const bool is_bool = tensor.type == isa::ElementType::kBool;
    for (uint8_t& byte : sample) byte = static_cast<uint8_t>(random() & (is_bool ? 1 : 255));
  }
  return sample;
}

double ValueAt(std::span<const uint8_t> values, int64_t index, isa::ElementType type) {
  return ValueAt(values.data(), index, type);
}

int64_t ArgMax(std::span<const uint8_t> values, isa::ElementType type) {
  int64_t best = 0;
  for (int64_t i = 1; i < static_cast<int64_t>(values.size()) / isa::ElementTypeBytes(type); ++i)
    if (ValueAt(values.data(), i, type) > ValueAt(values.data(), best, type)) best = i;
  return best;
}

Difference Compare(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected,
                   isa::ElementType type) {
  VTA_CHECK(got.size() == expected.size(), got.size(), " and ", expected.size());
  Difference difference;
  difference.elements = static_cast<int64_t>(got.size()) / isa::ElementTypeBytes(type);
  for (int64_t i = 0; i < difference.elements; ++i) {
    const double a = ValueAt(got.data(), i, type), b = ValueAt(expected.data(), i, type);
    if (a == b) continue;
    ++difference.differing;
    const double distance = std::abs(a - b);
    if (!(distance <= difference.largest)) difference.largest = distance;  // NaN counts as largest
  }
  return difference;
}

std::vector<int64_t> LoadLabels(const std::string& path, int64_t classes) {
  return ParseLabels(ReadTextFile(path), path, classes);
}

std::vector<int64_t> ParseLabels(std::string_view text, const std::string& file, int64_t classes) {
  std::vector<int64_t> labels;
  for (size_t at = 0, line = 1; at < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view word(text.data() + at, end - at);
    int64_t label = 0;
    const auto [stop, error] = std::from_chars(word.begin(), word.end(), label);
    if (error != std::errc() || stop != word.end())
      throw Error(StrCat(file, ":", line), "label", std::string(word.substr(0, 40)),
                  "must be an integer, one a line");
    if (label < 0 || label >= classes)
      throw Error(
          StrCat(file, ":", line), "label", std::to_string(label),
          StrCat("must be 0 to ", classes - 1, ": the output has ", Counted(classes, "class")));
    labels.push_back(label);
    at = end + 1;
  }
  return labels;
}

}  // namespace vta::tools
