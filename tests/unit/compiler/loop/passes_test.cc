// Runs tests/passes/loop, whose folders are primitives and whose files are each a function, a
// schedule, and the function (or the error) that comes of it: three parts, headed "--- input", "---
// schedule" and "--- expect" or "--- error". A new file needs no list. VTA_ACCEPT_PASSES=1 writes
// what comes out into the files, to be read before it is committed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/primitives.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/support/error.h"
#include "tests/support/dot4.h"
#include "tests/support/files.h"

namespace vta::compiler::loop {
namespace {

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SourcePath("tests/passes/loop")))
    if (entry.path().extension() == ".txt") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::map<std::string, std::string> Parts(const std::filesystem::path& path) {
  std::map<std::string, std::string> parts;
  std::ifstream in(path);
  std::string line, part;
  while (std::getline(in, line)) {
    if (line.starts_with("--- ")) {
      part = line.substr(4);
      parts[part];
    } else {
      parts[part] += line + "\n";
    }
  }
  return parts;
}

class LoopPass : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LoopPass, GivesTheExpectedText) {
  std::map<std::string, std::string> parts = Parts(GetParam());
  ASSERT_TRUE(parts.count("input") && parts.count("schedule"));
  ASSERT_TRUE(parts.count("expect") != parts.count("error"));
  const bool error = parts.count("error");
  std::string got;
  try {
    Schedule schedule(Parse(parts["input"], std::vector{Dot4()}), {Dot4()});
    schedule.Replay(parts["schedule"]);
    got = Print(schedule.function());
    EXPECT_FALSE(error) << got;
    EXPECT_EQ(Print(Parse(got, std::vector{Dot4()})), got);
  } catch (const Error& e) {
    got = std::string(e.what()) + "\n";
    EXPECT_TRUE(error) << got;
  }
  if (std::getenv("VTA_ACCEPT_PASSES")) {
    std::ofstream(GetParam()) << parts[""] << "--- input\n"
                              << parts["input"] << "--- schedule\n"
                              << parts["schedule"] << (error ? "--- error\n" : "--- expect\n")
                              << got;
  } else {
    EXPECT_EQ(got, parts[error ? "error" : "expect"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, LoopPass, testing::ValuesIn(Files()), [](const auto& info) {
  return info.param.parent_path().filename().string() + "_" + info.param.stem().string();
});

TEST(LoopPasses, EveryPrimitiveHasATextTestAndARefusal) {
  std::map<std::string, int> accepted, refused;
  for (const std::filesystem::path& file : Files()) {
    std::map<std::string, std::string> parts = Parts(file);
    std::istringstream lines(parts["schedule"]);
    std::string line, last;
    while (std::getline(lines, line)) {
      last = line.substr(0, line.find(' '));
      if (!parts.count("error")) ++accepted[last];
    }
    if (parts.count("error")) ++refused[last];
  }
  for (const Primitive& primitive : Primitives()) {
    EXPECT_GT(accepted[std::string(primitive.name)], 0) << primitive.name;
    EXPECT_GT(refused[std::string(primitive.name)], 0) << primitive.name;
  }
}

}  // namespace
}  // namespace vta::compiler::loop
