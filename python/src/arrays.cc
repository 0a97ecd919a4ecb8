#include "python/src/arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "isa/support/aligned_bytes.h"
#include "isa/support/error.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

struct Row {
  isa::ElementType type;
  std::string_view formats;  // of the buffer protocol, at this type's size
};
constexpr Row kRows[] = {
    {isa::ElementType::kInt8, "b"},   {isa::ElementType::kUint8, "B"},
    {isa::ElementType::kInt16, "h"},  {isa::ElementType::kInt32, "il"},
    {isa::ElementType::kInt64, "lq"}, {isa::ElementType::kFloat32, "f"},
    {isa::ElementType::kBool, "?"},
};

const Row& RowOf(isa::ElementType type) {
  const auto row = std::ranges::find(kRows, type, &Row::type);
  VTA_CHECK(row != std::end(kRows));
  return *row;
}

std::string Text(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t size : shape) text += StrCat(text.empty() ? "" : ",", size);
  return StrCat("[", text, "]");
}

}  // namespace

ArrayBytes::ArrayBytes(nb::handle array, const isa::PackageTensor& tensor,
                       const std::string& subject, bool writes) {
  const int flags = PyBUF_FORMAT | PyBUF_STRIDES | (writes ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), &view_, flags) != 0) {
    PyErr_Clear();
    const bool is_read_only = writes && PyObject_CheckBuffer(array.ptr());
    throw Error("", subject, nb::type_name(array.type()).c_str(),
                is_read_only ? "is read-only"
                             : StrCat("must be an array of ", isa::ElementTypeName(tensor.type),
                                      " ", Text(tensor.shape)));
  }
  try {
    Require(tensor, subject);
    if (PyBuffer_IsContiguous(&view_, 'C')) {
      bytes_ = {static_cast<uint8_t*>(view_.buf), static_cast<size_t>(view_.len)};
      return;
    }
    if (writes) throw Error("", subject, "", "must lie in memory row by row");
    copy_.resize(static_cast<size_t>(view_.len));
    if (PyBuffer_ToContiguous(copy_.data(), &view_, view_.len, 'C') != 0) throw nb::python_error();
    bytes_ = copy_;
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

ArrayBytes::ArrayBytes(ArrayBytes&& other) noexcept
    : view_(other.view_), copy_(std::move(other.copy_)), bytes_(other.bytes_) {
  other.view_ = {};
  // shape and strides of a small view lie in the exporter, or in `internal`: neither moves
}

ArrayBytes::~ArrayBytes() {
  if (view_.obj) PyBuffer_Release(&view_);
}

void ArrayBytes::Require(const isa::PackageTensor& tensor, const std::string& subject) const {
  const Row& row = RowOf(tensor.type);
  std::string_view format = view_.format ? view_.format : "B";
  if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  const bool fits = format.size() == 1 && row.formats.find(format[0]) != std::string_view::npos;
  if (!fits || view_.itemsize != isa::ElementTypeBytes(tensor.type)) {
    std::string found(format);
    for (const Row& other : kRows)
      if (format.size() == 1 && other.formats.find(format[0]) != std::string_view::npos &&
          view_.itemsize == isa::ElementTypeBytes(other.type))
        found = isa::ElementTypeName(other.type);
    if (format == "d") found = "float64";
    throw Error("", StrCat(subject, " dtype"), found,
                StrCat("must be ", isa::ElementTypeName(tensor.type)));
  }
  const std::vector<int64_t> shape(view_.shape, view_.shape + view_.ndim);
  if (shape != tensor.shape)
    throw Error("", StrCat(subject, " shape"), Text(shape), StrCat("must be ", Text(tensor.shape)));
}

ArrayMaker::ArrayMaker(std::span<const isa::PackageTensor> tensors) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  empty_ = numpy.attr("empty");
  ndarray_ = numpy.attr("ndarray");
  uint8_ = numpy.attr("dtype")("uint8");
  for (const isa::PackageTensor& tensor : tensors) {
    nb::list shape;
    for (const int64_t size : tensor.shape) shape.append(size);
    kinds_.push_back({numpy.attr("dtype")(std::string(isa::ElementTypeName(tensor.type))),
                      nb::tuple(shape), tensor.bytes()});
  }
}

nb::object ArrayMaker::Make(size_t tensor) const {
  constexpr auto kLine = static_cast<int64_t>(kCacheLineBytes);
  const Kind& kind = kinds_[tensor];
  const nb::object memory = empty_(kind.bytes + kLine, uint8_);
  Py_buffer view = {};
  if (PyObject_GetBuffer(memory.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
  const auto at = static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.buf));
  PyBuffer_Release(&view);
  return ndarray_(kind.shape, kind.dtype, memory, (kLine - at % kLine) % kLine);
}

}  // namespace vta::python
