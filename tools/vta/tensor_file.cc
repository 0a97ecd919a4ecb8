#include "tools/vta/tensor_file.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include "compiler/frontend/onnx.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

using compiler::DType;
using compiler::Shape;
using compiler::Tensor;

constexpr std::string_view kMagic = "\x93NUMPY";

// NumPy's names of element types, in the byte order of this machine.
struct TypeRow {
  DType dtype;
  std::string_view code;
};
constexpr TypeRow kTypes[] = {{DType::kBool, "|b1"},    {DType::kInt8, "|i1"},
                              {DType::kUint8, "|u1"},   {DType::kInt16, "<i2"},
                              {DType::kUint16, "<u2"},  {DType::kInt32, "<i4"},
                              {DType::kUint32, "<u4"},  {DType::kInt64, "<i8"},
                              {DType::kFloat32, "<f4"}, {DType::kFloat64, "<f8"}};

// The header of an *.npy file: the text of a Python dictionary with three keys.
class NpyHeader {
 public:
  NpyHeader(std::string_view text, const std::string& file) : rest_(text), file_(file) {
    Expect("{");
    while (!Take("}")) {
      ReadEntry();
      if (!Take(",")) {
        Expect("}");
        break;
      }
    }
    Skip();
    if (!rest_.empty() || !dtype_ || !has_order_ || !shape_)
      throw Fail("must hold descr, fortran_order and shape, and nothing else");
  }

  DType dtype() const { return *dtype_; }
  const Shape& shape() const { return *shape_; }

 private:
  Error Fail(const std::string& rule) const {
    constexpr size_t kMostShown = 40;
    return Error(file_, "NumPy header", StrCat("'", rest_.substr(0, kMostShown), "'"), rule);
  }
  void Skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool Take(std::string_view word) {
    Skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void Expect(std::string_view word) {
    if (!Take(word)) throw Fail(StrCat("must go on with ", word));
  }
  std::string_view Quoted() {
    const std::string_view quote = Take("'") ? "'" : "\"";
    if (quote == "\"") Expect(quote);
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) throw Fail("must close its quote");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void ReadEntry() {
    const std::string_view key = Quoted();
    Expect(":");
    if (key == "descr") {
      ReadType(Quoted());
    } else if (key == "fortran_order") {
      has_order_ = true;
      if (!Take("False"))
        throw Fail("must be False: rows first, as numpy.ascontiguousarray makes them");
    } else if (key == "shape") {
      ReadShape();
    } else {
      throw Fail(StrCat("has no key ", key));
    }
  }
  void ReadType(std::string_view code) {
    std::string codes;
    for (const TypeRow& row : kTypes) {
      if (row.code == code) dtype_ = row.dtype;
      codes += StrCat(codes.empty() ? "" : " ", row.code);
    }
    if (!dtype_) throw Error(file_, "NumPy type", std::string(code), "must be one of " + codes);
  }
  void ReadShape() {
    shape_.emplace();
    Expect("(");
    while (!Take(")")) {
      Skip();
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), extent);
      if (error != std::errc() || extent < 0) throw Fail("must be a dimension");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.begin()));
      shape_->push_back(extent);
      if (!Take(",")) {
        Expect(")");
        break;
      }
    }
  }

  std::string_view rest_;
  const std::string& file_;
  std::optional<DType> dtype_;
  std::optional<Shape> shape_;
  bool has_order_ = false;
};

std::string NpyHeaderText(const Tensor& tensor) {
  std::string shape;
  for (int64_t extent : tensor.shape()) shape += StrCat(shape.empty() ? "" : " ", extent, ",");
  if (tensor.shape().size() > 1) shape.pop_back();  // a comma ends a tuple of one alone
  std::string_view code;
  for (const TypeRow& row : kTypes)
    if (row.dtype == tensor.dtype()) code = row.code;
  std::string text =
      StrCat("{'descr': '", code, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr size_t kBefore = 10, kAlignment = 64;  // of the data, as NumPy does it
  text.append(kAlignment - 1 - (kBefore + text.size()) % kAlignment, ' ');
  return text + "\n";
}

std::vector<uint8_t> SerializeNpy(const Tensor& tensor) {
  const std::string header = NpyHeaderText(tensor);
  std::vector<uint8_t> out(kMagic.begin(), kMagic.end());
  const auto size = static_cast<uint16_t>(header.size());
  for (int byte : {1, 0, size & 0xFF, size >> 8}) out.push_back(static_cast<uint8_t>(byte));
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), tensor.bytes().begin(), tensor.bytes().end());
  return out;
}

bool IsNpy(const std::string& path) { return std::filesystem::path(path).extension() == ".npy"; }

}  // namespace

bool IsTensorFile(const std::string& path) {
  return IsNpy(path) || std::filesystem::path(path).extension() == ".pb";
}

Tensor ParseNpy(std::span<const uint8_t> bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || bytes.size() < kMagic.size() + 4)
    throw Error(file, "", "", "is not a NumPy array: it must start with \\x93NUMPY");
  const int version = bytes[6];
  if (version < 1 || version > 3)
    throw Error(file, "NumPy format", std::to_string(version), "must be 1, 2 or 3");
  const size_t size_bytes = version == 1 ? 2 : 4, start = kMagic.size() + 2 + size_bytes;
  uint64_t size = 0;
  for (size_t i = 0; i < size_bytes && start <= bytes.size(); ++i)
    size |= uint64_t{bytes[kMagic.size() + 2 + i]} << (8 * i);
  if (start > bytes.size() || size > bytes.size() - start)
    throw Error(file, "NumPy header", StrCat(size, " bytes"),
                StrCat("must end inside the file of ", bytes.size()));
  const NpyHeader header(text.substr(start, size), file);
  bool empty = false;
  Shape extents = header.shape();
  for (int64_t& extent : extents)
    if (extent == 0) empty = true, extent = 1;
  const std::optional<int64_t> elements = compiler::CheckedElements(extents);
  const std::span<const uint8_t> data = bytes.subspan(start + size);
  const int64_t wanted = empty ? 0 : elements.value_or(0) * compiler::Bytes(header.dtype());
  if (!elements || static_cast<int64_t>(data.size()) != wanted)
    throw Error(file, "data", StrCat(data.size(), " bytes"),
                StrCat("its header says ", compiler::Name(header.dtype()),
                       compiler::ToText(header.shape())));
  Tensor tensor({header.dtype(), header.shape()}, {data.begin(), data.end()});
  if (tensor.dtype() == DType::kBool)
    for (uint8_t& value : tensor.mutable_bytes()) value = value != 0;
  return tensor;
}

Tensor ParseTensorFile(std::span<const uint8_t> bytes, const std::string& file) {
  return IsNpy(file) ? ParseNpy(bytes, file) : compiler::ParseOnnxTensor(bytes, file);
}

std::vector<uint8_t> SerializeTensorFile(const Tensor& tensor, const std::string& path) {
  return IsNpy(path) ? SerializeNpy(tensor) : compiler::SerializeOnnxTensor(tensor);
}

}  // namespace vta::tools
