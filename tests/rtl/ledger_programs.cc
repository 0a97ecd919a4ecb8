#include "tests/rtl/ledger_programs.h"

#include <filesystem>
#include <map>
#include <random>

#include "isa/codec.h"
#include "isa/register_launch.h"
#include "isa/support/error.h"
#include "tests/support/files.h"
#include "tools/vta/common/network_launches.h"

namespace vta::test {
namespace {

namespace fs = std::filesystem;

// Those that the tool builds; and the public cases, by their files.
constexpr const char* kBuilt[] = {"mobilenet_v1", "resnet18", "resnet50"};
const std::map<std::string, std::string> kCases = {
    {"kws_dscnn", "kws_dscnn_int8/model_qdq.onnx"},
    {"person_detect", "person_detect_int8/model_qdq.onnx"},
    {"resnet8", "resnet8_cifar_qdq/model.onnx"}};

fs::path CasePath(const std::string& file) { return CasesFolder() / "public" / file; }

// Marks the bytes that an instruction moves, or says whether one of them is marked.
template <typename Each>
bool AnyByte(const isa::Instruction& f, uint64_t base, int64_t element, size_t size,
             const Each& each) {
  for (int64_t y = 0; y < f.y_size; ++y)
    for (int64_t i = 0; i < f.x_size * element; ++i) {
      const uint64_t at =
          (base + static_cast<uint64_t>((f.dram_base + y * f.x_stride) * element + i)) &
          isa::kAddressMask;
      if (at < size && each(at)) return true;
    }
  return false;
}

// The cycle model reads instructions and micro-ops as they are before the launch: what is stored
// over them in the same launch it does not see.
bool StoresOverWhatItReads(const isa::Layout& layout, const Image& image) {
  const uint64_t code = image.launch.instruction_address;
  std::vector<isa::Instruction> insns;
  for (uint64_t at = code; at + isa::kInstructionBytes <= image.dram.size() &&
                           std::ssize(insns) < image.launch.instruction_count;
       at += isa::kInstructionBytes)
    insns.push_back(isa::Decode(layout, isa::LoadWord(image.dram.data() + at)));
  std::vector<bool> stored(image.dram.size());
  for (const isa::Instruction& f : insns)
    if (f.opcode == static_cast<int64_t>(isa::Opcode::kStore))
      AnyByte(f, image.launch.base[isa::BaseRegister(isa::MemoryType::kOut)],
              layout.config().out_bytes(), stored.size(), [&](uint64_t at) {
                stored[at] = true;
                return false;
              });
  const auto is_stored = [&](uint64_t at) { return stored[at]; };
  for (uint64_t at = code; at < code + insns.size() * isa::kInstructionBytes; ++at)
    if (is_stored(at)) return true;
  for (const isa::Instruction& f : insns)
    if (f.opcode == static_cast<int64_t>(isa::Opcode::kLoad) &&
        f.memory_type == static_cast<int64_t>(isa::MemoryType::kUop) &&
        AnyByte(f, image.launch.base[0], isa::kUopBits / 8, stored.size(), is_stored))
      return true;
  return false;
}

// Into all tensors, none of which is at hand without what runs before it.
void AddNoise(const isa::Package& package, const tools::NetworkLaunches& launches,
              std::vector<uint8_t>& dram) {
  if (launches.launches.empty()) return;
  const auto arena = static_cast<int64_t>(launches.launches.front().request.base.front());
  const int64_t constants = package.constants_offset_bytes;
  std::mt19937 noise(1);
  for (int64_t i = 0; i < package.arena_bytes; ++i)
    if (i < constants || i >= constants + std::ssize(package.constants))
      dram[static_cast<size_t>(arena + i)] = static_cast<uint8_t>(noise());
}

}  // namespace

std::vector<std::string> LedgerNetworks() {
  std::vector<std::string> names(std::begin(kBuilt), std::end(kBuilt));
  for (const auto& [name, file] : kCases)
    if (fs::exists(CasePath(file))) names.push_back(name);
  return names;
}

void ForEachLayer(const std::string& network, const isa::Config& config,
                  const std::function<void(const LedgerLaunch&)>& run) {
  const auto found = kCases.find(network);
  const isa::Package package =
      tools::PackageOf(found == kCases.end() ? network : CasePath(found->second).string(), config);
  const tools::NetworkLaunches launches = tools::LaunchesOf(package, tools::Launches::kApart);
  LedgerLaunch launch;
  launch.image.dram = launches.dram;
  AddNoise(package, launches, launch.image.dram);
  for (const tools::NetworkLaunches::Launch& layer : launches.launches) {
    launch.name = StrCat("layer ", layer.layer);
    launch.image.launch = layer.request;
    run(launch);
  }
}

void ForEachRandom(const isa::Config& config, int64_t first_seed, int64_t programs,
                   const std::function<void(const LedgerLaunch&)>& run) {
  const isa::Layout layout(config);
  for (int64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const auto kind = static_cast<ProgramKind>(seed % kProgramKinds);
    const auto number = static_cast<uint64_t>(seed);
    LedgerLaunch launch = {StrCat("a program of kind ", ProgramKindName(kind), ", seed ", seed),
                           ImageOf(RandomRtlProgram(config, kind, number))};
    launch.rereads = StoresOverWhatItReads(layout, launch.image);
    if (kind == ProgramKind::kRacy) launch.refill = ImageOf(RefillProgram(config, number));
    run(launch);
  }
}

}  // namespace vta::test
