#include "tools/vta/common/trials/batch.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "isa/spec/gpu.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"

namespace vta::tools {
namespace {

using compiler::tune::Sealed;
using compiler::tune::Unsealed;

constexpr int64_t kBatchVersion = 1;
constexpr int64_t kMostNumber = std::numeric_limits<int64_t>::max();
constexpr std::string_view kHead = "{\"batch_of\":";

constexpr std::string_view kDigits = "0123456789abcdef";

constexpr size_t kAlike = 16;  // bytes in a row that are worth a reference

/// Digits of bytes, and in the place of those that stood before [how far back, how many].
Json::Array Shortened(std::span<const uint8_t> bytes) {
  Json::Array parts;
  std::string own;
  const auto end_own = [&] {
    if (!own.empty()) parts.emplace_back(std::exchange(own, ""));
  };
  std::unordered_map<std::string_view, size_t> seen;  // where they stood last
  for (size_t at = 0; at < bytes.size();) {
    size_t count = 0, from = at;
    if (at + kAlike <= bytes.size()) {
      const std::string_view here(reinterpret_cast<const char*>(&bytes[at]), kAlike);
      from = std::exchange(seen.try_emplace(here, at).first->second, at);
      while (from < at && at + count < bytes.size() && bytes[from + count] == bytes[at + count])
        ++count;
    }
    if (count >= kAlike) {
      end_own();
      parts.emplace_back(Json::Array{static_cast<int64_t>(at - from), static_cast<int64_t>(count)});
      at += count;
    } else {
      own += kDigits[bytes[at] >> 4], own += kDigits[bytes[at] & 15];
      ++at;
    }
  }
  end_own();
  return parts;
}

/// So many.
AlignedBytes BytesOf(JsonReader& json, std::string_view key, size_t size) {
  AlignedBytes bytes;
  for (const Json& part : json.Array(key)) {
    const std::string* const digits = part.as_string();
    const Json::Array* const pair = part.as_array();
    if (digits && digits->size() % 2 == 0 && digits->size() / 2 <= size - bytes.size() &&
        digits->find_first_not_of(kDigits) == std::string::npos) {
      for (size_t i = 0; i < digits->size(); i += 2)
        bytes.push_back(
            static_cast<uint8_t>(kDigits.find((*digits)[i]) << 4 | kDigits.find((*digits)[i + 1])));
      continue;
    }
    const int64_t* const back = pair && pair->size() == 2 ? (*pair)[0].as_int() : nullptr;
    const int64_t* const count = back ? (*pair)[1].as_int() : nullptr;
    if (!count || *back < 1 || *back > std::ssize(bytes) || *count < 1 ||
        *count > static_cast<int64_t>(size - bytes.size()))
      throw json.Fail(key, StrCat("must be digits and references of ", size, " bytes"));
    for (int64_t i = 0; i < *count; ++i) bytes.push_back(bytes[bytes.size() - *back]);
  }
  if (bytes.size() != size) throw json.Fail(key, StrCat("must be ", size, " bytes"));
  return bytes;
}

std::string Text(const BatchLine& line) {
  Json json = ToJson(line.entry);
  json.Set("macs", line.macs);
  if (line.package) {
    const std::vector<uint8_t> code = isa::ModuleBytes(*line.package);
    json.Set("package", Json::Parse(isa::ManifestText(*line.package), ""))
        .Set("constants", Shortened(line.package->constants))
        .Set("code", std::string(code.begin(), code.end()));
  }
  return Sealed(json);
}

BatchLine ParseLine(std::string_view text, const std::string& where, const isa::GpuRow& kind) {
  const Json parsed = Unsealed(text, where);
  JsonReader json(parsed, where);
  BatchLine line{compiler::tune::ReadEntry(json), json.Int("macs", 0, kMostNumber)};
  if (line.entry.key.target != kind.name)
    throw json.Fail("target", StrCat("must be ", kind.name, ", that of the batch"));
  if (json.Has("package") == !line.entry.failure.empty())
    throw Error(where, "package", "", "must be there, or a failure in its place");
  if (json.Has("package")) {
    const std::string place = StrCat(where, ": package");
    const std::string manifest = json.Any("package").Dump(-1), code = json.String("code");
    line.package = isa::ParseManifest(
        manifest, {reinterpret_cast<const uint8_t*>(code.data()), code.size()}, place);
    const int64_t room = line.package->arena_bytes - line.package->constants_offset_bytes;
    line.package->constants = BytesOf(json, "constants", std::max<int64_t>(room, 0));
    isa::ValidatePackage(*line.package, place);
    if (line.package->Gpu() != &kind)
      throw Error(where, "package", "", StrCat("must hold code for ", kind.name));
  }
  json.Finish();
  return line;
}

}  // namespace

void WriteBatch(const Batch& batch, const std::string& path) {
  std::string text = Sealed(Json()
                                .Set("batch_of", batch.model)
                                .Set("version", kBatchVersion)
                                .Set("target", batch.target)
                                .Set("lines", std::ssize(batch.lines)));
  for (const BatchLine& line : batch.lines) text += Text(line);
  WriteFileAtomically(path, text);
}

Batch ReadBatch(const std::string& path) {
  const std::string text = ReadTextFile(path);
  const std::vector<compiler::tune::Line> lines = compiler::tune::LinesOf(text, path);
  if (lines.empty() || !lines[0].text.starts_with(kHead))
    throw Error(path, "", "", "is no batch, as vta tune --export writes it");
  const Json parsed = Unsealed(lines[0].text, lines[0].where);
  JsonReader head(parsed, lines[0].where);
  head.Int("version", kBatchVersion, kBatchVersion);
  Batch batch{head.String("batch_of"), head.String("target"), {}};
  const isa::GpuRow* const kind = isa::FindGpu(batch.target);
  if (!kind) throw head.Fail("target", "must be that of a GPU");
  const int64_t count = head.Int("lines", 1, kMostNumber);
  head.String("sum");
  head.Finish();
  for (const compiler::tune::Line& line : std::span(lines).subspan(1))
    batch.lines.push_back(ParseLine(line.text, line.where, *kind));
  if (std::ssize(batch.lines) != count)
    throw Error(path, "lines", StrCat(batch.lines.size()),
                StrCat("must be the ", count, " of its head: it was cut or edited"));
  return batch;
}

}  // namespace vta::tools
