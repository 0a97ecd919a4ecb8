#include "tools/vta/hw/bit_file.h"

#include <algorithm>
#include <span>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"

namespace vta::tools {
namespace {

constexpr uint8_t kBegin[] = {0x00, 0x09, 0x0f, 0xf0, 0x0f, 0xf0, 0x0f,
                              0xf0, 0x0f, 0xf0, 0x00, 0x00, 0x01};

class BitReader {
 public:
  BitReader(const std::string& file, std::span<const uint8_t> rest) : file_(file), rest_(rest) {
    if (!std::ranges::equal(Take(std::min(std::size(kBegin), rest.size())), kBegin)) throw NoBit();
  }
  /// Of the field of that letter, behind a length of so many bytes. The last one's is the file's
  /// rest.
  std::span<const uint8_t> Field(char letter, int length_bytes) {
    field_ = StrCat("field ", std::string(1, letter));
    if (Take(1)[0] != letter) throw NoBit();
    size_t length = 0;
    for (const uint8_t byte : Take(length_bytes)) length = length << 8 | byte;
    return Take(length);
  }
  size_t left() const { return rest_.size(); }

 private:
  Error NoBit() const { return {file_, field_, "", "is no bitstream of Xilinx's tools (.bit)"}; }
  std::span<const uint8_t> Take(size_t count) {
    if (count > rest_.size())
      throw Error(file_, field_, "",
                  StrCat("is cut off: ", Counted(count, "byte"), " must follow where ",
                         rest_.size(), " do"));
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  const std::string& file_;
  std::string field_;
  std::span<const uint8_t> rest_;
};

}  // namespace

std::vector<uint8_t> ReadBitFile(const std::string& file, std::string_view device) {
  std::vector<uint8_t> bytes = ReadFile(file);
  BitReader reader(file, bytes);
  reader.Field('a', 2);
  const auto name = reader.Field('b', 2);
  const std::string part(name.begin(), std::ranges::find(name, 0));
  if (part.find(device) == std::string::npos)
    throw Error(file, "part", part, StrCat("the board has a ", device));
  reader.Field('c', 2);
  reader.Field('d', 2);
  if (reader.Field('e', 4).empty())
    throw Error(file, "field e", "", "is empty: there is no design");
  if (reader.left() > 0)
    throw Error(file, "", "",
                StrCat("is ", Counted(reader.left(), "byte"), " longer than it says"));
  return bytes;
}

}  // namespace vta::tools
