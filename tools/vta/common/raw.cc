#include "tools/vta/common/raw.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>

#include "driver/functional/functional_device.h"
#include "isa/asm.h"
#include "isa/check/operands.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "runtime/session.h"
#include "tools/shared/document.h"
#include "tools/shared/samples.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kList[] = "launches.json";

/// The functional device; shows the memory at the base registers before and after each launch.
class WatchedDevice : public driver::FunctionalDevice {
 public:
  using Bytes = std::vector<uint8_t>;
  using Watcher = std::function<void(const Bytes& before, const Bytes& after)>;

  WatchedDevice(const isa::Package& package, Watcher watcher)
      : FunctionalDevice(*package.config),
        bytes_(package.host_bytes()),
        watcher_(std::move(watcher)) {}

  void Launch(const isa::LaunchRequest& request) override {
    base_ = request.base[0];
    before_ = Read();
    FunctionalDevice::Launch(request);
  }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override {
    const isa::LaunchResult result = FunctionalDevice::Wait(limit);
    if (result.outcome == isa::Outcome::kFinished) watcher_(before_, Read());
    return result;
  }

 private:
  Bytes Read() {
    Bytes bytes(static_cast<size_t>(bytes_));
    CopyOut(base_, bytes);
    return bytes;
  }

  int64_t bytes_;
  Watcher watcher_;
  uint64_t base_ = 0;
  Bytes before_;
};

/// Copies what the LOADs, or the STOREs, of a program touch.
void CopyTouched(const isa::Config& config, std::span<const isa::Word> words, isa::Opcode opcode,
                 const std::vector<uint8_t>& from, std::vector<uint8_t>& to) {
  const isa::Layout layout(config);
  for (const isa::Word& word : words) {
    const isa::Instruction insn = Decode(layout, word);
    if (insn.opcode != static_cast<int64_t>(opcode) || insn.x_size == 0 || insn.y_size == 0)
      continue;
    const isa::DramTile tile = isa::TileOf(config, {}, insn);
    for (int64_t y = 0; y < tile.rows; ++y) {
      const int64_t begin = tile.address + y * tile.stride_bytes;
      std::copy_n(from.begin() + begin, tile.row_bytes, to.begin() + begin);
    }
  }
}

Json TensorsJson(const isa::Package& package, const std::vector<int64_t>& list) {
  Json::Array tensors;
  for (int64_t index : list) {
    const isa::PackageTensor& tensor = package.tensors[index];
    tensors.push_back(Json()
                          .Set("name", tensor.name)
                          .Set("type", std::string(isa::ElementTypeName(tensor.type)))
                          .Set("shape", Json::Array(tensor.shape.begin(), tensor.shape.end()))
                          .Set("address", tensor.offset_bytes));
  }
  return tensors;
}

class Writer {
 public:
  Writer(const isa::Package& package, const std::string& folder)
      : package_(package), folder_(folder) {
    for (size_t i = 0; i < package.steps.size(); ++i)
      if (package.steps[i].kind == isa::PackageStep::Kind::kProgram) program_steps_.push_back(i);
  }

  void Write(const std::vector<uint8_t>& before, const std::vector<uint8_t>& after) {
    const isa::PackageStep& step = package_.steps[program_steps_.at(launches_.size())];
    const std::span<const uint8_t> code = package_.ProgramCode(package_.programs[step.program]);
    const std::vector<isa::Word> words = isa::WordsOf(code);
    const uint64_t address = isa::PackageCodeAddress(package_);
    std::vector<uint8_t> image(address);
    CopyTouched(*package_.config, words, isa::Opcode::kLoad, before, image);
    image.insert(image.end(), code.begin(), code.end());
    const std::string stem = Stem(step.name);
    WriteFileAtomically(folder_ + "/" + stem + ".img", image);
    CopyTouched(*package_.config, words, isa::Opcode::kStore, after, image);
    WriteFileAtomically(folder_ + "/" + stem + ".exp", image);
    launches_.push_back(Json()
                            .Set("name", step.name)
                            .Set("image", stem + ".img")
                            .Set("expected", stem + ".exp")
                            .Set("instruction_address", static_cast<int64_t>(address))
                            .Set("instruction_count", static_cast<int64_t>(words.size()))
                            .Set("inputs", TensorsJson(package_, step.inputs))
                            .Set("outputs", TensorsJson(package_, step.outputs)));
  }

