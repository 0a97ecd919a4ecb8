// Every operation on every type, element by element and in vectors, indices and fixed-point scaling
// at the ends of their ranges, on a device of OpenCL against the interpreter.
#include <gmock/gmock.h>

#include "compiler/loop/analysis.h"
#include "compiler/loop/parser.h"
#include "isa/support/error.h"
#include "tests/support/interpreter/interpret.h"
#include "tests/support/opencl_device.h"
#include "tests/unit/compiler/llvm/op_cases.h"
#include "tests/unit/compiler/llvm/requant_inputs.h"
#include "tests/unit/compiler/opencl/on_device.h"

namespace vta::compiler::opencl {
namespace {

/// Cases one after the other in one kernel, each with buffers of its own.
struct Together {
  loop::Function function;
  std::vector<size_t> first;  // parameter of each case
};

/// As many in a kernel as every device takes arguments for, of 1024 bytes.
std::vector<Together> Grouped(const std::vector<llvm::OpCase>& cases) {
  constexpr size_t kMostParams = 48;
  std::vector<Together> groups;
  std::vector<loop::Stmt> bodies;
  const auto finish = [&] {
    if (!groups.empty()) groups.back().function.body = loop::MakeSeq(std::move(bodies));
    bodies.clear();
  };
  for (const llvm::OpCase& c : cases) {
    if (groups.empty() ||
        groups.back().function.params.size() + c.function.params.size() > kMostParams) {
      finish();
      groups.push_back({{StrCat("k_", groups.size()), {}, {}}, {}});
    }
    Together& group = groups.back();
    group.first.push_back(group.function.params.size());
    loop::Stmt body = c.function.body;
    for (const loop::Buffer& buffer : c.function.params) {
      const size_t number = group.function.params.size();
      const loop::Buffer own = loop::MakeBuffer(StrCat("b", number), buffer->dtype, buffer->shape);
      body = loop::ReplaceBuffer(body, buffer, own);
      group.function.params.push_back(own);
    }
    // Names of blocks are unique in a function.
    const std::string name = StrCat("y", group.first.size());
    bodies.push_back(loop::RewriteStmts(body, [&](const loop::Stmt& stmt) -> loop::Stmt {
      const loop::Block* block = loop::As<loop::Block>(stmt);
      if (!block) return nullptr;
      loop::Block copy = *block;
      copy.name = name;
      return loop::MakeStmt(std::move(copy));
    }));
  }
  finish();
  return groups;
}

llvm::Arguments Interpreted(const loop::Function& function, llvm::Arguments args) {
  loop::Interpreter(function).Run(std::vector<std::span<std::byte>>(args.begin(), args.end()));
  return args;
}

class OpenClOps : public testing::TestWithParam<loop::ForKind> {};

TEST_P(OpenClOps, AreAsTheInterpreterDoesThem) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const std::vector<llvm::OpCase> cases = llvm::OpCases({GetParam(), 196});
  const std::vector<Together> groups = Grouped(cases);
  std::vector<loop::Function> functions;
  for (const Together& group : groups) functions.push_back(group.function);
  OnDevice kernels(*device.gpu(), functions);
  if (GetParam() == loop::ForKind::kVectorize)
    for (const char* words : {"vload4(0, ", "vstore4(", "vta_min_float4(", "convert_char4_sat("})
      EXPECT_THAT(kernels.text(), testing::HasSubstr(words));
  size_t number = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    // The same values for each case as it has alone.
    llvm::Arguments args;
    for (size_t i = 0; i < groups[g].first.size(); ++i)
      for (std::vector<std::byte>& one : llvm::RandomArguments(cases[number + i].function, 7))
        args.push_back(std::move(one));
    const llvm::Arguments wanted = Interpreted(functions[g], args), found = kernels.Run(g, args);
    for (const size_t first : groups[g].first) {
      const llvm::OpCase& c = cases[number++];
      const auto own = [&](const llvm::Arguments& all) {
        const auto begin = all.begin() + static_cast<int64_t>(first);
        return llvm::Arguments(begin, begin + std::ssize(c.function.params));
      };
      // Of what no device rounds rightly OpenCL allows 16 units in the last place.
      EXPECT_EQ(llvm::FirstDifference(c.function, own(wanted), own(found), 2 * c.tolerance), "")
          << c.name;
    }
  }
  EXPECT_EQ(number, cases.size());
}

