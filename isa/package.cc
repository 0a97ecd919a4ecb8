#include "isa/package.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "isa/package_format.h"
#include "isa/package_set.h"
#include "isa/spec/cpu.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "isa/work.h"

namespace vta::isa {
namespace {

constexpr size_t kFormatDigits = 2;
constexpr std::string_view kName = kPackageMagic.substr(0, kPackageMagic.size() - kFormatDigits);
constexpr std::string_view kFormat = kPackageMagic.substr(kName.size());
constexpr std::array<std::string_view, 4> kSections = {"manifest", "code", "constants", "modules"};
constexpr size_t kNameBytes = 16;
constexpr size_t kRowBytes = kNameBytes + 3 * 8;
constexpr size_t kHeadBytes = kPackageMagic.size() + kSections.size() * kRowBytes;
constexpr int64_t kMaxArenaBytes = int64_t{1} << 32;  // the reach of a 32-bit physical address

struct TypeRow {
  ElementType type;
  std::string_view name;
  int64_t bytes;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kInt8, "int8", 1},   {ElementType::kUint8, "uint8", 1},
    {ElementType::kInt16, "int16", 2}, {ElementType::kInt32, "int32", 4},
    {ElementType::kInt64, "int64", 8}, {ElementType::kFloat32, "float32", 4},
    {ElementType::kBool, "bool", 1},
};

void PutNumber(std::vector<uint8_t>& out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}
uint64_t GetNumber(const uint8_t* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Json::Array ToJson(const std::vector<int64_t>& values) {
  return Json::Array(values.begin(), values.end());
}

std::vector<int64_t> Integers(JsonReader& json, std::string_view key, int64_t low, int64_t high) {
  std::vector<int64_t> out;
  for (const Json& item : json.Array(key)) {
    const int64_t* value = item.as_int();
    if (!value || *value < low || *value > high)
      throw json.Fail(key, StrCat("must hold integers in [", low, ", ", high, "]"));
    out.push_back(*value);
  }
  return out;
}

Json Manifest(const Package& package) {
  Json::Array tensors, programs, kernels, modules, steps, launches;
  for (const PackageTensor& t : package.tensors)
    tensors.push_back(Json()
                          .Set("name", t.name)
                          .Set("type", std::string(ElementTypeName(t.type)))
                          .Set("shape", ToJson(t.shape))
                          .Set("offset", t.offset_bytes));
  for (const PackageProgram& p : package.programs)
    programs.push_back(Json().Set("first", p.first).Set("count", p.count));
  for (const PackageKernel& k : package.kernels) {
    Json kernel;
    kernel.Set("name", k.name).Set("tasks", k.tasks);
    if (k.threads > 0) kernel.Set("threads", k.threads);
    if (k.shared_bytes > 0) kernel.Set("shared", k.shared_bytes);
    kernels.push_back(
        kernel.Set("workspace", k.workspace_bytes).Set("arguments", ToJson(k.argument_bytes)));
  }
  for (const PackageModule& m : package.modules) {
    Json module;
    module.Set("format", m.format)
        .Set("arch", m.arch)
        .Set("features", Json::Array(m.features.begin(), m.features.end()));
    if (m.precision != Precision::kFp32) module.Set("precision", std::string(NameOf(m.precision)));
    modules.push_back(module.Set("bytes", std::ssize(m.code)));
  }
  for (const PackageStep& s : package.steps) {
    Json step;
    step.Set("name", s.name);
    switch (s.kind) {
      case PackageStep::Kind::kProgram:
        step.Set("program", s.program);
        break;
      case PackageStep::Kind::kKernel:
        step.Set("kernel", s.kernel).Set("why", s.facts.why);
        if (s.facts.work) step.Set("work", isa::ToJson(*s.facts.work));
        break;
      case PackageStep::Kind::kCopy:
        step.Set("copy", true);
        break;
    }
    step.Set("inputs", ToJson(s.inputs)).Set("outputs", ToJson(s.outputs));
    step.Set("op", s.facts.op).Set("shape", s.facts.shape).Set("macs", s.facts.macs);
    if (const auto& bounds = s.facts.bounds)
      step.Set("bound_ideal", bounds->ideal)
          .Set("bound_machine", bounds->machine)
          .Set("lost_to", bounds->lost_to);
    if (s.facts.off_by > 0) step.Set("off_by", s.facts.off_by);
    steps.push_back(std::move(step));
  }
  for (const PackageLaunch& l : package.launches)
    launches.push_back(
        Json().Set("first", l.first).Set("program", l.program).Set("starts", ToJson(l.starts)));
  Json::Array facts;
  for (const OutputFacts& f : package.output_facts)
    facts.push_back(Json()
                        .Set("scale", f.scale)
                        .Set("zero_point", f.zero_point)
                        .Set("is_probability", f.is_probability));
  Json manifest = Json().Set("model", package.model);
  if (package.config)
    manifest.Set("config", Json::Parse(ConfigToJson(*package.config), "config"))
        .Set("arch_hash", Hex(ArchHash(*package.config), 16));
  manifest.Set("arena_bytes", package.arena_bytes)
      .Set("constants_offset", package.constants_offset_bytes);
  if (package.gpu_offset_bytes) manifest.Set("gpu_offset", *package.gpu_offset_bytes);
  manifest.Set("tensors", std::move(tensors))
      .Set("programs", std::move(programs))
      .Set("kernels", std::move(kernels))
      .Set("modules", std::move(modules))
      .Set("steps", std::move(steps))
      .Set("launches", std::move(launches))
      .Set("inputs", ToJson(package.inputs))
      .Set("outputs", ToJson(package.outputs));
  if (!facts.empty()) manifest.Set("output_facts", std::move(facts));
  if (package.assumed)
    manifest.Set(
        "assumed",
        Json().Set("seed", package.assumed->seed).Set("weights", package.assumed->weights));
  return manifest;
}

PackageTensor ReadTensor(JsonReader json) {
  PackageTensor tensor;
  tensor.name = json.String("name");
  const std::string type = json.String("type");
  bool known = false;
  for (const TypeRow& row : kTypes)
    if (row.name == type) tensor.type = row.type, known = true;
  if (!known) throw json.Fail("type", "names no element type");
  tensor.shape = Integers(json, "shape", 0, kMaxArenaBytes);
  int64_t elements = 1;
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMaxArenaBytes)
      throw json.Fail("shape", StrCat("has more than ", kMaxArenaBytes, " elements"));
  tensor.offset_bytes = json.Int("offset", 0, kMaxArenaBytes);
  json.Finish();
  return tensor;
}

OutputFacts ReadOutputFacts(JsonReader json) {
  OutputFacts facts;
  facts.scale = json.Double("scale");
  if (!(facts.scale > 0)) throw json.Fail("scale", "must be greater than 0");
  facts.zero_point = json.Int("zero_point", std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max());
  facts.is_probability = json.Bool("is_probability");
  json.Finish();
  return facts;
}

PackageStep ReadStep(JsonReader json) {
  PackageStep step;
  step.name = json.String("name");
  if (json.Has("copy")) {
    step.kind = PackageStep::Kind::kCopy;
    if (!json.Bool("copy")) throw json.Fail("copy", "must be true");
  } else if (json.Has("kernel")) {
    step.kind = PackageStep::Kind::kKernel;
    step.kernel = json.Int("kernel", 0, std::numeric_limits<int32_t>::max());
    step.facts.why = json.String("why");
    if (json.Has("work")) step.facts.work = ReadWork(json.Object("work"));
  } else {
    step.program = json.Int("program", 0, std::numeric_limits<int32_t>::max());
  }
  step.inputs = Integers(json, "inputs", 0, std::numeric_limits<int32_t>::max());
  step.outputs = Integers(json, "outputs", 0, std::numeric_limits<int32_t>::max());
  step.facts.op = json.String("op");
  step.facts.shape = json.String("shape");
  step.facts.macs = json.Int("macs", 0, std::numeric_limits<int64_t>::max());
  if (json.Has("bound_machine"))
    step.facts.bounds = {json.Int("bound_ideal", 0, std::numeric_limits<int64_t>::max()),
                         json.Int("bound_machine", 1, std::numeric_limits<int64_t>::max()),
                         json.String("lost_to")};
  if (json.Has("off_by")) step.facts.off_by = json.Int("off_by", 1, 255);
  json.Finish();
  return step;
}

PackageLaunch ReadLaunch(JsonReader json) {
  const int64_t limit = std::numeric_limits<int32_t>::max();
  PackageLaunch launch{json.Int("first", 0, limit), json.Int("program", 0, limit),
                       Integers(json, "starts", 0, limit)};
  json.Finish();
  return launch;
}

PackageKernel ReadKernel(JsonReader json) {
  PackageKernel kernel;
  kernel.name = json.String("name");
  kernel.tasks = json.Int("tasks", 1, std::numeric_limits<int32_t>::max());
  if (json.Has("threads")) kernel.threads = json.Int("threads", 1, kMostGpuThreads);
  if (kernel.IsForGpu() && json.Has("shared"))
    kernel.shared_bytes = json.Int("shared", 1, kMostSharedBytes);
  kernel.workspace_bytes = json.Int("workspace", 0, kMaxArenaBytes);
  kernel.argument_bytes = Integers(json, "arguments", 0, kMaxArenaBytes);
  json.Finish();
  return kernel;
}

/// Takes its code from the front of `rest`.
PackageModule ReadModule(JsonReader json, std::span<const uint8_t>& rest) {
  PackageModule module;
  module.format = json.String("format");
  module.arch = json.String("arch");
  for (const Json& item : json.Array("features")) {
    const std::string* name = item.as_string();
    if (!name) throw json.Fail("features", "must hold names");
    module.features.push_back(*name);
  }
  if (json.Has("precision")) {
    const std::string name = json.String("precision");
    const std::optional<Precision> found = FindPrecision(name);
    if (!found) throw json.Fail("precision", "must be fp32, tf32 or fp16");
    module.precision = *found;
  }
  const auto bytes = static_cast<size_t>(json.Int("bytes", 0, std::ssize(rest)));
  module.code.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes));
  rest = rest.subspan(bytes);
  json.Finish();
  return module;
}

