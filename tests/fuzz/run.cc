// A package whose container is in order, but whose manifest, kernels (as loop IR, on the
// interpreter), programs and constants are anything: it is refused with an Error, or it runs, and
// ends, without touching anything outside its arena. The input is these four sections with a line
// "%%" between them; config and hash of the manifest are put in here.
#include <algorithm>
#include <array>
#include <vector>

#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "runtime/session.h"
#include "tests/fuzz/support/small.h"
#include "tests/support/interpreter/interpreted_module.h"

namespace vta {
namespace {

constexpr int64_t kMostArenaBytes = 1 << 20;
constexpr size_t kMostSteps = 16;

isa::Config SmallMachine() {
  isa::Config config;
  config.name = "small";
  config.version = isa::Version::k100;
  config.arch.block_in = config.arch.block_out = 8;
  config.arch.uop_depth = config.arch.inp_depth = config.arch.wgt_depth = config.arch.acc_depth =
      64;
  config.arch.requant = config.arch.pad_value = config.arch.overwrite = 1;
  config.arch.lut = 1;
  return config;
}

std::array<std::string_view, 4> Sections(std::string_view text) {
  constexpr std::string_view kBetween = "\n%%\n";
  std::array<std::string_view, 4> sections;
  for (size_t i = 0; i < sections.size(); ++i) {
    const size_t end = i + 1 < sections.size() ? text.find(kBetween) : text.size();
    sections[i] = text.substr(0, end);
    text.remove_prefix(end < text.size() ? end + kBetween.size() : text.size());
  }
  return sections;
}

struct Input {
  isa::Package package;
  std::vector<compiler::loop::Function> kernels;
};

// The functions of a text: each starts with "func " at the start of a line.
std::vector<compiler::loop::Function> Functions(std::string_view text) {
  constexpr std::string_view kStart = "\nfunc ";
  std::vector<compiler::loop::Function> functions;
  while (!text.empty()) {
    const size_t next = text.find(kStart);
    const size_t end = next == std::string_view::npos ? text.size() : next + 1;
    functions.push_back(compiler::loop::Parse(text.substr(0, end)));
    compiler::loop::Verify(functions.back());
    text.remove_prefix(end);
  }
  return functions;
}

Input ReadInput(std::string_view text) {
  const auto [manifest, kernels, code, constants] = Sections(text);
  Json json = Json::Parse(manifest, "input");
  if (!json.as_object()) throw Error("input", "manifest", "", "must be an object");
  for (const char* key : {"config", "arch_hash"})  // these are set below
    if (json.Find(key)) throw Error("input", key, "", "must not be given");
  const isa::Config config = SmallMachine();
  json.Set("config", Json::Parse(isa::ConfigToJson(config), "config"));
  json.Set("arch_hash", Hex(isa::ArchHash(config), 16));
  isa::Package package = isa::ParseManifest(json.Dump(), {}, "input");
  package.code.assign(code.begin(), code.end());
  package.constants.assign(constants.begin(), constants.end());
  return {std::move(package), Functions(kernels)};
}

// Kernels run without a limit, so large ones are left out.
bool IsSmall(const Input& input) {
  const isa::Package& package = input.package;
  if (package.arena_bytes > kMostArenaBytes || package.steps.size() > kMostSteps) return false;
  return std::ranges::all_of(input.kernels,
                             [](const auto& kernel) { return fuzz::IsSmall(kernel); });
}

void Run(Input input) {
  driver::FunctionalOptions options;
  options.memory_bytes = 4 * kMostArenaBytes;
  options.machine.micro_op_limit = 2000;
  driver::FunctionalDevice device(*input.package.config, options);
  const test::InterpretedModule kernels(input.package, input.kernels);
  runtime::Session session(
      std::make_shared<runtime::Model>(std::move(input.package), "input",
                                       runtime::ModelOptions{.kernels = &kernels}),
      &device, {.threads = 1});
  const isa::Package& package = session.package();
  std::vector<std::vector<uint8_t>> inputs;
  for (int64_t tensor : package.inputs) inputs.emplace_back(package.tensors[tensor].bytes(), 0x5A);
  const auto outputs =
      runtime::Infer(session, std::vector<std::span<const uint8_t>>(inputs.begin(), inputs.end()));
  VTA_CHECK(outputs.size() == package.outputs.size());
}

}  // namespace
}  // namespace vta

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    vta::Input input = vta::ReadInput({reinterpret_cast<const char*>(data), size});
    vta::isa::ValidatePackage(input.package, "input");
    if (vta::IsSmall(input)) vta::Run(std::move(input));
  } catch (const vta::Error&) {
  }
  return 0;
}
