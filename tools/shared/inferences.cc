#include "tools/shared/inferences.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/log.h"
#include "tools/shared/pictures.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

// The file of one tensor holds as many samples as the first one.
void RequireAsMany(int64_t samples, int64_t first, const std::vector<std::string>& files,
                   size_t t) {
  if (samples != first)
    throw Error(files[t], "samples", std::to_string(samples), StrCat(files[0], " has ", first));
}

// Those of one tensor, beside those of the tensors before it.
void Add(std::vector<std::vector<uint8_t>> samples, Inferences& inferences) {
  inferences.resize(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) inferences[i].push_back(std::move(samples[i]));
}

// Raw values do not say where they have channels. Of an array, its shape does, unless all three
// axes are alike.
void RequireLayout(const std::string& file, const isa::PackageTensor& tensor,
                   const Encoding& encoding) {
  if (!encoding.layout.empty() || !LayoutMatters(tensor.shape)) return;
  const std::string ending = std::filesystem::path(file).extension();
  const bool has_shape = ending == ".npy" || ending == ".pb";
  const std::vector<int64_t>& shape = tensor.shape;
  if (has_shape && !(shape[1] == shape[2] && shape[2] == shape[3])) return;
  throw UsageError("--input-layout", "", file,
                   StrCat("does not say where it has channels, which ", tensor.name, " ",
                          ShapeText(shape), " takes ",
                          LayoutOf(shape) == kChannelsLast    ? "last"
                          : LayoutOf(shape) == kChannelsFirst ? "first"
                                                              : "either first or last",
                          ": give nchw or nhwc, as the file has them"));
}

void RequirePictures(const std::vector<std::string>& files, const Encoding& encoding) {
  if (std::ranges::any_of(files, HoldsPictures)) return;
  const char* option = encoding.blue_first             ? "--input-order"
                       : !encoding.size.resize.empty() ? "--resize"
                                                       : nullptr;
  if (option) throw UsageError(option, "", "", "is of pictures, and there are none");
}

}  // namespace

void RequireOneEach(const std::string& option, const std::vector<std::string>& files,
                    const std::vector<int64_t>& tensors) {
  if (!files.empty() && files.size() != tensors.size())
    throw UsageError(option, "", Counted(files.size(), "file"),
                     StrCat("the model has ", tensors.size(), "; give ", option, " once for each"));
}

Inferences ReadInferences(const isa::Package& package, const std::vector<int64_t>& tensors,
                          const std::vector<std::string>& files, const Encoding& encoding,
                          ParseFunction* parse) {
  Inferences inferences;
  for (size_t t = 0; t < files.size(); ++t) {
    auto samples = parse(ReadFile(files[t]), files[t], package.tensors[tensors[t]], encoding);
    if (t > 0) RequireAsMany(std::ssize(samples), std::ssize(inferences), files, t);
    Add(std::move(samples), inferences);
  }
  return inferences;
}

Inputs ReadInputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Encoding& encoding, uint64_t seed, ParseFunction* parse, int64_t most) {
  Inputs inputs;
  if (files.empty()) {
    Log(LogLevel::kInfo, StrCat("no --input: one random sample from seed ", seed));
    inputs.samples.resize(1);
    for (size_t t = 0; t < package.inputs.size(); ++t)
      inputs.samples[0].push_back(RandomSample(package.tensors[package.inputs[t]], seed + t));
    return inputs;
  }
  RequirePictures(files, encoding);
  for (size_t t = 0; t < files.size(); ++t) {
    const isa::PackageTensor& tensor = package.tensors[package.inputs[t]];
    std::vector<std::vector<uint8_t>> samples;
    int64_t in_file = 0;
    if (!HoldsPictures(files[t])) {
      samples = parse(ReadFile(files[t]), files[t], tensor, encoding);
      RequireLayout(files[t], tensor, encoding);
      in_file = std::ssize(samples);
      if (in_file > most) samples.resize(most);
    } else {
      PictureFiles pictures = ListPictures(files[t]);
      samples = PictureSamples(pictures.paths, tensor, encoding, most);
      in_file = std::ssize(pictures.paths) / tensor.shape[0];
      if (!pictures.labels.empty())
        inputs.labels = std::move(pictures.labels), inputs.list = files[t];
      if (inputs.pictures.empty()) inputs.pictures = std::move(pictures.paths);
    }
    if (t == 0) inputs.in_files = in_file;
    RequireAsMany(in_file, inputs.in_files, files, t);
    Add(std::move(samples), inputs.samples);
    for (size_t i = 0; i < inputs.samples.size(); ++i)
      RequireFinite(inputs.samples[i][t], tensor, StrCat(files[t], ": sample ", i));
  }
  return inputs;
}

int64_t BatchOf(const std::vector<std::vector<int64_t>>& inputs,
                const std::vector<std::vector<int64_t>>& outputs) {
  std::optional<int64_t> batch;
  for (const auto* const list : {&inputs, &outputs})
    for (const std::vector<int64_t>& shape : *list) {
      const size_t least_rank = list == &inputs ? 2 : 1;
      if (shape.size() < least_rank || batch.value_or(shape[0]) != shape[0]) return 1;
      batch = shape[0];
    }
  return std::max<int64_t>(1, batch.value_or(1));
}

int64_t BatchOf(const isa::Package& package) {
  const auto shapes = [&](const std::vector<int64_t>& list) {
    std::vector<std::vector<int64_t>> out;
    for (const int64_t index : list) out.push_back(package.tensors[index].shape);
    return out;
  };
  return BatchOf(shapes(package.inputs), shapes(package.outputs));
}

std::vector<int64_t> LabelsOf(const Inputs& inputs, const std::string& file, int64_t count,
                              int64_t classes) {
  if (!file.empty() && !inputs.labels.empty())
    throw Error(file, "labels", "", StrCat(inputs.list, " has labels, too"));
  std::vector<int64_t> labels = file.empty() ? inputs.labels : LoadLabels(file, classes);
  if (labels.empty() && file.empty()) return {};
  for (const int64_t label : labels)
    if (label < 0 || label >= classes)
      throw Error(
          inputs.list, "label", std::to_string(label),
          StrCat("must be 0 to ", classes - 1, ": the output has ", Counted(classes, "class")));
  if (std::ssize(labels) != count)
    throw Error(file.empty() ? inputs.list : file, "labels", std::to_string(labels.size()),
                StrCat(count == 1 ? "there is " : "there are ", Counted(count, "sample")));
  return labels;
}

void WriteOutputs(const isa::Package& package, const std::vector<std::string>& files,
                  const Inferences& outputs, SerializeFunction* serialize) {
  for (size_t t = 0; t < files.size(); ++t) {
    std::vector<std::vector<uint8_t>> samples;
    for (const auto& inference : outputs) samples.push_back(inference[t]);
    WriteFileAtomically(files[t],
                        serialize(samples, package.tensors[package.outputs[t]], files[t]));
  }
}

}  // namespace vta::tools