/// Where the package that the bytes begin with ends, if another one does begin there; else where
/// they end.
size_t EndOf(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeadBytes) return bytes.size();
  const uint8_t* const last = bytes.data() + kHeadBytes - kRowBytes + kNameBytes;
  const uint64_t offset = GetNumber(last), size = GetNumber(last + 8);
  if (offset < kHeadBytes || offset > bytes.size() || size > bytes.size() - offset)
    return bytes.size();
  return IsPackage(bytes.subspan(offset + size)) ? offset + size : bytes.size();
}

template <typename Read>
void ReadRows(JsonReader& json, std::string_view key, Read read) {
  const Json::Array& rows = json.Array(key);
  for (size_t i = 0; i < rows.size(); ++i)
    read(JsonReader(rows[i], json.file(), StrCat(json.Place(key), "[", i, "]")));
}

}  // namespace

std::string_view ElementTypeName(ElementType type) { return kTypes[static_cast<int>(type)].name; }
int64_t ElementTypeBytes(ElementType type) { return kTypes[static_cast<int>(type)].bytes; }

int64_t PackageTensor::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::span<const uint8_t> Package::ProgramCode(const PackageProgram& program) const {
  return std::span(code).subspan(program.first * kInstructionBytes,
                                 program.count * kInstructionBytes);
}