TEST(OpenClIndices, AreExactInAnyRange) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  // What an int holds, what it does not, and what wraps; divisors of either sign, and 0.
  const std::vector<std::string> values = {
      "(v - 37) // 5",
      "(v - 37) % 5",
      "v // 5 + v % 5 * 100",
      "(v * 3 - 100) % 7",
      "min(v - 37, 3) - max(3 - v, v - 40)",
      "abs(v - 37)",
      "v * 100000000000 - 7",
      "v * 4611686018427387904 + 1",
      "(v - 37) * 2147483647 - v * 3",
      "select(v < 30, v - 37, v * 1099511627776)",
      "(v - 37) // (v - 40)",
      "(v - 37) % (v - 40)",
      "(v * 1099511627776 - 37) // (v - 40)",
      "(v * 1099511627776 - 37) % 1000",
      "x[v] + v",
      "x[v] // 3",
      "x[(v * 7 - 3) % 64] * x[v]",
      "select(x[v] < 0 && 3 <= v, x[v - 3], 0 - v)",
      "int64(k[v]) // -1 + abs(int64(k[v]))",
      "int64(int8(k[v])) * int64(uint8(k[v] * 3i32))",
  };
  std::string text = "func indices(x: int64[64], k: int32[64]", blocks;
  for (size_t i = 0; i < values.size(); ++i) {
    text += StrCat(", y", i, ": int64[64]");
    blocks +=
        StrCat("for i in 64 { block y", i, "(v: 64 = i) { y", i, "[v] = ", values[i], " } }\n");
  }
  const loop::Function function = loop::Parse(StrCat(text, ") {\n", blocks, "}"));
  OnDevice kernels(*device.gpu(), {function});
  const llvm::Arguments args = llvm::RandomArguments(function, 3);
  EXPECT_EQ(llvm::FirstDifference(function, Interpreted(function, args), kernels.Run(0, args), 0),
            "")
      << kernels.text();
}

TEST(OpenClStores, AreSimultaneous) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const loop::Function function = loop::Parse(R"(
func best(x: float32[16, 9], best: float32[16], index: int64[16]) {
  for n in 16 thread {
    for k in 9 {
      block best(vn: 16 = n, reduce vk: 9 = k) {
        init best[vn] = x[vn, 0]
        init index[vn] = 0
        best[vn] = max(best[vn], x[vn, vk])
        index[vn] = select(best[vn] < x[vn, vk], vk, index[vn])
      }
    }
  }
})");
  OnDevice kernels(*device.gpu(), {function});
  const llvm::Arguments args = llvm::RandomArguments(function, 3);
  EXPECT_EQ(llvm::FirstDifference(function, Interpreted(function, args), kernels.Run(0, args), 0),
            "")
      << kernels.text();
}

TEST(OpenClParts, LieTogether) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  // Of s a thread has four rows of six columns, which lie eight apart. Those of odd are one digit
  // where they are written, and two where they are read.
  const loop::Function function = loop::Parse(R"(
func parts(x: float32[4, 48], y: float32[4, 48], z: float32[48]) {
  alloc s: float32[4, 48] @local
  alloc odd: float32[48] @local
  for t in 8 thread {
    for o in 4 unroll {
      for p in 6 unroll {
        block s(vo: 4 = o, vp: 48 = p * 8 + t) {
          s[vo, vp] = x[vo, vp] * 2f
        }
      }
    }
  }
  for t in 8 thread {
    for p in 6 {
      block odd(vp: 48 = p * 8 + t) {
        odd[vp] = x[1, vp] + 1f
      }
    }
  }
  for t in 8 thread {
    for o in 4 {
      for p in 6 {
        block y(vo: 4 = o, vp: 48 = p * 8 + t) {
          y[vo, vp] = s[vo, vp] + 1f
        }
      }
    }
  }
  for t in 8 thread {
    for p in 3 {
      for q in 2 {
        block z(vp: 48 = p * 16 + q * 8 + t) {
          z[vp] = odd[vp]
        }
      }
    }
  }
})");
  OnDevice kernels(*device.gpu(), {function});
  EXPECT_THAT(kernels.text(), testing::HasSubstr("float s_1[24];"));
  EXPECT_THAT(kernels.text(), testing::HasSubstr("float odd_1[48];"));
  const llvm::Arguments args = llvm::RandomArguments(function, 3);
  EXPECT_EQ(
      llvm::FirstDifference(function, Interpreted(function, args), kernels.Run(0, args), 1e-6), "")
      << kernels.text();
}

TEST(OpenClRequant, IsExact) {
  test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const llvm::RequantInputs in = llvm::EdgesOfRequant();
  std::vector<loop::Function> functions;
  for (const auto& [name, rounding] : llvm::kRequants)
    functions.push_back(llvm::RequantFunction(in, name, ""));
  OnDevice kernels(*device.gpu(), functions);
  for (size_t i = 0; i < functions.size(); ++i)
    EXPECT_EQ(llvm::FirstInexact(in, kernels.Run(i, llvm::ArgumentsOf(in)).back(),
                                 llvm::kRequants[i].rounding),
              "")
        << llvm::kRequants[i].name;
}

INSTANTIATE_TEST_SUITE_P(Loops, OpenClOps,
                         testing::Values(loop::ForKind::kSerial, loop::ForKind::kVectorize),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace vta::compiler::opencl
