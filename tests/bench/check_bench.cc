// Time and memory of the proof on network-sized programs, and on one that changes a micro-op before
// each use of a full kernel.
//
// usage: check_bench [--brief]      fails where a program is refused, or its proof takes more
// memory than kMostBytesPerByte times the program and a fixed amount
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "tests/support/conv_stream.h"
#include "tests/support/random_kernels.h"

namespace {
int64_t live_bytes = 0, peak_bytes = 0;
}  // namespace

// Every allocation of this program is counted.
void* operator new(size_t size) {
  void* const memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  live_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  peak_bytes = std::max(peak_bytes, live_bytes);
  return memory;
}
void operator delete(void* memory) noexcept {
  live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace vta::test {
namespace {

constexpr int64_t kMostBytesPerByte = 24, kFixedBytes = int64_t{24} << 20;

/// Micro-ops of every second row, one of them loaded anew before each reset of all of them.
TestProgram MakeChangingKernels(int64_t kernels) {
  TestProgram program;
  const int64_t depth = program.config.arch.uop_depth, rows = program.config.arch.acc_depth;
  std::vector<isa::Uop> uops(2 * depth);
  for (size_t i = 0; i < uops.size(); ++i)
    uops[i].dst = static_cast<int64_t>(i) * 2 % rows + (i < static_cast<size_t>(depth) ? 0 : 1);
  const int64_t first = AppendUops(program, uops);
  program.instructions = {LoadRows(isa::MemoryType::kUop, 0, depth, first)};
  isa::Instruction reset{.opcode = static_cast<int64_t>(isa::Opcode::kGemm),
                         .reset = 1,
                         .uop_end = depth,
                         .iter_out = 1,
                         .iter_in = 1};
  for (int64_t k = 0; k < kernels; ++k) {
    const int64_t changed = k % depth;
    program.instructions.push_back(
        LoadRows(isa::MemoryType::kUop, changed, 1, first + depth + k * 7 % depth));
    program.instructions.push_back(reset);
  }
  program.instructions.push_back({.opcode = static_cast<int64_t>(isa::Opcode::kFinish)});
  return program;
}

bool Measure(const char* name, const TestProgram& program, int rounds) {
  int64_t best_ns = INT64_MAX;
  bool ok = true;
  isa::Report report;
  const int64_t before = peak_bytes = live_bytes;
  for (int round = 0; round < rounds; ++round) {
    report = program.Check();
    ok &= report.ok();
    best_ns = std::min(best_ns, report.statistics.scan_ns);
  }
  const isa::Statistics& s = report.statistics;
  const int64_t took = peak_bytes - before;
  const int64_t program_bytes = s.instructions * isa::kInstructionBytes + s.uops_loaded * 4;
  const bool small = took <= kFixedBytes + kMostBytesPerByte * program_bytes;
  std::printf("%-28s %8ld %14ld %8ld %9.1f %9.0f %9.1f %9.1f %s\n", name,
              static_cast<long>(s.instructions), static_cast<long>(s.uops_executed),
              static_cast<long>(s.kernels), best_ns / 1e6,
              static_cast<double>(best_ns) / static_cast<double>(s.instructions),
              program_bytes / 1e6, took / 1e6,
              !ok      ? "REFUSED"
              : !small ? "TOO LARGE"
                       : "proved");
  return ok && small;
}

bool Measure(const char* name, const ConvStream& shape) {
  return Measure(name, MakeConvStream(shape), 5);
}

int Main(bool brief) {
  std::printf("%-28s %8s %14s %8s %9s %9s %9s %9s\n", "stream", "insns", "micro-ops", "kernels",
              "least ms", "ns/insn", "MB", "proof MB");
  const int64_t layers = brief ? 1 : 53;
  bool ok = Measure("36 uops x 196 trips", {.layers = layers});
  ok &= Measure("2044 uops x 196 trips", {.layers = layers, .kernel_uops = 2044});
  ok &= Measure("36 uops x 14000 trips", {.layers = layers, .loop_trips = 14000});
  ok &= Measure("1 step a tile", {.layers = layers, .tiles = 360, .reduction = 1});
  ok &= Measure("a micro-op changes each time", MakeChangingKernels(brief ? 4000 : 22000), 1);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace vta::test

int main(int argc, char** argv) {
  return vta::test::Main(argc > 1 && std::string(argv[1]) == "--brief");
}
