// Calls of dot products as native code: each machine's instructions, and those that stand in.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/loop/random_schedule.h"
#include "tests/unit/compiler/targets/cpu/dot_product.h"

namespace vta::compiler::llvm {
namespace {

using loop::Function;
using targets::DotIntrinsics;
using targets::DotRow;
using targets::kDots;

void ExpectSameOnAll(const std::vector<Trial>& trials, const std::vector<std::string>& names) {
  for (const Machine& machine : RunnableMachines()) {
    const std::vector<std::string> differences = Differences(trials, machine);
    for (size_t i = 0; i < trials.size(); ++i)
      EXPECT_EQ(differences[i], "")
          << machine.tune_cpu << ", " << machine.vector_bits << " bits: " << names[i] << "\n"
          << Print(trials[i].function);
  }
}

/// Sums in registers, as a convolution has them.
Function InRegisters(const DotRow& row) {
  loop::Schedule s = targets::DotSchedule(row);
  s.Replay(
      "set_scope s local\nunroll s g\nunroll s m\nunroll s b\nunroll y m\nunroll y b\nvectorize y "
      "o");
  return s.function();
}

/// The least and greatest factors beside random ones, each with each: their sums do not fit into 16
/// bits, and those of words wrap.
Arguments ExtremeArguments(const Function& f, uint32_t seed) {
  Arguments args = RandomArguments(f, seed);
  const size_t size = loop::SizeBytes(f.params[0]->dtype);
  const auto fill = [&](std::vector<std::byte>& bytes, size_t row, size_t rows) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      constexpr uint8_t kHigh[] = {0x00, 0x7F, 0x80, 0xFF}, kLow[] = {0x00, 0xFF, 0x00, 0xFF};
      const size_t pattern = at / row % rows;
      if (pattern < 4)
        bytes[at] = std::byte{at % size + 1 == size ? kHigh[pattern] : kLow[pattern]};
    }
  };
  fill(args[0], args[0].size() / 5, 5);  // by m
  fill(args[1], 4, 16);                  // by o
  return args;
}

TEST(Dot, EveryMachineIsAsTheInterpreter) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  for (const DotRow& row : kDots)
    for (const Function& f : {InRegisters(row), targets::DotSchedule(row).function()}) {
      trials.push_back({f, ExtremeArguments(f, 5)});
      names.emplace_back(row.name);
    }
  ExpectSameOnAll(trials, names);
}

TEST(Dot, RandomSchedulesComputeTheSame) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  // VTA_LOOP_TRACES=1000 for a long search.
  const char* wish = std::getenv("VTA_LOOP_TRACES");
  const uint32_t traces = wish ? std::atoi(wish) : 3;
  for (const DotRow& row : kDots)
    for (uint32_t seed = 0; seed < traces; ++seed) {
      const loop::Schedule schedule =
          loop::RandomSchedule(targets::DotSchedule(row).function(), seed);
      trials.push_back({schedule.function(), RandomArguments(schedule.function(), seed)});
      names.push_back(schedule.TraceText());
    }
  ExpectSameOnAll(trials, names);
}

// What calls may stand in, and operands that do not lie as a vector needs them.
constexpr const char* kCalls[] = {
    // The start beside the sum, under guards of which one decides in code that is written out.
    R"(
func f(n: int64[1], x: uint8[6, 4], w: int8[6, 16, 4], y: int32[4, 16]) {
  for m in 4 {
    for g in 3 unroll {
      block y(vm: 4 = m, reduce vg: 3 = g) where m * 2 + g < 7 && g != 1 {
        init call vpdpbusd.reset(y[vm, 0 : 16])
        call vpdpbusd.update(y[vm, 0 : 16], x[vm + vg, 0 : 4], w[vg, 0 : 16, 0 : 4])
      }
    }
  }
})",
    // All of a sum, from operands that begin anywhere.
    R"(
func f(x: int8[29], w: int8[3, 16, 4], y: int32[5, 19]) {
  for m in 5 {
    block y(vm: 5 = m) {
      call sdot.compute(y[vm, vm // 2 : 16], x[vm * 5 + 3 : 4], w[vm % 3, 0 : 16, 0 : 4])
    }
  }
})",
    // w is not dense.
    R"(
func f(x: int16[3, 2], w: int16[3, 16, 3], y: int32[16]) {
  block z() { call vpdpwssd.reset(y[0 : 16]) }
  for g in 3 {
    block y(reduce vg: 3 = g) { call vpdpwssd.update(y[0 : 16], x[vg, 0 : 2], w[vg, 0 : 16, 1 : 2]) }
  }
})",
    // A sum that is read while it grows, so that its start stays where it is.
    R"(
