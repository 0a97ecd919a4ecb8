// An inference on the board's RTL, or on a model of what was made of it, byte by byte on its pins.
// No time passes on the line, however slow the model is. Outputs have to be those of the functional
// engine; prints the cycles.
//   serial_inference PACKAGE [MODEL]
#include <cstdio>
#include <random>

#include "driver/functional/functional_device.h"
#include "driver/serial/serial_device.h"
#include "isa/package.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/serial/memory_line.h"
#include "tests/serial/rtl_board.h"

namespace vta::test {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> RandomInputs(const isa::Package& package) {
  std::mt19937 random(1);
  std::vector<Bytes> inputs;
  for (const int64_t input : package.inputs) {
    Bytes& bytes = inputs.emplace_back(package.tensors[input].bytes());
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  }
  return inputs;
}

std::vector<Bytes> Infer(const std::shared_ptr<const runtime::Model>& model, driver::Device& device,
                         runtime::RunProfile* profile = nullptr) {
  runtime::Session session(model, &device, {.threads = 1});
  const std::vector<Bytes> inputs = RandomInputs(model->package());
  return runtime::Infer(
      session, std::vector<std::span<const uint8_t>>(inputs.begin(), inputs.end()), profile);
}

int Main(const std::string& path, const std::string& model_path) {
  const auto model = std::make_shared<const runtime::Model>(isa::ReadPackage(path), path);
  const isa::Package& package = model->package();
  driver::FunctionalDevice functional(*package.config,
                                      {.memory_bytes = driver::MemoryFor(package)});
  RtlBoard board(*package.config, model_path);
  driver::SerialDevice device(std::make_unique<MemoryLine>(board), *package.config);
  runtime::RunProfile profile;
  if (Infer(model, device, &profile) != Infer(model, functional)) {
    std::printf("outputs differ from those of the functional engine\n");
    return 1;
  }
  int64_t cycles = 0;
  for (const runtime::StepProfile& step : profile.steps)
    if (step.counters.time) cycles += step.counters.time->cycles;
  std::printf("%ld cycles of the accelerator, %ld of the board\n", static_cast<long>(cycles),
              static_cast<long>(board.clocks()));
  return 0;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  try {
    if (argc < 2 || argc > 3) throw vta::Error("usage", "", "", "serial_inference PACKAGE [MODEL]");
    return vta::test::Main(argv[1], argc == 3 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serial_inference: %s\n", error.what());
    return 1;
  }
}
