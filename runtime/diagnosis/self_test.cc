#include "runtime/diagnosis/self_test.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "driver/buffer.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "runtime/diagnosis/bisect.h"
#include "runtime/diagnosis/compare.h"
#include "runtime/diagnosis/self_test_programs.h"

namespace vta::runtime {
namespace {

using std::chrono::steady_clock;

// The program behind its memory, as both devices get it.
std::vector<uint8_t> ImageOf(const isa::Layout& layout, const SelfTestProgram& program) {
  std::vector<uint8_t> image = program.memory;
  const size_t code = image.size();
  image.resize(code + program.instructions.size() * isa::kInstructionBytes);
  uint8_t* next = image.data() + code;
  for (const isa::Instruction& insn : program.instructions) {
    isa::StoreWord(isa::Encode(layout, insn), next);
    next += isa::kInstructionBytes;
  }
  return image;
}

struct Run {
  isa::LaunchResult result;
  uint64_t address = 0;
  std::vector<uint8_t> memory;
};

Run RunOn(driver::Device& device, driver::Buffer& buffer, const SelfTestProgram& program,
          const std::vector<uint8_t>& image, steady_clock::time_point deadline) {
  buffer.CopyIn(0, image);
  isa::LaunchRequest request;
  request.instruction_address = buffer.address() + program.memory.size();
  request.instruction_count = std::ssize(program.instructions);
  for (size_t i = 0; i < request.base.size(); ++i)
    request.base[i] = buffer.address() + static_cast<uint64_t>(program.bases[i]);
  device.Launch(request);
  Run run;
  run.result = device.Wait(deadline == steady_clock::time_point::max()
                               ? driver::kForever
                               : std::max({}, deadline - steady_clock::now()));
  run.address = buffer.address();
  run.memory.resize(image.size());
  buffer.CopyOut(0, run.memory);
  return run;
}

uint32_t WordAt(const std::vector<uint8_t>& bytes, size_t word) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * word, sizeof value);
  return value;
}

// The first word of memory that differs; "" where none does.
std::string CompareMemory(const Run& wanted, const Run& have) {
  const size_t words = wanted.memory.size() / 4;
  int64_t differing = 0;
  std::string first;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t want = WordAt(wanted.memory, i), is = WordAt(have.memory, i);
    if (want == is) continue;
    if (differing++ == 0)
      first = StrCat("word ", i, " at ", Hex(have.address + 4 * i), ": expected ", Hex(want, 8),
                     ", is ", Hex(is, 8));
  }
  return differing == 0 ? ""
                        : StrCat(first, "; ", differing, " of ", Counted(words, "word"), " ",
                                 VerbOf(differing, words, "differ"));
}

std::string Compare(const Run& wanted, const Run& have) {
  std::string text = CompareMemory(wanted, have);
  for (const std::string& counter : CompareCounters(wanted.result.counters, have.result.counters))
    text += StrCat(text.empty() ? "memory is equal" : "", "; ", counter);
  return text;
}

void RequireTime(const SelfTestOptions& options, const std::string& device,
                 const std::string& program) {
  if (steady_clock::now() >= options.deadline)
    throw Error(StrCat("device ", device), StrCat("self-test ", program), "",
                "was stopped: the time for it ended");
}

}  // namespace

SelfTestResult RunSelfTest(const isa::Config& config, driver::Device& device,
                           driver::Device& golden, const SelfTestOptions& options) {
  driver::RequireSameArch(config, device.id(), "self-test");
  const isa::Layout layout(config);
  const std::vector<SelfTestProgram> programs = SelfTestPrograms(config);
  SelfTestResult result{.programs = std::ssize(programs)};
  for (const SelfTestProgram& program : programs) {
    if (options.progress) options.progress(program.name);
    RequireTime(options, device.id().name, program.name);
    const std::vector<uint8_t> image = ImageOf(layout, program);
    driver::Buffer right(golden, std::ssize(image)), buffer(device, std::ssize(image));
    const Run wanted = RunOn(golden, right, program, image, steady_clock::time_point::max());
    VTA_CHECK(wanted.result.outcome == isa::Outcome::kFinished, program.name);
    std::string text;
    bool ended = false;
    try {
      const Run have = RunOn(device, buffer, program, image, options.deadline);
      ended = have.result.outcome == isa::Outcome::kFinished;
      if (have.result.outcome == isa::Outcome::kStopped)
        RequireTime(options, device.id().name, program.name);
      text = ended ? Compare(wanted, have) : "did not finish: " + isa::Describe(have.result);
    } catch (const Error& error) {
      RequireTime(options, device.id().name, program.name);
      text = error.what();
    }
    ++result.ran;
    if (!text.empty()) result.failures.push_back({program.name, std::move(text)});
    if (!result.failures.empty() && result.registers.empty())
      result.registers = ReadRegisters(device);
    if (!ended) break;
  }
  return result;
}

std::string SelfTestText(const std::string& device, const SelfTestResult& result) {
  if (result.failures.empty())
    return StrCat("self-test on ", device, ": ", result.programs,
                  " programs, all as they should\n");
  std::string text;
  for (const SelfTestFailure& failure : result.failures)
    text +=
        Visible(StrCat("self-test on ", device, ": ", failure.program, ": ", failure.text), true) +
        "\n";
  text += StrCat("self-test on ", device, ": ", result.failures.size(), " of ",
                 Counted(result.ran, "program"), " failed");
  if (result.ran < result.programs)
    text += StrCat(", ", result.programs - result.ran, " were not run");
  text += "\n";
  return text + Visible(RegistersText(result.registers)) + "\n";
}

int64_t SelfTestBytes(const isa::Config& config) {
  int64_t most = 0;
  for (const SelfTestProgram& program : SelfTestPrograms(config))
    most = std::max<int64_t>(most, std::ssize(program.memory) +
                                       std::ssize(program.instructions) * isa::kInstructionBytes);
  return most;
}

}  // namespace vta::runtime
