#include "compiler_writer/device.h"

#include "compiler/targets/vta/tasks/emit.h"
#include "isa/check/check.h"
#include "isa/support/error.h"

using namespace vta;
using namespace vta::compiler::targets;

int64_t RunProgram(const isa::Config& config, const TaskProgram& program, Tensors tensors,
                   const std::string& output, driver::Device& device) {
  const isa::Layout layout(config);
  std::vector<uint8_t> uops = EncodeKernels(layout, program);
  tensors[kUopTensor] = uops;
  // An arena, at whose start all base registers point; the instructions lie behind.
  std::map<std::string, int64_t> offsets;
  int64_t end = 0;
  for (const auto& [name, bytes] : tensors) {
    offsets[name] = end;
    end = (end + std::ssize(bytes) + 4095) / 4096 * 4096;
  }
  const std::vector<isa::Word> words = LinkTasks(layout, program, offsets);

  const auto range = [&](const std::string& name) {
    const int64_t begin = offsets.at(name);
    return isa::ByteRange{begin, begin + std::ssize(tensors.at(name))};
  };
  isa::Interface interface {
    .makes = { range(output) }
  };
  for (const auto& [name, bytes] : tensors)
    if (name != output && name != kUopTensor) interface.takes.push_back(range(name));
  const isa::ImagePart image{offsets[kUopTensor], uops, true};
  const isa::Launch launch{
      .instructions = words, .memory_bytes = end, .image = {&image, 1}, .interface = interface};
  const isa::Report report = isa::Check(config, launch);
  if (!report.ok()) throw Error(program.name, "proof", "", isa::ReportToText(report));

  const std::vector<uint8_t> code = CodeBytes(words);
  const auto arena = static_cast<int64_t>(device.Allocate(end));
  const auto instructions = device.Allocate(std::ssize(code));
  for (const auto& [name, bytes] : tensors) device.CopyIn(arena + offsets[name], bytes);
  device.CopyIn(instructions, code);
  isa::LaunchRequest request{instructions, std::ssize(words)};
  request.base.fill(arena);
  device.Launch(request);
  const isa::LaunchResult result = device.Wait(driver::kForever);
  if (result.outcome != isa::Outcome::kFinished)
    throw Error(program.name, "launch", "", isa::Describe(result));
  device.CopyOut(arena + offsets[output], tensors.at(output));
  device.Free(arena);
  device.Free(instructions);
  return result.counters.time ? result.counters.time->cycles : 0;
}
