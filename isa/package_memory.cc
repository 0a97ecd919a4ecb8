#include "isa/package_memory.h"

#include <algorithm>
#include <map>
#include <optional>
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

/// Whose each byte is.
class Owners {
 public:
  struct Piece {
    int64_t end = 0, owner = 0;
  };
  using Pieces = std::map<int64_t, Piece>;  // by first byte, apart

  /// The piece that holds the first byte, or the first one after it.
  Pieces::const_iterator FirstIn(const Bytes& bytes) const {
    auto piece = pieces_.upper_bound(bytes.begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.end > bytes.begin) --piece;
    return piece;
  }
  Pieces::const_iterator end() const { return pieces_.end(); }

  /// An owner of some of the bytes, or nothing.
  std::optional<int64_t> OneOf(const Bytes& bytes) const {
    const auto piece = FirstIn(bytes);
    if (piece == end() || piece->first >= bytes.end) return std::nullopt;
    return piece->second.owner;
  }

  void Own(const Bytes& bytes, int64_t owner) {
    if (bytes.begin == bytes.end) return;
    Cut(bytes.begin);
    Cut(bytes.end);
    pieces_.erase(pieces_.lower_bound(bytes.begin), pieces_.lower_bound(bytes.end));
    pieces_[bytes.begin] = {bytes.end, owner};
  }

 private:
  /// Lets no piece reach over `at`.
  void Cut(int64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin()) return;
    Piece& before = std::prev(piece)->second;
    if (before.end <= at) return;
    pieces_[at] = before;
    before.end = at;
  }

  Pieces pieces_;
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
    owners_.Own(constants_, kConstants);
  }

  void Write(int64_t tensor, const std::string& writer) {
    const Bytes bytes = bytes_[tensor];
    if (bytes.Meets(constants_))
      Fail(tensor, StrCat("lie over the constants at ", Text(constants_), ", which ", writer,
                          " would overwrite"));
    owners_.Own(bytes, tensor);
    written_[tensor] = true;
  }

  void Read(int64_t tensor, const std::string& reader) const {
    const Bytes bytes = bytes_[tensor];
    // Constants may lie elsewhere than what an inference writes.
    if (bytes.Meets(constants_) && (bytes.begin < constants_.begin || bytes.end > constants_.end))
      Fail(tensor, StrCat("lie over a part of the constants at ", Text(constants_), ", and ",
                          reader, " reads more"));
    int64_t at = bytes.begin;
    for (auto piece = owners_.FirstIn(bytes); at < bytes.end; ++piece) {
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
  void RequireApart(int64_t tensor, const Owners& others, const Where&... where) const {
    const Bytes& bytes = bytes_[tensor];
    if (bytes.begin == bytes.end) return;
    if (const auto other = others.OneOf(bytes))
      Fail(tensor,
           StrCat("lie over ", NameOf(*other), " at ", Text(bytes_[*other]), ", ", where...));
  }
  const Bytes& BytesOf(int64_t tensor) const { return bytes_[tensor]; }

 private:
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
  Owners owners_;              // whose content each written byte is
  std::vector<bool> written_;  // tensors, as a whole
};

}  // namespace

void CheckPackageMemory(const Package& package, const std::string& file) {
  Arena arena(package, file);
  Owners given;
  for (int64_t input : package.inputs) {
    arena.RequireApart(input, given, "both inputs of the model");
    given.Own(arena.BytesOf(input), input);
    arena.Write(input, "the caller");
  }
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const PackageStep& step = package.steps[i];
    const std::string name = StrCat("step ", i, " ", step.name);
    Owners taken, made;
    for (int64_t input : step.inputs) {
      arena.Read(input, name);
      taken.Own(arena.BytesOf(input), input);
    }
    for (int64_t output : step.outputs) {
      arena.RequireApart(output, taken, "which ", name, " takes");
      arena.RequireApart(output, made, "which ", name, " makes too");
      made.Own(arena.BytesOf(output), output);
    }
    for (int64_t output : step.outputs) arena.Write(output, name);
  }
  for (int64_t output : package.outputs) arena.Read(output, "the caller");
}

}  // namespace vta::isa