const PackageLaunch* Package::LaunchAt(int64_t step) const {
  const auto at = std::ranges::lower_bound(launches, step, {}, &PackageLaunch::first);
  return at != launches.end() && at->first == step ? &*at : nullptr;
}

std::span<const PackageStep> Package::StepsOf(const PackageLaunch& launch) const {
  return std::span(steps).subspan(static_cast<size_t>(launch.first), launch.starts.size());
}

const GpuRow* Package::Gpu() const {
  for (const PackageModule& module : modules)
    if (const GpuRow* const gpu = module.Gpu()) return gpu;
  return nullptr;
}

std::span<const uint8_t> Package::HostConstants() const {
  const int64_t bytes = std::max<int64_t>(0, host_bytes() - constants_offset_bytes);
  return std::span(constants).first(std::min(constants.size(), static_cast<size_t>(bytes)));
}

std::span<const uint8_t> Package::GpuConstants() const {
  return std::span(constants).subspan(HostConstants().size());
}

std::string Package::WhereOf(const PackageStep& step) const {
  const std::string gpu(Gpu() ? Gpu()->name : "");
  switch (step.kind) {
    case PackageStep::Kind::kProgram:
      return "vta";
    case PackageStep::Kind::kKernel:
      return IsOnGpu(step) ? gpu : "cpu";
    case PackageStep::Kind::kCopy:
      break;
  }
  return StrCat(IsOnGpu(tensors[step.outputs[0]]) ? "to " : "from ", gpu);
}

