#include "isa/package_memory.h"

#include <algorithm>
#include <map>
#include <vector>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

constexpr int64_t kConstants = -1;

struct Bytes {
  int64_t begin = 0, end = 0;
  bool Meets(const Bytes& other) const {
    return std::max(begin, other.begin) < std::min(end, other.end);
  }
};

class Arena {
 public:
  Arena(const Package& package, const std::string& file)
      : package_(package),
        file_(file),
        constants_{package.constants_offset_bytes,
                   package.constants_offset_bytes + std::ssize(package.constants)},
        written_(package.tensors.size()) {
    for (const PackageTensor& tensor : package.tensors)
      bytes_.push_back({tensor.offset_bytes, tensor.offset_bytes + tensor.bytes()});
    Own(constants_, kConstants);
  }

  void Write(int64_t tensor, const std::string& writer) {
    const Bytes bytes = bytes_[tensor];
    if (bytes.Meets(constants_))
      Fail(tensor, StrCat("lie over the constants at ", Text(constants_), ", which ", writer,
                          " would overwrite"));
    Own(bytes, tensor);
    written_[tensor] = true;
  }

  void Read(int64_t tensor, const std::string& reader) const {
    const Bytes bytes = bytes_[tensor];
    int64_t at = bytes.begin;
    for (auto piece = FirstIn(bytes); at < bytes.end; ++piece) {
      if (piece == owners_.end() || piece->first > at)
        Fail(tensor, StrCat("are not written before ", reader, " reads byte ", at));
      // A tensor that nothing writes as such is a view of what lies there.
      if (written_[tensor] && piece->second.owner != tensor)
        Fail(tensor,
             StrCat("are overwritten by ", NameOf(piece->second.owner), " at ",
                    Text({piece->first, piece->second.end}), " before ", reader, " reads them"));
      at = piece->second.end;
    }
  }

  template <typename... Where>
  void RequireApart(int64_t a, int64_t b, const Where&... where) const {
    if (bytes_[a].Meets(bytes_[b]))
      Fail(a, StrCat("lie over ", NameOf(b), " at ", Text(bytes_[b]), ", ", where...));
  }

 private:
  struct Piece {
    int64_t end = 0, owner = 0;
  };
  using Pieces = std::map<int64_t, Piece>;  // by first byte, apart

  /// The piece that holds the first byte, or the first one after it.
  Pieces::const_iterator FirstIn(const Bytes& bytes) const {
    auto piece = owners_.upper_bound(bytes.begin);
    if (piece != owners_.begin() && std::prev(piece)->second.end > bytes.begin) --piece;
    return piece;
  }

  void Own(const Bytes& bytes, int64_t owner) {
    if (bytes.begin == bytes.end) return;
    Cut(bytes.begin);
    Cut(bytes.end);
    owners_.erase(owners_.lower_bound(bytes.begin), owners_.lower_bound(bytes.end));
    owners_[bytes.begin] = {bytes.end, owner};
  }

  /// Lets no piece reach over `at`.
  void Cut(int64_t at) {
    auto piece = owners_.lower_bound(at);
    if (piece == owners_.begin()) return;
    Piece& before = std::prev(piece)->second;
    if (before.end <= at) return;
    owners_[at] = before;
    before.end = at;
  }

  std::string NameOf(int64_t owner) const {
    return owner == kConstants ? "the constants" : package_.tensors[owner].name;
  }
  static std::string Text(const Bytes& bytes) {
    return StrCat("bytes ", bytes.begin, " to ", bytes.end);
  }
  [[noreturn]] void Fail(int64_t tensor, const std::string& rule) const {
    throw Error(file_, StrCat("tensors[", tensor, "] ", package_.tensors[tensor].name),
                Text(bytes_[tensor]), rule);
  }

  const Package& package_;
  const std::string& file_;
  Bytes constants_;
  std::vector<Bytes> bytes_;   // of each tensor
  Pieces owners_;              // whose content each written byte is
  std::vector<bool> written_;  // tensors, as a whole
};

}  // namespace

void CheckPackageMemory(const Package& package, const std::string& file) {
  Arena arena(package, file);
  for (size_t i = 0; i < package.inputs.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      arena.RequireApart(package.inputs[i], package.inputs[j], "both inputs of the model");
    arena.Write(package.inputs[i], "the caller");
  }
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const PackageStep& step = package.steps[i];
    const std::string name = StrCat("step ", i, " ", step.name);
    for (int64_t input : step.inputs) arena.Read(input, name);
    for (size_t o = 0; o < step.outputs.size(); ++o) {
      for (int64_t input : step.inputs)
        arena.RequireApart(step.outputs[o], input, "which ", name, " takes");
      for (size_t other = 0; other < o; ++other)
        arena.RequireApart(step.outputs[o], step.outputs[other], "which ", name, " makes too");
    }
    for (int64_t output : step.outputs) arena.Write(output, name);
  }
  for (int64_t output : package.outputs) arena.Read(output, "the caller");
}

}  // namespace vta::isa
