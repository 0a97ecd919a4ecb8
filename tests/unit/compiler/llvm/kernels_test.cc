// Whole kernels: native code against the interpreter.
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/operators/operators.h"
#include "isa/support/error.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/loop/random_schedule.h"
#include "tests/unit/compiler/operators/cases.h"

namespace vta::compiler::llvm {
namespace {

constexpr double kTolerance = 1e-5;

template <typename T>
std::vector<std::byte> BytesOf(std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

void ExpectNoDifference(const std::vector<Trial>& trials, const std::vector<std::string>& names) {
  for (const Machine& machine : {HostMachine(), BaselineMachine()}) {
    const std::vector<std::string> differences = Differences(trials, machine);
    for (size_t i = 0; i < trials.size(); ++i)
      EXPECT_EQ(differences[i], "") << machine.vector_bits << " bits: " << names[i] << "\n"
                                    << Print(trials[i].function);
  }
}

TEST(NativeKernels, EveryOperatorIsAsTheInterpreterDoesIt) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  std::mt19937 random(12);
  for (const operators::Case& c : operators::Cases())
    for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
      const auto [graph, inputs] = MakeExample(c, rounding, random);
      const loop::Function function = operators::Lower(graph, graph.nodes().front(), "kernel");
      Arguments args;
      for (const Tensor& input : inputs) args.push_back(BytesOf(input.bytes()));
      args.emplace_back(Tensor(graph.type(graph.nodes().front().output)).bytes().size());
      trials.push_back({function, std::move(args), kTolerance});
      names.emplace_back(Spec(c.op).name);
    }
  ExpectNoDifference(trials, names);
}

TEST(NativeKernels, RandomSchedulesComputeTheSame) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  // VTA_LOOP_TRACES=1000 for a long search.
  const char* wish = std::getenv("VTA_LOOP_TRACES");
  const uint32_t traces = wish ? std::atoi(wish) : Trials(12);
  for (const loop::Workload& w : loop::Workloads())
    for (uint32_t seed = 0; seed < traces; ++seed) {
      const loop::Schedule schedule = RandomSchedule(w.function, seed + 1000);
      if (!IsKernel(schedule.function())) continue;
      trials.push_back({schedule.function(),
                        {BytesOf<int8_t>(w.a), BytesOf<int8_t>(w.b),
                         std::vector<std::byte>(w.want.size() * sizeof(int32_t))}});
      names.push_back(schedule.TraceText());
    }
  EXPECT_GT(trials.size(), loop::Workloads().size() * traces * 9 / 10);
  ExpectNoDifference(trials, names);
}

constexpr char kMatmul[] = R"(
func matmul(a: float32[13, 11], b: float32[11, 37], y: float32[13, 37]) {
  for i in 13 { for j in 37 { for k in 11 {
    block y(vi: 13 = i, vj: 37 = j, reduce vk: 11 = k) {
      init y[vi, vj] = 0f
      y[vi, vj] = y[vi, vj] + a[vi, vk] * b[vk, vj]
    }
  } } }
})";

constexpr char kConv[] = R"(
func conv(x: float32[3, 19, 21], w: float32[10, 3, 3, 3], bias: float32[10], y: float32[10, 9, 10]) {
  alloc s: float32[10, 9, 10]
  for o in 10 { for h in 9 { for t in 10 { for c in 3 { for p in 3 { for q in 3 {
    block s(vo: 10 = o, vh: 9 = h, vt: 10 = t, reduce vc: 3 = c, reduce vp: 3 = p, reduce vq: 3 = q) {
      init s[vo, vh, vt] = 0f
      s[vo, vh, vt] = s[vo, vh, vt] + x[vc, vh * 2 + vp, vt * 2 + vq] * w[vo, vc, vp, vq]
    }
  } } } } } }
  for o in 10 { for h in 9 { for t in 10 {
    block y(vo: 10 = o, vh: 9 = h, vt: 10 = t) {
      y[vo, vh, vt] = max(s[vo, vh, vt] + bias[vo], 0f)
    }
  } } }
})";