bool Package::IsConstant(const PackageTensor& tensor) const {
  const int64_t begin = tensor.offset_bytes - constants_offset_bytes;
  return begin >= 0 && begin + tensor.bytes() <= static_cast<int64_t>(constants.size());
}

std::vector<uint8_t> ModuleBytes(const Package& package) {
  std::vector<uint8_t> bytes;
  for (const PackageModule& module : package.modules)
    bytes.insert(bytes.end(), module.code.begin(), module.code.end());
  return bytes;
}

std::string ManifestText(const Package& package) { return Manifest(package).Dump() + "\n"; }

Package ParseManifest(std::string_view text, std::span<const uint8_t> modules,
                      const std::string& file) {
  const Json document = Json::Parse(text, file);
  JsonReader json(document, file);
  Package package;
  package.model = json.String("model");
  if (json.Has("config")) {
    package.config = ParseConfig(json.Any("config").Dump(), StrCat(file, ": config"));
    const std::string hash = json.String("arch_hash");
    const std::string ours = Hex(ArchHash(*package.config), 16);
    if (hash != ours)
      throw Error(file, "arch_hash", hash,
                  StrCat("this build encodes the same config as ", ours,
                         ": the package was made with other encoding tables; compile it again"));
  }
  package.arena_bytes = json.Int("arena_bytes", 0, kMaxArenaBytes);
  package.constants_offset_bytes = json.Int("constants_offset", 0, kMaxArenaBytes);
  if (json.Has("gpu_offset")) package.gpu_offset_bytes = json.Int("gpu_offset", 0, kMaxArenaBytes);
  ReadRows(json, "tensors", [&](JsonReader row) { package.tensors.push_back(ReadTensor(row)); });
  ReadRows(json, "programs", [&](JsonReader row) {
    const int64_t limit = std::numeric_limits<int32_t>::max();
    package.programs.push_back({row.Int("first", 0, limit), row.Int("count", 0, limit)});
    row.Finish();
  });
  ReadRows(json, "kernels", [&](JsonReader row) { package.kernels.push_back(ReadKernel(row)); });
  ReadRows(json, "modules",
           [&](JsonReader row) { package.modules.push_back(ReadModule(row, modules)); });
  if (!modules.empty())
    throw json.Fail("modules",
                    StrCat("leave ", Counted(modules.size(), "byte"), " of their section over"));
  ReadRows(json, "steps", [&](JsonReader row) { package.steps.push_back(ReadStep(row)); });
  ReadRows(json, "launches", [&](JsonReader row) { package.launches.push_back(ReadLaunch(row)); });
  package.inputs = Integers(json, "inputs", 0, std::numeric_limits<int32_t>::max());
  package.outputs = Integers(json, "outputs", 0, std::numeric_limits<int32_t>::max());
  if (json.Has("output_facts"))
    ReadRows(json, "output_facts",
             [&](JsonReader row) { package.output_facts.push_back(ReadOutputFacts(row)); });
  if (json.Has("assumed")) {
    constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
    JsonReader assumed = json.Object("assumed");
    package.assumed = {assumed.Int("seed", 0, kMost), assumed.Int("weights", 0, kMost)};
    assumed.Finish();
  }
  json.Finish();
  return package;
}

bool IsPackage(std::span<const uint8_t> bytes) {
  return bytes.size() >= kName.size() && std::memcmp(bytes.data(), kName.data(), kName.size()) == 0;
}

std::vector<uint8_t> SerializePackage(const Package& package) {
  ValidatePackage(package, package.model);
  const std::string manifest = ManifestText(package);
  const std::vector<uint8_t> modules = ModuleBytes(package);
  const std::array<std::span<const uint8_t>, 4> contents = {
      std::span(reinterpret_cast<const uint8_t*>(manifest.data()), manifest.size()), package.code,
      package.constants, modules};
  std::vector<uint8_t> out(kPackageMagic.begin(), kPackageMagic.end());
  uint64_t offset = kHeadBytes;
  for (size_t i = 0; i < kSections.size(); ++i) {
    std::array<char, kNameBytes> name = {};
    std::copy(kSections[i].begin(), kSections[i].end(), name.begin());
    out.insert(out.end(), name.begin(), name.end());
    PutNumber(out, offset);
    PutNumber(out, contents[i].size());
    PutNumber(out, Hasher().Bytes(contents[i]).value());
    offset += contents[i].size();
  }
  for (std::span<const uint8_t> content : contents)
    out.insert(out.end(), content.begin(), content.end());
  return out;
}

