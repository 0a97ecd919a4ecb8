// Samples of a model's input out of files of pictures (tools/images): one, all of a folder, or
// those of a list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/package.h"
#include "tools/shared/encoding.h"

namespace vta::tools {

/// Whether a path holds pictures: it names one, a list (*.txt) or a folder.
bool HoldsPictures(const std::string& path);

struct PictureFiles {
  std::vector<std::string> paths;
  std::vector<int64_t> labels;  // one each, or none
};

/// Of a folder: the pictures in it, by name, without those that begin with a dot; folders in it are
/// left alone. Of a list: a path a line, from the list's folder, and behind it, if anywhere then
/// everywhere, a blank and a label.
/// Errors: throws Error naming the folder where it has no pictures, or the line.
PictureFiles ListPictures(const std::string& path);
PictureFiles ParsePictureList(std::string_view text, const std::string& file);

/// A sample of the tensor for each picture, or for each N of them where the tensor [N,C,H,W] or
/// [N,H,W,C] takes so many; of the first `most` samples alone are files read. The picture becomes
/// upright, grey or coloured as C is 1 or 3, H x W, and its codes, 0 to 255, are converted as the
/// encoding says. One of type int8 takes them less 128 where the encoding converts nothing. Errors:
/// throws Error naming the file, as images::Decode; where its size is another and the encoding does
/// not resize; where the tensor is none for pictures. Throws UsageError where the tensor's shape
/// does not say which axis has the channels, and the encoding neither.
std::vector<std::vector<uint8_t>> PictureSamples(const std::vector<std::string>& paths,
                                                 const isa::PackageTensor& tensor,
                                                 const Encoding& encoding, int64_t most);

/// The names of --resize, and of its filters.
std::vector<std::string> ResizeNames();
std::vector<std::string> FilterNames();

}  // namespace vta::tools
