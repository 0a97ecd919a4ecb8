// Runs each program of this folder on the engines that the command line names and compares what it
// prints and leaves with its .exp. The proof must accept exactly those that finish, but for those
// whose .exp says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "isa/check/check.h"
#include "isa/codec.h"
#include "isa/support/file.h"
#include "tests/programs/expectation.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/flat_launch.h"
#include "tools/vta/program/launch_report.h"

namespace vta::tests {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string engine;
  fs::path path;  // without ending

  std::string Name() const {
    return engine + "_" + path.parent_path().filename().string() + "_" + path.filename().string();
  }
};

isa::Program Assemble(const std::string& source) {
  return isa::Assemble(ReadTextFile(source), source, tools::FindConfig("default"),
                       tools::FindConfig);
}

bool IsFor(const std::string& config, const fs::path& source) {
  return isa::ConfigToJson(Assemble(source.string()).config) ==
         isa::ConfigToJson(tools::FindConfig(config));
}

// "ENGINE" or "ENGINE:CONFIG", which leaves out the programs for other configs: building hardware
// for each takes time.
std::vector<Case> Cases(const std::vector<std::string>& arguments) {
  std::vector<Case> out;
  for (const std::string& argument : arguments) {
    const size_t colon = argument.find(':');
    for (const auto& entry : fs::recursive_directory_iterator(PROGRAMS_DIR))
      if (entry.path().extension() == ".s" &&
          (colon == argument.npos || IsFor(argument.substr(colon + 1), entry.path())))
        out.push_back({argument.substr(0, colon), fs::path(entry.path()).replace_extension()});
  }
  std::sort(out.begin(), out.end(),
            [](const Case& a, const Case& b) { return a.Name() < b.Name(); });
  return out;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Squeeze(line));
  return lines;
}

// The bytes of `image` that differ from what is expected, at most a few.
std::string Differences(const std::vector<uint8_t>& image, const std::vector<uint8_t>& expected) {
  std::string out;
  int count = 0;
  for (size_t i = 0; i < image.size(); ++i)
    if (image[i] != expected[i] && ++count <= 8)
      out += StrCat("  byte ", Hex(i), ": ", int{image[i]}, ", expected ", int{expected[i]}, "\n");
  return count ? StrCat(count, " bytes differ\n", out) : "";
}

isa::Report Check(const isa::Program& program, const std::vector<uint8_t>& image) {
  const isa::Section* code = program.code();
  const std::vector<isa::Word> words = code ? isa::WordsOf(code->bytes) : std::vector<isa::Word>();
  const isa::ImagePart part{0, image, false};
  isa::Launch launch;
  launch.instructions = words;
  launch.instruction_address = code ? static_cast<int64_t>(code->address) : 0;
  launch.memory_bytes = static_cast<int64_t>(image.size());
  launch.image = std::span(&part, 1);
  return isa::Check(program.config, launch);
}

class ProgramTest : public testing::Test {
 public:
  explicit ProgramTest(const Case& item) : case_(item) {}
  void TestBody() override;

 private:
  const Case case_;
};

void ProgramTest::TestBody() {
  const std::string source = case_.path.string() + ".s", exp = case_.path.string() + ".exp";
  const isa::Program program = Assemble(source);
  const Expectation expectation = ParseExpectation(ReadTextFile(exp), exp, program);
  std::vector<uint8_t> image = program.Image(), expected = image;
  const isa::Report report = Check(program, image);

  tools::FlatLaunch launch;
  if (const isa::Section* code = program.code())
    launch = {code->address, static_cast<int64_t>(code->bytes.size()) / isa::kInstructionBytes,
              std::chrono::minutes(1)};
  tools::EngineOptions engine;
  engine.name = case_.engine;
  const isa::LaunchResult result =
      tools::RunFlat(engine, program.config, {&launch, 1}, image).front();

  const std::string text = tools::LaunchToText(program.config, result);
  const std::vector<std::string> printed = Lines(text);
  EXPECT_EQ(printed.at(0), expectation.lines.at(0)) << text;
  for (const std::string& line : expectation.lines)
    EXPECT_TRUE(std::find(printed.begin(), printed.end(), line) != printed.end())
        << "expected the line: " << line << "\nin:\n"
        << text;
  for (const isa::Section& section : expectation.memory)
    std::copy(section.bytes.begin(), section.bytes.end(), expected.begin() + section.address);
  EXPECT_EQ(Differences(image, expected), "");
  EXPECT_EQ(report.ok(), result.outcome == isa::Outcome::kFinished && !expectation.unproved)
      << isa::ReportToText(report);
}

}  // namespace
}  // namespace vta::tests

// usage: programs_test ENGINE[:CONFIG]... [--gtest_...]
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const auto& item : vta::tests::Cases({argv + 1, argv + argc}))
    testing::RegisterTest("Programs", item.Name().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [item] { return new vta::tests::ProgramTest(item); });
  return RUN_ALL_TESTS();
}
