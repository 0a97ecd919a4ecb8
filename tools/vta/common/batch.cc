#include "tools/vta/common/batch.h"

#include <limits>
#include <span>

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

std::string DigitsOf(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += kDigits[byte >> 4], text += kDigits[byte & 15];
  return text;
}

AlignedBytes BytesOf(JsonReader& json, std::string_view key) {
  const std::string text = json.String(key);
  AlignedBytes bytes(text.size() / 2);
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == kDigits.npos || text.size() % 2 != 0)
      throw json.Fail(key, "must be two hexadecimal digits for each byte");
    bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] << 4 | digit);
  }
  return bytes;
}

std::string Text(const BatchLine& line) {
  Json json = ToJson(line.entry);
  json.Set("macs", line.macs);
  if (line.package) {
    const std::vector<uint8_t> code = isa::ModuleBytes(*line.package);
    json.Set("package", Json::Parse(isa::ManifestText(*line.package), ""))
        .Set("constants", DigitsOf(line.package->constants))
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
    line.package->constants = BytesOf(json, "constants");
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