func f(x: uint8[3, 4], w: int8[3, 16, 4], y: int32[16], z: int32[3]) {
  for g in 3 {
    block y(reduce vg: 3 = g) {
      init call vpdpbusd.reset(y[0 : 16])
      call vpdpbusd.update(y[0 : 16], x[vg, 0 : 4], w[vg, 0 : 16, 0 : 4])
    }
    block z(vg: 3 = g) { z[vg] = y[5] }
  }
})",
    // Nor is the sum dense here.
    R"(
func f(x: int16[2], w: int16[16, 2], y: int32[16, 3]) {
  for k in 3 {
    block y(vk: 3 = k) { call vpdpwssd.compute(y[0 : 16, vk], x[0 : 2], w[0 : 16, 0 : 2]) }
  }
})"};

TEST(Dot, CallsAnywhereComputeTheSame) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  for (const char* text : kCalls) {
    const Function function = loop::Parse(text, DotIntrinsics());
    trials.push_back({function, RandomArguments(function, 9)});
    names.emplace_back(text);
  }
  ExpectSameOnAll(trials, names);
}

/// How often an instruction occurs in the code of two blocks of five sums of three groups each.
int Count(const Machine& machine, std::string_view dot, const std::string& instruction) {
  int n = 0;
  for (const DotRow& row : kDots) {
    if (row.name != dot) continue;
    const std::vector<lower::Kernel> kernels = {lower::PlanKernel(InRegisters(row))};
    const std::string text = DumpModule(kernels, machine).assembly;
    for (size_t at = 0; (at = text.find("\t" + instruction + "\t", at)) != std::string::npos; ++at)
      ++n;
  }
  return n;
}

TEST(Dot, UsesTheMachinesInstruction) {
  Machine x86{"x86_64-unknown-linux-gnu", "", {"avx512f", "avx512bw", "avx512vl"}, 512};
  EXPECT_EQ(Count(x86, "vpdpbusd", "vpmaddwd"), 60);
  EXPECT_EQ(Count(x86, "vpdpwssd", "vpmaddwd"), 30);
  x86.features.push_back("avx512vnni");
  EXPECT_EQ(Count(x86, "vpdpbusd", "vpdpbusd"), 30);
  EXPECT_EQ(Count(x86, "vpdpbusd_by_lane", "vpdpbusd"), 30);
  // In two steps; or in one where bytes may move anywhere, which LLVM takes once for both blocks.
  EXPECT_EQ(Count(x86, "vpdpbusd_by_lane", "vpshufb"), 30);
  x86.features.push_back("avx512vbmi");
  EXPECT_EQ(Count(x86, "vpdpbusd_by_lane", "vpshufb"), 0);
  EXPECT_EQ(Count(x86, "vpdpbusd_by_lane", "vpermb"), 15);
  x86.features.pop_back();
  // LLVM takes some apart where that shortens chains.
  EXPECT_EQ(Count(x86, "vpdpwssd", "vpdpwssd") + Count(x86, "vpdpwssd", "vpmaddwd"), 30);
  EXPECT_GE(Count(x86, "vpdpwssd", "vpdpwssd"), 10);
  // What makes up for the sign of x is the same for all five.
  EXPECT_EQ(Count(x86, "sdot", "vpdpbusd"), 30 + 6);
  x86.vector_bits = 256;
  EXPECT_EQ(Count(x86, "vpdpbusd", "vpdpbusd"), 60);
  Machine arm{"aarch64-unknown-linux-gnu", "", {"dotprod"}, 128};
  EXPECT_EQ(Count(arm, "sdot", "sdot"), 4 * 30);
  EXPECT_EQ(Count(arm, "vpdpbusd", "sdot"), 4 * (30 + 6));
}

TEST(Dot, LinksWithoutImportsElsewhere) {
  std::vector<lower::Kernel> kernels;
  for (const DotRow& row : kDots) {
    Function function = InRegisters(row);
    function.name = std::string(row.name);
    kernels.push_back(lower::PlanKernel(function));
  }
  for (const Machine& machine : OtherMachines())
    EXPECT_NO_THROW(BuildModule(kernels, machine)) << machine.triple << " " << machine.tune_cpu;
}

}  // namespace
}  // namespace vta::compiler::llvm
