// Runs functions of the loop IR on the interpreter and VTA programs on the functional simulator.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "compiler/targets/vta/tasks/emit.h"
#include "isa/codec.h"
#include "sim/functional/machine.h"
#include "tests/support/files.h"
#include "tests/support/interpreter/interpret.h"

namespace vta::compiler::targets {

/// The bytes of each parameter, by name.
using Tensors = std::map<std::string, std::vector<uint8_t>>;

inline isa::Config ConfigNamed(const std::string& file) {
  return isa::LoadConfig(SourcePath("isa/configs/" + file + ".json"));
}

inline std::vector<uint8_t> RandomBytes(size_t size, std::mt19937& random) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

inline std::vector<uint8_t> BytesOf(const std::vector<int32_t>& values) {
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(int32_t)};
}

/// The tensors after the function ran on them.
inline Tensors Interpret(const loop::Function& function, Tensors tensors) {
  std::vector<std::span<std::byte>> args;
  for (const loop::Buffer& param : function.params)
    args.push_back(std::as_writable_bytes(std::span(tensors.at(param->name))));
  loop::Interpreter(function).Run(args);
  return tensors;
}

/// A program in memory: micro-ops and tensors at arena offsets, the words behind them.
struct Image {
  std::map<std::string, int64_t> offsets;
  std::vector<isa::Word> words;
  std::vector<uint8_t> memory;
  int64_t program = 0;
};

inline Image MakeImage(const isa::Layout& layout, const TaskProgram& program,
                       const Tensors& tensors) {
  Image image;
  auto place = [&](const std::string& name, std::span<const uint8_t> bytes) {
    image.memory.resize((image.memory.size() + 4095) / 4096 * 4096);
    image.offsets[name] = static_cast<int64_t>(image.memory.size());
    image.memory.insert(image.memory.end(), bytes.begin(), bytes.end());
  };
  for (const auto& [name, bytes] : tensors) place(name, bytes);
  place(kUopTensor, EncodeKernels(layout, program));
  image.words = LinkTasks(layout, program, image.offsets);
  std::vector<uint8_t> code(image.words.size() * isa::kInstructionBytes);
  for (size_t i = 0; i < image.words.size(); ++i)
    isa::StoreWord(image.words[i], &code[i * isa::kInstructionBytes]);
  place("program", code);
  image.program = image.offsets.at("program");
  return image;
}

/// The tensors after a finished program ran on them.
inline Tensors Simulate(const isa::Config& config, const TaskProgram& program, Tensors tensors,
                        sim::ModuleOrder order = sim::ModuleOrder::kOldestFirst) {
  const isa::Layout layout(config);
  Image image = MakeImage(layout, program, tensors);
  sim::Machine machine(config, {.order = order});
  isa::LaunchRequest launch;
  launch.instruction_address = static_cast<uint64_t>(image.program);
  launch.instruction_count = static_cast<int64_t>(image.words.size());
  const isa::LaunchResult result = machine.Run(launch, image.memory);
  EXPECT_EQ(result.outcome, isa::Outcome::kFinished) << isa::OutcomeName(result.outcome);
  for (auto& [name, bytes] : tensors)
    std::copy_n(image.memory.begin() + image.offsets.at(name), bytes.size(), bytes.begin());
  return tensors;
}

}  // namespace vta::compiler::targets
