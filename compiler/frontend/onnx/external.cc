#include "compiler/frontend/onnx/external.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

// What writers of models put there; the last two are of no use to a reader.
constexpr std::string_view kKeys[] = {"location", "offset", "length", "checksum", "basepath"};

class External {
 public:
  External(const onnx::TensorProto& proto, const std::string& where)
      : proto_(proto), where_(where) {
    for (const auto& entry : proto.external_data()) {
      if (std::ranges::find(kKeys, entry.key()) == std::end(kKeys))
        throw Fail("external data", entry.key(), "is no key of it");
      if (!keys_.emplace(entry.key(), entry.value()).second)
        throw Fail("external data", entry.key(), "is given twice");
    }
  }

  Error Fail(std::string_view what, std::string value, std::string rule) const {
    return Error(where_, StrCat("tensor \"", proto_.name(), "\", ", what), std::move(value),
                 std::move(rule));
  }

  /// A decimal number from 0 to 2^62.
  int64_t Number(const char* key, int64_t otherwise) const {
    constexpr int64_t kMost = int64_t{1} << 62;
    const auto found = keys_.find(key);
    if (found == keys_.end()) return otherwise;
    const std::string& text = found->second;
    int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > kMost)
      throw Fail(key, text, "must be a number of bytes");
    return number;
  }

  /// The location as the model has it. Errors: throws Error where it is none in the folder.
  std::string Location() const {
    const auto found = keys_.find("location");
    if (found == keys_.end() || found->second.empty())
      throw Fail("location", "missing", "must name a file");
    const std::string& location = found->second;
    const fs::path path(location);
    if (path.is_absolute())
      throw Fail("location", location, "must be relative to the model's folder");
    if (std::ranges::find(path, fs::path("..")) != path.end())
      throw Fail("location", location, "must not contain ..");
    if (location.find('\0') != std::string::npos)
      throw Fail("location", location, "must not contain a zero byte");
    return location;
  }

  /// The file that the location names, with no links left in its path.
  fs::path File(const std::string& folder) const {
    const std::string location = Location();
    std::error_code error;
    const fs::path inside = fs::canonical(folder, error);
    if (error) throw Fail("folder of the model", folder, error.message());
    const fs::path file = fs::canonical(inside / location, error);
    if (error) throw Fail("location", location, error.message());
    if (std::ranges::mismatch(inside, file).in1 != inside.end())
      throw Fail("location", location, "leads outside of the model's folder");
    if (!fs::is_regular_file(file, error)) throw Fail("location", location, "must be a file");
    return file;
  }

 private:
  const onnx::TensorProto& proto_;
  const std::string& where_;
  std::map<std::string, std::string, std::less<>> keys_;
};

bool HasDataInside(const onnx::TensorProto& proto) {
  return proto.has_raw_data() || proto.float_data_size() + proto.int32_data_size() +
                                         proto.int64_data_size() + proto.uint64_data_size() +
                                         proto.double_data_size() + proto.string_data_size() >
                                     0;
}

}  // namespace

bool IsExternal(const onnx::TensorProto& proto) {
  return proto.data_location() == onnx::TensorProto::EXTERNAL || proto.external_data_size() > 0;
}

bool HasExternal(const onnx::TensorProto& proto, const std::string& folder,
                 const std::string& where) {
  const std::string location = External(proto, where).Location();
  std::error_code ignored;  // what cannot be looked at is refused when it is read
  return !folder.empty() && fs::symlink_status(fs::path(folder) / location, ignored).type() !=
                                fs::file_type::not_found;
}

std::vector<uint8_t> ReadExternal(const onnx::TensorProto& proto, int64_t bytes,
                                  const std::string& folder, const std::string& where) {
  const External external(proto, where);
  if (folder.empty())
    throw external.Fail("external data", "in another file",
                        "there is no folder to look for it: the model was not read from a file");
  if (proto.data_location() != onnx::TensorProto::EXTERNAL)
    throw external.Fail("data_location", "DEFAULT",
                        "must be EXTERNAL where there is external data");
  if (HasDataInside(proto))
    throw external.Fail("external data", "beside data in the model", "must be the only data");
  const int64_t offset = external.Number("offset", 0), length = external.Number("length", bytes);
  if (length != bytes)
    throw external.Fail("length", StrCat(length), StrCat("its type asks for ", bytes));
  const fs::path file = external.File(folder);
  const auto size = static_cast<int64_t>(fs::file_size(file));
  if (offset > size || bytes > size - offset)
    throw external.Fail(StrCat("file ", file.filename().string()), Counted(size, "byte"),
                        StrCat("must have ", Counted(bytes, "byte"), " at ", offset));
  std::vector<uint8_t> data(bytes);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.seekg(offset).read(reinterpret_cast<char*>(data.data()), bytes))
    throw external.Fail("file", file.filename().string(), "cannot be read");
  return data;
}

}  // namespace vta::compiler