// The counter k is divided in indices and guards.
constexpr char kPadded[] = R"(
func conv(x: int8[3, 9, 8], w: int8[4, 3, 3, 3], y: int32[4, 5, 4]) {
  for o in 4 { for ho in 2 { for hi in 2 { for hii in 2 { for w in 4 { for k in 27 {
    alloc p: int8[1, 1, 1]
    block p(v0: 1 = 0, v1: 1 = 0, v2: 1 = 0) where ho * 4 + hi * 2 + hii < 5 {
      p[0, 0, 0] = select(
        2 <= ho * 8 + hi * 4 + hii * 2 + k // 3 % 3 * 2 &&
        ho * 8 + hi * 4 + hii * 2 + k // 3 % 3 * 2 < 11 &&
        2 <= w * 2 + k % 3 * 2 && w * 2 + k % 3 * 2 < 10,
        x[k // 9, ho * 8 + hi * 4 + hii * 2 + k // 3 % 3 * 2 - 2, w * 2 + k % 3 * 2 - 2], 3i8)
    }
    block y(vo: 4 = o, vh: 5 = ho * 4 + hi * 2 + hii, vw: 4 = w,
            reduce vc: 3 = k // 9, reduce vp: 3 = k // 3 % 3, reduce vq: 3 = k % 3)
        where ho * 4 + hi * 2 + hii < 5 {
      init y[vo, vh, vw] = 0i32
      y[vo, vh, vw] = y[vo, vh, vw] + int32(p[0, 0, 0]) * int32(w[vo, vc, vp, vq])
    }
  } } } } } }
})";

struct Scheduled {
  const char *function, *steps;
};

// Tiles whose last ones are short, so that blocks are guarded: by a branch where the guard is the
// same for all lanes, by masks where it is not.
constexpr Scheduled kScheduled[] = {
    {kMatmul, ""},
    {kMatmul, "vectorize y j"},
    {kMatmul, "reorder y k j i\nvectorize y i"},
    {kMatmul, "split y j 16\nreorder y i jo k ji\nvectorize y ji"},
    {kMatmul, "split y j 16\nreorder y i jo k ji\nvectorize y ji\ndecompose_reduction y k"},
    {kMatmul, "split y j 8\nsplit y i 4\nreorder y io jo k ii ji\nunroll y ii\nvectorize y ji"},
    {kMatmul, "parallel y i\nsplit y j 5\nvectorize y ji\nunroll y jo"},
    {kMatmul, "split y k 4\nunroll y ki\nvectorize y j"},
    {kMatmul,
     "cache_write y local\nsplit y_copy i 4\nsplit y_copy j 16\nreorder y_copy io jo ii ji\n"
     "compute_at y y_copy jo\nreorder y k i j\nunroll y i\nvectorize y j\n"
     "decompose_reduction y k\nvectorize y_init j\nunroll y_init i\n"
     "unroll y_copy ii\nvectorize y_copy ji\nparallel y_copy io"},
    {kConv, ""},
    {kConv, "vectorize y t\nvectorize s t"},
    {kConv,
     "set_scope s local\nsplit y t 4\nsplit y o 8\nreorder y oo h to ti oi\n"
     "compute_at s y to\nreorder s c p q t o\nvectorize s o\nunroll s t\n"
     "decompose_reduction s c\nunroll s_init t\nvectorize y oi\nunroll y ti\nparallel y oo"},
    {kConv, "fuse y o h\nsplit y oh 6\ncompute_at s y oho\nvectorize y ohi\nvectorize s o"},
    {kConv,
     "compute_at s y h\nvectorize s t\nunroll s q\nunroll s p\nvectorize y t\nset_scope s local"},
    {kMatmul,
     "cache_write y local\nsplit y_copy i 4\nreorder y_copy io ii j\ncompute_at y y_copy io\n"
     "set_stride y_local 40 1\nreorder y k i j\nunroll y i\nvectorize y j"},
    {kConv, "set_stride s 1 130 13\nvectorize y t\nvectorize s o"},
    {kPadded, ""},
};

TEST(NativeKernels, ScheduledFunctionsComputeTheSame) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  for (const Scheduled& s : kScheduled) {
    loop::Schedule schedule(loop::Parse(s.function));
    schedule.Replay(s.steps);
    trials.push_back({schedule.function(), RandomArguments(schedule.function(), 3), kTolerance});
    names.emplace_back(s.steps);
  }
  ExpectNoDifference(trials, names);
}

// The first and the last element of x are read: what is loaded beside them would be none of it.
TEST(NativeKernels, ReadsEverySoManyElements) {
  std::vector<Trial> trials;
  std::vector<std::string> names;
  for (const char* type : {"float32", "int32", "int16", "int8"})
    for (const int stride : {2, 3, 4, 5})
      for (const int count : {16, 37}) {
        loop::Schedule schedule(loop::Parse(
            StrCat("func strided(x: ", type, "[", (count - 1) * stride + 1, "], y: ", type, "[",
                   count, "]) {\n  for i in ", count, " {\n    block y(v: ", count,
                   " = i) {\n      y[v] = x[v * ", stride, "]\n    }\n  }\n}\n")));
        schedule.Replay("vectorize y i");
        trials.push_back({schedule.function(), RandomArguments(schedule.function(), stride)});
        names.push_back(StrCat(type, " ", stride));
      }
  ExpectNoDifference(trials, names);
}

TEST(NativeKernels, LinkWithoutImportsElsewhere) {
  std::vector<lower::Kernel> kernels;
  for (const Scheduled& s : kScheduled) {
    loop::Schedule schedule(loop::Parse(s.function));
    schedule.Replay(s.steps);
    loop::Function function = schedule.function();
    function.name = StrCat("k", kernels.size());
    kernels.push_back(lower::PlanKernel(function));
  }
  for (const Machine& machine : OtherMachines())
    EXPECT_NO_THROW(BuildModule(kernels, machine)) << machine.triple << " " << machine.tune_cpu;
}

}  // namespace
}  // namespace vta::compiler::llvm