Package ParsePackage(std::span<const uint8_t> bytes, const std::string& file) {
  if (!IsPackage(bytes))
    throw Error(file, "", "",
                StrCat("is not a VTA package: it must start with \"", kPackageMagic, "\""));
  if (bytes.size() >= kPackageMagic.size()) {
    const auto digits = bytes.subspan(kName.size(), kFormatDigits);
    const std::string format(digits.begin(), digits.end());
    if (format < kOldestFormat || format > kFormat)
      throw Error(file, "format", format,
                  StrCat("this version reads formats ", kOldestFormat, " to ", kFormat,
                         ": compile the model again, or take the version that made the package"));
  }
  if (bytes.size() < kHeadBytes)
    throw Error(file, "", Counted(bytes.size(), "byte"),
                StrCat("is cut off: the head alone has ", kHeadBytes));
  std::array<std::span<const uint8_t>, kSections.size()> contents;
  uint64_t expected = kHeadBytes;
  for (size_t i = 0; i < kSections.size(); ++i) {
    const uint8_t* row = bytes.data() + kPackageMagic.size() + i * kRowBytes;
    std::array<char, kNameBytes> name = {};
    std::copy(kSections[i].begin(), kSections[i].end(), name.begin());
    if (std::memcmp(row, name.data(), kNameBytes) != 0)
      throw Error(file, StrCat("section ", i), "", StrCat("must be named ", kSections[i]));
    const uint64_t offset = GetNumber(row + kNameBytes), size = GetNumber(row + kNameBytes + 8);
    if (offset != expected || size > bytes.size() - expected)
      throw Error(file, StrCat("section ", kSections[i]), StrCat("bytes ", offset, " + ", size),
                  StrCat("must start at ", expected, " and end inside the file of ", bytes.size()));
    contents[i] = bytes.subspan(offset, size);
    expected += size;
    if (Hasher().Bytes(contents[i]).value() != GetNumber(row + kNameBytes + 16))
      throw Error(file, StrCat("section ", kSections[i]), "",
                  "its bytes do not match their hash: the file is damaged");
  }
  if (expected != bytes.size())
    throw Error(file, "", Counted(bytes.size(), "byte"),
                IsPackage(bytes.subspan(expected))
                    ? StrCat("another package begins at ", expected, ", and one is wanted")
                    : StrCat("the sections end at ", expected));
  Package package = ParseManifest(
      std::string_view(reinterpret_cast<const char*>(contents[0].data()), contents[0].size()),
      contents[3], StrCat(file, ": manifest"));
  package.code.assign(contents[1].begin(), contents[1].end());
  package.constants.assign(contents[2].begin(), contents[2].end());
  ValidatePackage(package, file);
  return package;
}

std::vector<Package> ParsePackages(std::span<const uint8_t> bytes, const std::string& file) {
  std::vector<std::span<const uint8_t>> parts;
  for (auto rest = bytes; parts.empty() || !rest.empty(); rest = rest.subspan(parts.back().size()))
    parts.push_back(rest.first(EndOf(rest)));
  std::vector<Package> packages;
  for (const auto& part : parts)
    packages.push_back(
        ParsePackage(part, parts.size() > 1 ? StrCat(file, ": package ", packages.size()) : file));
  return packages;
}

std::vector<std::string> TargetsOf(const Package& package) {
  std::vector<std::string> targets;
  const auto add = [&](const std::string& name) {
    for (const PackageStep& step : package.steps)
      if (package.WhereOf(step) == name) return targets.push_back(name);
  };
  add("vta");
  if (package.Gpu()) add(std::string(package.Gpu()->name));
  add("cpu");
  return targets;
}

void WritePackage(const Package& package, const std::string& path) {
  WriteFileAtomically(path, SerializePackage(package));
}

Package ReadPackage(const std::string& path) { return ParsePackage(ReadFile(path), path); }

uint64_t PackageHash(std::span<const uint8_t> bytes) { return Hasher().Bytes(bytes).value(); }

}  // namespace vta::isa