  int64_t Finish() {
    const Json list = HeadOf(kLaunchesDocument)
                          .Set("model", package_.model)
                          .Set("config", Json::Parse(ConfigToJson(*package_.config), "config"))
                          .Set("launches", launches_);
    WriteFileAtomically(StrCat(folder_, "/", kList), list.Dump() + "\n");
    return std::ssize(launches_);
  }

 private:
  std::string Stem(const std::string& step) const {
    std::string number = std::to_string(launches_.size());
    number.insert(0, 3 - std::min<size_t>(number.size(), 3), '0');
    std::string stem = StrCat(number, "_", step.substr(0, 80));
    for (char& c : stem)
      if (!isalnum(static_cast<unsigned char>(c))) c = '_';
    return stem;
  }

  const isa::Package& package_;
  const std::string& folder_;
  std::vector<size_t> program_steps_;
  Json::Array launches_;
};

}  // namespace

int64_t WriteRawFolder(const isa::Package& package, const std::string& file,
                       const std::string& folder, uint64_t seed) {
  const auto on_vta = [](const auto& step) {
    return step.kind == isa::PackageStep::Kind::kProgram;
  };
  if (std::ranges::none_of(package.steps, on_vta))
    throw Error(file, "launches", "0", "nothing of it runs on the accelerator");
  CheckFolder(folder);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(folder, "cannot create", "", failed.message());
  // An older list does not speak of newer images.
  fs::remove(StrCat(folder, "/", kList), failed);
  if (failed) throw Error(StrCat(folder, "/", kList), "cannot replace", "", failed.message());
  Writer writer(package, folder);
  WatchedDevice device(package,
                       [&](const auto& before, const auto& after) { writer.Write(before, after); });
  runtime::Session session(std::make_shared<runtime::Model>(package, file), &device,
                           {.apart = true});
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < package.inputs.size(); ++i)
    inputs.push_back(RandomSample(package.tensors[package.inputs[i]], seed + i));
  runtime::Infer(session, std::vector<std::span<const uint8_t>>(inputs.begin(), inputs.end()));
  return writer.Finish();
}

bool IsRawFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

RawFolder ReadRawFolder(const std::string& folder) {
  const std::string file = StrCat(folder, "/", kList);
  const Json document = Json::Parse(ReadTextFile(file), file);
  JsonReader json(document, file);
  ReadHead(json, kLaunchesDocument);
  json.String("model");
  RawFolder out;
  out.config = isa::ParseConfig(json.Any("config").Dump(), StrCat(file, ": config"));
  const Json::Array& rows = json.Array("launches");
  for (size_t i = 0; i < rows.size(); ++i) {
    JsonReader row(rows[i], file, StrCat("launches[", i, "]"));
    RawLaunch launch;
    launch.name = row.String("name");
    launch.image = StrCat(folder, "/", row.String("image"));
    launch.expected = StrCat(folder, "/", row.String("expected"));
    launch.address = static_cast<uint64_t>(row.Int("instruction_address", 0, int64_t{1} << 32));
    if (launch.address % isa::kInstructionBytes != 0)
      throw row.Fail("instruction_address",
                     StrCat("must be a multiple of ", isa::kInstructionBytes));
    launch.count = row.Int("instruction_count", 0, int64_t{1} << 32);
    row.Array("inputs"), row.Array("outputs");  // for readers
    row.Finish();
    out.launches.push_back(std::move(launch));
  }
  json.Finish();
  return out;
}

}  // namespace vta::tools
