#include "tools/shared/npy.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// NumPy's names of element types, in the byte order of this machine.
struct TypeRow {
  std::string_view type, code;
  int64_t bytes;
};
constexpr TypeRow kTypes[] = {{"bool", "|b1", 1},   {"int8", "|i1", 1},   {"uint8", "|u1", 1},
                              {"int16", "<i2", 2},  {"uint16", "<u2", 2}, {"int32", "<i4", 4},
                              {"uint32", "<u4", 4}, {"int64", "<i8", 8},  {"float32", "<f4", 4},
                              {"float64", "<f8", 8}};

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
    if (!rest_.empty() || !type_ || !has_order_ || !shape_)
      throw Fail("must hold descr, fortran_order and shape, and nothing else");
  }

  const TypeRow& type() const { return *type_; }
  const std::vector<int64_t>& shape() const { return *shape_; }

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
      if (row.code == code) type_ = &row;
      codes += StrCat(codes.empty() ? "" : " ", row.code);
    }
    if (!type_) throw Error(file_, "NumPy type", std::string(code), "must be one of " + codes);
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
  const TypeRow* type_ = nullptr;
  std::optional<std::vector<int64_t>> shape_;
  bool has_order_ = false;
};

std::string NpyHeaderText(const StoredTensor& tensor) {
  std::string shape;
  for (int64_t extent : tensor.shape) shape += StrCat(shape.empty() ? "" : " ", extent, ",");
  if (tensor.shape.size() > 1) shape.pop_back();  // a comma ends a tuple of one alone
  std::string_view code;
  for (const TypeRow& row : kTypes)
    if (row.type == tensor.type) code = row.code;
  VTA_CHECK(!code.empty(), tensor.type);
  std::string text =
      StrCat("{'descr': '", code, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr size_t kBefore = 10, kAlignment = 64;  // of the data, as NumPy does it
  text.append(kAlignment - 1 - (kBefore + text.size()) % kAlignment, ' ');
  return text + "\n";
}

// The product of the dimensions; nothing where it exceeds what a file may hold.
std::optional<int64_t> Elements(const std::vector<int64_t>& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (std::ranges::count(shape, 0) > 0) return 0;
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > kMost / elements) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

}  // namespace

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t extent : shape) text += StrCat(text.empty() ? "" : ",", extent);
  return StrCat("[", text, "]");
}

bool IsNpy(const std::string& path) { return std::filesystem::path(path).extension() == ".npy"; }

std::vector<uint8_t> SerializeNpy(const StoredTensor& tensor) {
  const std::string header = NpyHeaderText(tensor);
  std::vector<uint8_t> out(kMagic.begin(), kMagic.end());
  const auto size = static_cast<uint16_t>(header.size());
  for (int byte : {1, 0, size & 0xFF, size >> 8}) out.push_back(static_cast<uint8_t>(byte));
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  return out;
}

StoredTensor ParseNpy(std::span<const uint8_t> bytes, const std::string& file) {
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
    throw Error(file, "NumPy header", Counted(size, "byte"),
                StrCat("must end inside the file of ", bytes.size()));
  const NpyHeader header(text.substr(start, size), file);
  const std::optional<int64_t> elements = Elements(header.shape());
  const std::span<const uint8_t> data = bytes.subspan(start + size);
  if (!elements || static_cast<int64_t>(data.size()) != *elements * header.type().bytes)
    throw Error(file, "data", Counted(data.size(), "byte"),
                StrCat("its header says ", header.type().type, ShapeText(header.shape())));
  StoredTensor tensor{std::string(header.type().type), header.shape(), {data.begin(), data.end()}};
  if (tensor.type == "bool")
    for (uint8_t& value : tensor.bytes) value = value != 0;
  return tensor;
}

}  // namespace vta::tools
