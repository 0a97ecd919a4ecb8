// Damaged loop-IR text: it is refused with an Error, or it runs (verified or not) without touching
// memory that is not its own. VTA_LOOP_DAMAGE=N for N rounds more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"
#include "tests/support/files.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::loop {
namespace {

std::vector<std::string> Inputs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SourcePath("tests/passes/loop")))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const auto& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    const std::string all = text.str();
    const size_t expect = all.find("--- expect\n");
    out.push_back(all.substr(10, all.find("--- schedule") - 10));
    if (expect != all.npos && all.find("call ", expect) == all.npos)
      out.push_back(all.substr(expect + 11));
  }
  return out;
}

std::string Damage(std::string text, std::mt19937& rng) {
  constexpr std::string_view kPieces[] = {
      "0",       "1",  "-1",   "7",          "9223372036854775807",
      "i",       "vi", "k",    "+",          "*",
      "//",      "%",  "<",    "(",          ")",
      "[",       "]",  "{",    "}",          ",",
      "select(", "8i", "int8", "for",        "in",
      "init",    "x",  "s",    "where true "};
  for (int n = 1 + rng() % 3; n > 0; --n) {
    const size_t at = rng() % text.size(), length = rng() % 4;
    const std::string_view piece = kPieces[rng() % std::size(kPieces)];
    switch (rng() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, piece);
        break;
      case 2:
        text.replace(at, length, piece);
        break;
      default:  // another digit
        if (const size_t digit = text.find_first_of("0123456789", at); digit != text.npos)
          text[digit] = static_cast<char>('0' + rng() % 10);
    }
  }
  return text;
}

/// Iterations and bytes stay small, so that a lucky digit costs no time.
bool Small(const Function& f) {
  for (const Buffer& b : Buffers(f))
    if (b->SizeElems() > 100000) return false;
  for (const Site& site : Sites(f.body)) {
    double points = 1;
    for (const Stmt& loop : site.loops) points *= static_cast<double>(As<For>(loop)->extent);
    if (points > 100000) return false;
  }
  return true;
}

TEST(LoopHostile, DamagedTextIsRefusedOrRunsInItsOwnMemory) {
  const std::vector<std::string> inputs = Inputs();
  ASSERT_GT(inputs.size(), 40u);
  const char* wish = std::getenv("VTA_LOOP_DAMAGE");
  std::mt19937 rng(7);
  int parsed = 0, verified = 0, ran = 0;
  for (int round = (wish ? std::atoi(wish) : 0) + 4000; round > 0; --round) {
    const std::string text = Damage(inputs[rng() % inputs.size()], rng);
    bool sound = false;
    try {
      const Function f = Parse(text);
      ++parsed;
      ASSERT_EQ(Print(Parse(Print(f))), Print(f)) << text;
      if (!Small(f)) continue;
      try {
        Verify(f);
        sound = true;
        ++verified;
      } catch (const Error&) {
      }
      std::vector<std::vector<std::byte>> memory;
      for (const Buffer& p : f.params) memory.emplace_back(p->SizeElems() * SizeBytes(p->dtype));
      std::vector<std::span<std::byte>> args(memory.begin(), memory.end());
      Interpreter(f).Run(args);
      ++ran;
    } catch (const Error& error) {
      EXPECT_FALSE(sound) << "verified, and then: " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(parsed, 300);
  EXPECT_GT(verified, 100);
  EXPECT_GT(ran, verified);
}

}  // namespace
}  // namespace vta::compiler::loop
